import { childrenOf, type Process, start, type Teardown } from '../../../tests/harness/processes/processes.ts'
import { prepareStation, type Station } from '../../../tests/harness/stations/station.ts'
import { heading, ratio, row, say } from '../report.ts'
import { memoryOf, usageOf } from '../usage.ts'
import type { SocketFigures, StreamFigures } from './load.ts'
import { type Found, startIcecast, startKernelFloor } from './references.ts'
import { type Clients, figuresOf, startLoad } from './start-load.ts'

/** Its queue of connections is five long: of a faster crowd some try again after a second. */
const ICECAST_JOINS_PER_S = 300
/** The time for V8 to compile what a crowd needs, before anything is measured: a station runs for months. */
const FIRST_S = 3
/** Of fewer listeners, memory says more about V8 than about them. */
const LEAST_FOR_MEMORY = 5_000
/** Those who are there when memory is measured stay until it was. */
const FIRST_STAY_S = 200

interface Sizes {
  listeners: number
  sockets: number
  /** Clients who come each second. */
  rate: number
  rounds: number
  /** Duration of a window. */
  seconds: number
}

type Wanted = Pick<Clients, 'kind' | 'url'> & Partial<Clients>

/** Reports what listeners and sockets cost, beside the floor of both. */
export async function tellAir(
  run: Teardown,
  { listeners, sockets, rate, rounds, seconds: windowS }: Sizes,
): Promise<void> {
  const underLoad = <F>(pid: number, wanted: Wanted) => {
    const clients = wanted.kind === 'stream' ? listeners : sockets
    return loadOf<F>(run, pid, { clients, rate, seconds: windowS, ...wanted })
  }
  say(`${listeners} listeners, ${sockets} sockets; the best of ${rounds} windows of ${windowS} s`)
  const tones = [
    { name: 'Low', hz: 220, seconds: 120 },
    { name: 'High', hz: 440, seconds: 120 },
  ]
  const station = await prepareStation(run, tones, { DEMO_LIBRARY: 'false' })
  const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
  const apiPid = api.process.child.pid!
  const stream = `${api.url}/api/stream/public.mp3`

  const idleS = await cpuOver(windowS, [apiPid])
  row('API without clients', `${((idleS / windowS) * 100).toFixed(2)} % of one core`)

  heading('Stream, CPU of the API in % of one core per 1000 listeners')
  const bare = await startFloor(run, 'stream')
  const kernel = referenceIn('bare send in C', await startKernelFloor(run))
  const icecast = referenceIn('Icecast', await startIcecast(run))
  const of = ({ url, pid }: { url: string; pid: number }, more: Partial<Clients> = {}) =>
    underLoad<StreamFigures>(pid, { kind: 'stream', url, ...more })
  const slowly = { rate: ICECAST_JOINS_PER_S }
  const service = { url: stream, pid: apiPid }
  await of(bare, { seconds: FIRST_S })
  await of(service, { seconds: FIRST_S })
  await of(service, { seconds: FIRST_S, titles: true })
  const { floor, plain, titled, ...references } = await interleaved(
    rounds,
    {
      floor: () => of(bare),
      plain: () => of(service),
      titled: () => of(service, { titles: true }),
    },
    {
      ...(kernel && { kernel: () => of(kernel) }),
      ...(icecast && {
        icecast: () => of(icecast, slowly),
        icecastTitled: () => of(icecast, { ...slowly, titles: true }),
      }),
    },
  )
  await Promise.all([bare.process.end(), kernel?.end(), icecast?.end()])
  const cpu = (load: Load<StreamFigures>) => ((load.cpuS / windowS) * 100 * 1000) / load.figures.connected
  const percent = (load: Load<StreamFigures>) => `${cpu(load).toFixed(2)} %`
  row('service, plain', percent(plain))
  row('service, with titles', percent(titled), `${ratio(cpu(titled), cpu(plain))} of plain`)
  row('bare socket.write', percent(floor), `service: ${ratio(cpu(plain), cpu(floor))}`)
  if (references.kernel)
    row('bare send in C', percent(references.kernel), `service: ${ratio(cpu(plain), cpu(references.kernel))}`)
  if (references.icecast && references.icecastTitled) {
    row('Icecast', percent(references.icecast), `service: ${ratio(cpu(plain), cpu(references.icecast))}`)
    row(
      'Icecast, with titles',
      percent(references.icecastTitled),
      `service: ${ratio(cpu(titled), cpu(references.icecastTitled))}`,
    )
  }
  const crowd = { clients: Math.max(listeners, LEAST_FOR_MEMORY), rate }
  row('memory per listener', `${(await kbPerListener(run, await station.startApi(), crowd)).toFixed(1)} KB`)
  row(
    'least reserve, plain and with titles',
    `${plain.figures.leastReserveMs}, ${titled.figures.leastReserveMs} ms`,
  )
  for (const [name, { figures }] of Object.entries({ plain, titled, ...references })) {
    row(
      `${name}: first byte p50 / p99`,
      `${figures.firstByteMs.join(' / ')} ms at ${name.startsWith('icecast') ? ICECAST_JOINS_PER_S : rate} joins a second`,
    )
    row(`${name}: burst, longest gap`, `${figures.burstBytes} bytes, ${figures.longestGapMs} ms`)
    row(`${name}: rate, lost`, `${figures.bytesPerS} bytes/s, ${figures.lost} of ${figures.connected}`)
  }

  heading('Worker with its decoders and encoder')
  const workerPids = async () => [
    worker.child.pid!,
    ...(await childrenOf(worker.child.pid!)).map(({ pid }) => pid),
  ]
  const pids = await workerPids()
  row('CPU', `${(((await cpuOver(windowS, pids)) / windowS) * 100).toFixed(2)} % of one core`)
  row('memory', `${Math.round(await memoryOf(pids))} MB in ${pids.length} processes`)

  heading('sync, CPU in µs per event, of the service without what it needs anyway')
  const emitter = await startFloor(run, 'sockets')
  const { bareEmit, sync } = await interleaved(rounds, {
    bareEmit: () => underLoad<SocketFigures>(emitter.pid, { kind: 'sockets', url: emitter.url }),
    sync: () => underLoad<SocketFigures>(apiPid, { kind: 'sockets', url: api.url }),
  })
  await emitter.process.end()
  const perEvent = ({ cpuS, figures }: Load<SocketFigures>, anywayS = 0) =>
    ((cpuS - anywayS) / figures.events) * 1e6
  row('bare io.emit', `${perEvent(bareEmit).toFixed(1)} µs`)
  row('service', `${perEvent(sync, idleS).toFixed(1)} µs`, ratio(perEvent(sync, idleS), perEvent(bareEmit)))
  for (const [name, { figures }] of Object.entries({ 'io.emit': bareEmit, service: sync })) {
    row(`${name}: jitter p50 / p99`, `${figures.jitterMs.join(' / ')} ms`)
    row(`${name}: delay p50 / p99`, `${figures.delayMs.join(' / ')} ms`)
  }
}

/** The reference; null after it was said what is missing. */
function referenceIn(name: string, found: Found) {
  if ('reference' in found) return found.reference
  row(name, `left out: ${found.missing}`)
  return null
}

interface Load<F> {
  figures: F
  /** CPU time of the server within the window. */
  cpuS: number
}

/** Alternates candidates and references, so that other load affects both alike; the cheapest round of each counts. */
async function interleaved<F, K extends string, More extends string = never>(
  rounds: number,
  needed: Record<K, () => Promise<Load<F>>>,
  wanted = {} as Partial<Record<More, () => Promise<Load<F>>>>,
): Promise<Record<K, Load<F>> & Partial<Record<More, Load<F>>>> {
  const best: Record<string, Load<F>> = {}
  const measures = Object.entries<(() => Promise<Load<F>>) | undefined>({ ...needed, ...wanted })
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of measures) {
      if (!measure) continue
      const load = await measure()
      if (!best[name] || load.cpuS < best[name].cpuS) best[name] = load
    }
  }
  return best as Record<K, Load<F>> & Partial<Record<More, Load<F>>>
}

async function loadOf<F>(run: Teardown, serverPid: number, clients: Clients): Promise<Load<F>> {
  const load = startLoad(run, clients)
  await load.printed(/window\n/)
  const before = await usageOf(serverPid)
  await load.printed(/\{.*\}\n/)
  const after = await usageOf(serverPid)
  return { figures: await figuresOf<F>(load), cpuS: after.cpuS - before.cpuS }
}

/**
 * Growth of a new replica per listener, while as many are there already: they have what V8 compiles for the first of them, and the
 * room that the start left.
 */
async function kbPerListener(
  run: Teardown,
  { url, process }: Awaited<ReturnType<Station['startApi']>>,
  crowd: Pick<Clients, 'clients' | 'rate'>,
): Promise<number> {
  const stream = { ...crowd, kind: 'stream', url: `${url}/api/stream/public.mp3` } as const
  const memory = async () => (await usageOf(process.child.pid!)).rssKb
  const first = startLoad(run, { ...stream, seconds: FIRST_STAY_S })
  await first.printed(/window\n/)
  const before = await memory()
  const second = startLoad(run, { ...stream, seconds: FIRST_S })
  await second.printed(/window\n/)
  const grownKb = (await memory()) - before
  await Promise.all([first.end(), second.end(), process.end()])
  return grownKb / crowd.clients
}

/** CPU seconds that processes use within a span of seconds; a decoder whose song ends meanwhile doesn't count. */
async function cpuOver(spanS: number, pids: number[]): Promise<number> {
  const used = () =>
    Promise.all(
      pids.map((pid) =>
        usageOf(pid).then(
          ({ cpuS }) => cpuS,
          () => null,
        ),
      ),
    )
  const before = await used()
  await new Promise((resolve) => setTimeout(resolve, spanS * 1000))
  const after = await used()
  return before.reduce<number>((sum, cpuS, i) => sum + (cpuS === null ? 0 : (after[i] ?? cpuS) - cpuS), 0)
}

export async function startFloor(
  run: Teardown,
  kind: string,
): Promise<{ url: string; pid: number; process: Process }> {
  const floor = start(run, 'node', ['--import', 'tsx', 'tools/bench/air/floor.ts', kind])
  const output = await floor.printed(/listening on \d+/)
  const port = /listening on (\d+)/.exec(output)![1]
  return { url: `http://127.0.0.1:${port}`, pid: floor.child.pid!, process: floor }
}
