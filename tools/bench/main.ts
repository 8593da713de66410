import { parseArgs } from 'node:util'
import { SUPER_ADMIN } from '../../tests/harness/people/admin.ts'
import { logIn } from '../../tests/harness/people/uploads.ts'
import { childrenOf, type Process, start, type Teardown } from '../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../tests/harness/stations/station.ts'
import { measureAdmin } from './admin.ts'
import { type ChangeFigures, makingRow, measureChanges } from './changes.ts'
import { crowdRows } from './crowd.ts'
import { measureData, TRACKS } from './data.ts'
import { engineRows } from './engine.ts'
import { measureFirstPaint } from './first-paint.ts'
import { measureHls } from './hls.ts'
import { measureInStep } from './in-step.ts'
import { LIBRARY_TRACKS, measureLibrary } from './library.ts'
import type { SocketFigures, StreamFigures } from './load.ts'
import { measureMicrophones } from './microphones.ts'
import { measurePanel } from './panel.ts'
import { measureUploads, UPLOAD_MB } from './uploads.ts'
import { usageOf } from './usage.ts'

// `npm run bench`: the real service under load, each figure beside the floor of the same run, since machines differ and other programs
// run. With a part as argument only that one is measured; the last six take minutes, nginx,
// PulseAudio or Chromium, and are left out else.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    listeners: { type: 'string', default: '1000' },
    sockets: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '2' },
    uploads: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '10' },
    latency: { type: 'string', default: '150' },
    processes: { type: 'string', default: '2' },
    join: { type: 'string', default: '60' },
  },
})
const { rate, seconds } = values
const windowS = Number(seconds)

const ends: (() => unknown)[] = []
const run: Teardown = { teardown: (end) => void ends.unshift(end) }
process.once('SIGINT', () => finish(130))
process.once('SIGTERM', () => finish(143))
try {
  const [part] = positionals
  if (part === undefined) await measureAir()
  if (part === undefined || part === 'microphones') await tellMicrophones()
  if (part === undefined || part === 'admin') await tellAdmin()
  if (part === undefined || part === 'data') await tellData()
  if (part === undefined || part === 'changes') tellChanges()
  if (part === undefined || part === 'library') await tellLibrary()
  if (part === undefined || part === 'uploads') await tellUploads()
  if (part === 'sync') for (const cells of await crowdRows(run, { ...values, seconds })) row(...cells)
  if (part === 'first-paint') await tellFirstPaint()
  if (part === 'engine') for await (const cells of engineRows(run)) row(...cells)
  if (part === 'panel') await tellPanel()
  if (part === 'hls') await tellHls()
  if (part === 'in-step') await tellInStep()
  await finish(0)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  await finish(1)
}

async function measureAir(): Promise<void> {
  say(
    `${values.listeners} listeners, ${values.sockets} sockets; the best of ${values.rounds} windows of ${windowS} s`,
  )
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
  const bare = await startFloor('stream')
  const { floor, plain, titled } = await interleaved({
    floor: () => underLoad<StreamFigures>('stream', bare.url, bare.pid),
    plain: () => underLoad<StreamFigures>('stream', stream, apiPid),
    titled: () => underLoad<StreamFigures>('stream', stream, apiPid, ['--titles']),
  })
  await bare.process.end()
  const cpu = (load: Load<StreamFigures>) => ((load.cpuS / windowS) * 100 * 1000) / load.figures.connected
  row('bare socket.write', `${cpu(floor).toFixed(2)} %`)
  row('service, plain', `${cpu(plain).toFixed(2)} %`, ratio(cpu(plain), cpu(floor)))
  row('service, with titles', `${cpu(titled).toFixed(2)} %`, `${ratio(cpu(titled), cpu(plain))} of plain`)
  row('memory per listener', `${(plain.grownKb / plain.figures.connected).toFixed(1)} KB`)
  row('plain: least reserve', `${plain.figures.leastReserveMs} ms`)
  for (const [name, { figures }] of Object.entries({ plain, titled })) {
    row(`${name}: first byte p50 / p99`, `${figures.firstByteMs.join(' / ')} ms at ${rate} joins a second`)
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
  const sizes = await Promise.all(pids.map(usageOf))
  const totalKb = sizes.reduce((sum, { rssKb }) => sum + rssKb, 0)
  row('memory', `${Math.round(totalKb / 1024)} MB in ${pids.length} processes`)

  heading('sync, CPU in µs per event, of the service without what it needs anyway')
  const emitter = await startFloor('sockets')
  const { bareEmit, sync } = await interleaved({
    bareEmit: () => underLoad<SocketFigures>('sockets', emitter.url, emitter.pid),
    sync: () => underLoad<SocketFigures>('sockets', api.url, apiPid),
  })
  await emitter.process.end()
  const perEvent = ({ cpuS, figures }: Load<SocketFigures>, anywayS = 0) =>
    ((cpuS - anywayS) / figures.events) * 1e6
  row('bare io.emit', `${perEvent(bareEmit).toFixed(1)} µs`)
  row('service', `${perEvent(sync, idleS).toFixed(1)} µs`, ratio(perEvent(sync, idleS), perEvent(bareEmit)))
  row('memory per socket', `${(sync.grownKb / sync.figures.connected).toFixed(1)} KB`)
  for (const [name, { figures }] of Object.entries({ 'io.emit': bareEmit, service: sync })) {
    row(`${name}: jitter p50 / p99`, `${figures.jitterMs.join(' / ')} ms`)
    row(`${name}: delay p50 / p99`, `${figures.delayMs.join(' / ')} ms`)
  }
}

async function tellMicrophones(): Promise<void> {
  heading('Microphones, in pieces of 100 ms: median and largest')
  const figures = await measureMicrophones(run, 10)
  row('from the mouth to the encoder', `${figures.mouthToEncoderMs.join(' / ')} ms`)
  row('from a piece to the encoder', `${figures.sentToEncoderMs.join(' / ')} ms`)
  row('from a piece to its chunk', `${figures.sentToPublishedMs.join(' / ')} ms`)
  const { musicCpu, cpuPerMicrophone } = figures
  row('music alone', `${(musicCpu * 100).toFixed(2)} % of one core`)
  row(
    'each microphone',
    `${(cpuPerMicrophone * 100).toFixed(2)} %`,
    `${ratio(cpuPerMicrophone, musicCpu)} of that`,
  )
}

async function tellHls(): Promise<void> {
  const listeners = values.listeners === '1000' ? 20_000 : Number(values.listeners)
  heading(`${listeners} listeners of HLS, two mounts, nginx before two replicas`)
  const figures = await measureHls(run, listeners, Math.max(windowS, 24))
  const percent = (part: number) => `${(part * 100).toFixed(2)} % of one core`
  const { answeredPerS, wantedPerS, failed, megabytesPerS } = figures
  row('answered by nginx', `${answeredPerS.toFixed(0)} /s`, `of ${wantedPerS.toFixed(0)} /s`)
  row('failed, sent', `${failed}`, `${megabytesPerS.toFixed(0)} MB/s`)
  row('asked of the replicas', `${figures.originPerS.toFixed(2)} /s and mount`)
  row('both replicas, idle', percent(figures.idleCpu))
  row('both replicas, under load', percent(figures.originCpu))
  row('nginx', percent(figures.nginxCpu))
}

async function tellAdmin(): Promise<void> {
  heading('Admin replies about 10 000 tracks, beside JSON.stringify of the same reply')
  for (const { path, bytes, coldMs, warmMs, stringifyMs } of await measureAdmin(run)) {
    const size = `${(bytes / 1024).toFixed(0)} KB`
    row(
      path.split('?')[0]!,
      `${warmMs.toFixed(2)} ms`,
      ratio(warmMs, stringifyMs),
      `${coldMs.toFixed(1)} ms cold`,
      size,
    )
  }
}

async function tellData(): Promise<void> {
  heading(`Memory with ${TRACKS.toLocaleString('en')} tracks: in PostgreSQL, and beside it in files`)
  const { json, sql } = await measureData(run)
  const what = {
    load: 'first reading',
    insert: 'a track more',
    update: 'a track changed',
    list: 'all tracks',
    listAnew: 'half of them, after a change',
    note: 'an entry more of a ledger of 120 000',
    noted: 'that entry in another process',
  } as const
  for (const [name, title] of Object.entries(what) as [keyof typeof what, string][]) {
    const beside = `${json[name].toFixed(2)} ms in files`
    row(title, `${sql[name].toFixed(2)} ms`, ratio(sql[name], json[name]), beside)
  }
}

function tellChanges() {
  const sizes = [1_000, 10_000, 100_000]
  const [small, ...larger] = sizes.map(measureChanges)
  heading(
    `A change of the air, with ${sizes.map((size) => size.toLocaleString('en')).join(', ')} tracks a mode`,
  )
  for (const [i, change] of small!.entries()) {
    const all = [change, ...larger.map((figures) => figures[i]!)]
    const cells = (of: (figures: ChangeFigures) => number, digits: number) =>
      all.map((figures) => of(figures).toFixed(digits)).join(' / ')
    row(
      change.name,
      `${cells(({ bytes }) => bytes / 1024, 1)} KB`,
      `worker ${cells(({ workerMs }) => workerMs, 2)} ms`,
      `replica ${cells(({ replicaMs }) => replicaMs, 2)} ms`,
      ratio(all.at(-1)!.bytes, change.bytes),
    )
  }
  row(...makingRow(sizes))
}

async function tellLibrary() {
  heading(`Pages of ${LIBRARY_TRACKS.toLocaleString('en')} tracks, CPU beside a bare search of their names`)
  const { floorMs, figures } = await measureLibrary(run)
  row('bare search', `${floorMs.toFixed(1)} ms`)
  for (const { name, cpuMs, blockedMs } of figures)
    row(name, `${cpuMs.toFixed(1)} ms`, ratio(cpuMs, floorMs), `at most ${blockedMs.toFixed(1)} ms at a time`)
}

async function tellFirstPaint(): Promise<void> {
  heading('First visits on a slow device (CPU / 4) and line (slow 4G)')
  const { paints, load } = await measureFirstPaint(run)
  for (const { device, fcpMs, lcpMs, shift, onlineMs, kilobytes } of paints)
    row(
      device,
      `FCP ${fcpMs.toFixed(0)} ms`,
      `LCP ${lcpMs.toFixed(0)} ms`,
      `CLS ${shift.toFixed(4)}`,
      `live ${onlineMs.toFixed(0)} ms, ${kilobytes.toFixed(0)} KB`,
    )
  const { perSecond, p99Ms, apiCpu } = load
  row(
    'pages',
    `${perSecond.toFixed(0)}/s`,
    `p99 ${p99Ms.toFixed(0)} ms`,
    `${apiCpu.toFixed(1)} % of a core per 100/s`,
  )
}

async function tellPanel(): Promise<void> {
  heading(`The panel with ${LIBRARY_TRACKS.toLocaleString('en')} tracks on a slow device (CPU / 4)`)
  for await (const { name, p75Ms, maxMs, frameMs, cpuMs } of measurePanel(run))
    row(
      name,
      `to the next paint ${p75Ms.toFixed(0)} / ${maxMs.toFixed(0)} ms`,
      `longest frame ${frameMs.toFixed(0)} ms`,
      `CPU ${cpuMs.toFixed(0)} ms`,
    )
}

async function tellUploads(): Promise<void> {
  heading(`Uploads of ${UPLOAD_MB} MB, MB/s beside copies of as many files`)
  const station = await prepareStation(run, [], { STREAM_MODE: 'false', ...SUPER_ADMIN })
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const token = await logIn(api.url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
  const service = { url: api.url, pid: api.process.child.pid!, token }
  for (const count of new Set([1, Number(values.uploads)])) {
    const { copiedPerS, uploadedPerS, grownKb } = await measureUploads(run, service, count)
    row(
      `${count} at once`,
      `${uploadedPerS.toFixed(0)} MB/s`,
      ratio(uploadedPerS, copiedPerS),
      `${Math.round(grownKb / 1024)} MB above idle`,
    )
  }
}

async function tellInStep() {
  const [minutes, latencyMs] = [Number(values.minutes), Number(values.latency)]
  heading(`Two browsers in sync mode, ${minutes} minutes; one output is slower, by about ${latencyMs} ms`)
  const figures = await measureInStep(run, minutes, latencyMs)
  const { p50Ms, p95Ms, maxMs, offsets, jumps, dropouts, changes, cpu, starved } = figures
  row('offset p50 / p95 / largest', `${[p50Ms, p95Ms, maxMs].map((ms) => ms.toFixed(2)).join(' / ')} ms`)
  row('windows, changes of track', `${offsets.length}, ${changes}`)
  row('jumps, dropouts', `${jumps}, ${dropouts}`)
  row('timers, latest', `${figures.worstTimerMs.toFixed(0)} ms, ${figures.lateTimers} over 500 ms`)
  row('underruns of the sound server', String(figures.underruns))
  row('machine short of CPU', starved === null ? 'unknown' : `${(starved * 100).toFixed(0)} % of the time`)
  row('CPU of a browser in step', `${(cpu.inStep * 100).toFixed(1)} % of one core`)
  row('CPU with an element', `${(cpu.plain * 100).toFixed(1)} % of one core`, ratio(cpu.inStep, cpu.plain))
  if (process.env.BENCH_OFFSETS) for (const { atS, ms } of offsets) say(`${atS.toFixed(1)}\t${ms.toFixed(3)}`)
}

interface Load<F> {
  figures: F
  /** CPU time of the server within the window. */
  cpuS: number
  /** Growth of the server from before the first client to the end of the window. */
  grownKb: number
}

/** Alternates candidates and references, so that other load affects both alike; the cheapest round of each counts. */
async function interleaved<F, K extends string>(
  measures: Record<K, () => Promise<Load<F>>>,
): Promise<Record<K, Load<F>>> {
  const best = {} as Record<K, Load<F>>
  const names = Object.keys(measures) as K[]
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of names) {
      const load = await measures[name]()
      const grownKb = Math.max(load.grownKb, best[name]?.grownKb ?? 0)
      best[name] = { ...(best[name] && best[name].cpuS < load.cpuS ? best[name] : load), grownKb }
    }
  }
  return best
}

async function underLoad<F>(
  kind: 'stream' | 'sockets',
  url: string,
  serverPid: number,
  more: string[] = [],
): Promise<Load<F>> {
  const clients = kind === 'stream' ? values.listeners : values.sockets
  const args = ['--kind', kind, '--url', url, '--clients', clients, '--rate', rate, '--seconds', seconds]
  const idle = await usageOf(serverPid)
  const load = start(run, 'node', ['--import', 'tsx', 'tools/bench/load.ts', ...args, ...more])
  await load.printed(/window\n/)
  const before = await usageOf(serverPid)
  const output = await load.printed(/\{.*\}\n/)
  const after = await usageOf(serverPid)
  await load.exited
  return {
    figures: JSON.parse(/\{.*\}/.exec(output)![0]) as F,
    cpuS: after.cpuS - before.cpuS,
    grownKb: after.rssKb - idle.rssKb,
  }
}

/** CPU seconds that processes use within a span of seconds. */
async function cpuOver(spanS: number, pids: number[]): Promise<number> {
  const total = async () => (await Promise.all(pids.map(usageOf))).reduce((sum, { cpuS }) => sum + cpuS, 0)
  const before = await total()
  await new Promise((resolve) => setTimeout(resolve, spanS * 1000))
  return (await total()) - before
}

async function startFloor(kind: string): Promise<{ url: string; pid: number; process: Process }> {
  const floor = start(run, 'node', ['--import', 'tsx', 'tools/bench/floor.ts', kind])
  const output = await floor.printed(/listening on \d+/)
  const port = /listening on (\d+)/.exec(output)![1]
  return { url: `http://127.0.0.1:${port}`, pid: floor.child.pid!, process: floor }
}

async function finish(code: number): Promise<void> {
  for (const end of ends.splice(0)) await end()
  process.exit(code)
}

function ratio(value: number, reference: number): string {
  return `${(value / reference).toFixed(2)} ×`
}

function heading(text: string) {
  say(`\n${text}`)
}

function row(name: string, ...cells: string[]) {
  say(`  ${name.padEnd(30)} ${cells.map((cell) => cell.padEnd(12)).join(' ')}`.trimEnd())
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}
