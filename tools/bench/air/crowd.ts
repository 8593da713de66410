import { sleep } from '@solstice/station'
import { childrenOf, type Process, start, type Teardown } from '../../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import { usageOf } from '../usage.ts'
import type { SocketFigures } from './load.ts'
import { figuresOf, startLoad } from './start-load.ts'

/** Each client takes a handle, and processes may have 20 000. */
const MAX_CLIENTS_PER_PROCESS = 10_000
/** As the service has. */
const TURNS = 64
/** The last arrivals are in the roster by then, which is told at most every 10 s. */
const SETTLE_S = 12
const IDLE_S = 4

interface CrowdFigures extends Omit<SocketFigures, 'events'> {
  /** CPU of the server for one event, without what it needs anyway, µs. */
  perEventUs: number
  /** CPU of the server for one client that joins, from its connection on, ms. */
  perJoinMs: number
  /** Growth of a server process per socket of its own. */
  kbPerSocket: number
}

interface Crowd {
  sockets: number
  processes: number
  /** Time in which all of them join. */
  joinS: number
  seconds: number
}

/** The cost of a crowd and how late it is told, as rows of the report; sizes as they were given on the command line. */
export async function crowdRows(
  t: Teardown,
  given: Record<'sockets' | 'processes' | 'join' | 'seconds', string>,
): Promise<[name: string, ...cells: string[]][]> {
  const { floor, inTurns, service } = await measureCrowd(t, {
    ...{ sockets: Number(given.sockets), processes: Number(given.processes) },
    ...{ joinS: Number(given.join), seconds: Number(given.seconds) },
  })
  const ratio = (of: (one: CrowdFigures) => number) =>
    `${(of(service) / of(floor)).toFixed(2)} × io.emit, ${(of(service) / of(inTurns)).toFixed(2)} × in turns`
  const late = Object.entries({ 'io.emit': floor, 'in turns': inTurns, service }).flatMap(
    ([name, figures]): [string, string][] => [
      [`${name}: jitter p50 / p99`, `${figures.jitterMs.join(' / ')} ms`],
      [`${name}: delay p50 / p99`, `${figures.delayMs.join(' / ')} ms`],
      [`${name}: first event p50 / p99`, `${figures.firstEventMs.join(' / ')} ms`],
      [`${name}: longest wait in the join`, `${figures.longestWaitMs} ms`],
    ],
  )
  return [
    ['connected, lost', `${service.connected}, ${service.lost}`],
    ['CPU per event', `${service.perEventUs.toFixed(1)} µs`, ratio(({ perEventUs }) => perEventUs)],
    ['CPU per join', `${service.perJoinMs.toFixed(2)} ms`, ratio(({ perJoinMs }) => perJoinMs)],
    ['memory per socket', `${service.kbPerSocket.toFixed(1)} KB`, `${floor.kbPerSocket.toFixed(1)} KB bare`],
    ...late,
  ]
}

/**
 * Measures `sync` to a crowd that joins several processes of the API within a time, beside bare `io.emit` of as many: all at once, and in
 * turns. Of a thousand events at once a client handles many each time it wakes; in turns it sleeps again between two, and whoever sends pays
 * for waking it.
 */
async function measureCrowd(
  t: Teardown,
  crowd: Crowd,
): Promise<Record<'floor' | 'inTurns' | 'service', CrowdFigures>> {
  const { processes } = crowd
  const floor = await joinFloor(t, crowd, 1)
  const inTurns = await joinFloor(t, crowd, TURNS)

  const tones = [
    { name: 'Low', hz: 220, seconds: 300 },
    { name: 'High', hz: 440, seconds: 300 },
  ]
  const station = await prepareStation(t, tones, { DEMO_LIBRARY: 'false' })
  const [api] = await Promise.all([station.startApi(undefined, processes), station.startWorker()])
  return { floor, inTurns, service: await join(t, api.url, api.process, crowd) }
}

async function joinFloor(t: Teardown, crowd: Crowd, turns: number): Promise<CrowdFigures> {
  const sizes = [crowd.processes, turns].map(String)
  const bare = start(t, 'node', ['--import', 'tsx', 'tools/bench/air/floor.ts', 'sockets', ...sizes])
  const ports = await bare.printed(new RegExp('listening on \\d+\\n'.repeat(crowd.processes)))
  const figures = await join(t, `http://127.0.0.1:${/\d+/.exec(ports)![0]}`, bare, crowd)
  await bare.end()
  return figures
}

async function join(t: Teardown, url: string, server: Process, crowd: Crowd): Promise<CrowdFigures> {
  const { sockets, joinS, seconds } = crowd
  const own = server.child.pid!
  const pids = [own, ...(await childrenOf(own)).map(({ pid }) => pid)]
  const usage = async () => {
    const all = await Promise.all(pids.map(usageOf))
    return {
      cpuS: all.reduce((sum, { cpuS }) => sum + cpuS, 0),
      rssKb: all.reduce((sum, { rssKb }) => sum + rssKb, 0),
    }
  }
  const generators = Math.ceil(sockets / MAX_CLIENTS_PER_PROCESS)
  const each = (whole: number) => Math.ceil(whole / generators)
  const early = await usage()
  await sleep(IDLE_S * 1000)
  const idle = await usage()
  const anywayS = ((idle.cpuS - early.cpuS) / IDLE_S) * seconds
  const sizes = { clients: each(sockets), rate: each(sockets / joinS), settle: SETTLE_S, seconds }
  const loads = Array.from({ length: generators }, () => startLoad(t, { kind: 'sockets', url, ...sizes }))
  await Promise.all(loads.map((load) => load.printed(/window\n/)))
  const joined = await usage()
  await Promise.all(loads.map((load) => load.printed(/\{.*\}\n/)))
  const after = await usage()
  const figures = await Promise.all(loads.map((load) => figuresOf<SocketFigures>(load)))

  const sum = (of: (one: SocketFigures) => number) => figures.reduce((total, one) => total + of(one), 0)
  const worst = (of: (one: SocketFigures) => [number, number]): [number, number] => [
    Math.max(...figures.map((one) => of(one)[0])),
    Math.max(...figures.map((one) => of(one)[1])),
  ]
  return {
    connected: sum((one) => one.connected),
    lost: sum((one) => one.lost),
    jitterMs: worst((one) => one.jitterMs),
    delayMs: worst((one) => one.delayMs),
    firstEventMs: worst((one) => one.firstEventMs),
    longestWaitMs: Math.max(...figures.map((one) => one.longestWaitMs)),
    perEventUs: ((after.cpuS - joined.cpuS - anywayS) / sum((one) => one.events)) * 1e6,
    perJoinMs: ((joined.cpuS - idle.cpuS) / sockets) * 1000,
    kbPerSocket: (after.rssKb - idle.rssKb) / sockets,
  }
}
