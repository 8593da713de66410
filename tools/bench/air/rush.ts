import { once } from 'node:events'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { sleep } from '@solstice/station'
import { start, type Teardown } from '../../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import type { StreamFigures } from './load.ts'
import { figuresOf, startLoad } from './start-load.ts'

/** A link on television: this many come at once. */
const AT_ONCE_PER_S = 2_500
/** Long enough for both crowds to come, and for what is heard after they have left. */
const WATCHED_S = 40
/** A station that has just begun has no burst to give. */
const FIRST_SOUND_S = 12
/** Those who are there have their burst, and are written to at their own pace. */
const SETTLE_S = 12

/** From the moment at which all of a crowd are there, until those who follow have been heard of. */
const LEAVING_MS = 3_000
const NEWCOMER_EVERY_MS = 5

/** Takes half of a core by turns of 5 ms. */
const HALF_A_CORE = `
const spin = () => {
  for (const end = performance.now() + 5; performance.now() < end; );
  setTimeout(spin, 5)
}
spin()`

interface Rush {
  listeners: number
  /** Joins per second. */
  rate: number
}

/**
 * What listeners who are there notice of a crowd that joins, of one that comes within 2 s, and of both leaving at once; and how soon these
 * hear something, while another program takes half of every core. As rows of the report; the same joins at a bare server stand beside them.
 */
export async function rushRows(
  t: Teardown,
  rush: Rush,
  bare: { url: string },
): Promise<[name: string, ...cells: string[]][]> {
  const tones = [{ name: 'Low', hz: 220, seconds: 300 }]
  const station = await prepareStation(t, tones, { DEMO_LIBRARY: 'false' })
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const stream = `${api.url}/api/stream/public.mp3`

  await sleep(FIRST_SOUND_S * 1000)
  const listeners = { kind: 'stream', clients: rush.listeners } as const
  const stay = { settle: SETTLE_S, seconds: WATCHED_S }
  const present = startLoad(t, { ...listeners, ...stay, url: stream, rate: rush.rate })
  await present.printed(/window\n/)
  for (let core = 0; core < availableParallelism(); core++) start(t, 'node', ['-e', HALF_A_CORE])
  const crowd = async (url: string, rate: number) => {
    const load = startLoad(t, { ...listeners, url, rate, settle: 1, seconds: 1 })
    await load.printed(/window\n/)
    const [figures, longestMs] = await Promise.all([figuresOf<StreamFigures>(load), longestWaitMs(url)])
    return { ...figures, longestMs }
  }
  const [floor, joined] = [await crowd(bare.url, rush.rate), await crowd(stream, rush.rate)]
  const [floorAtOnce, atOnce] = [await crowd(bare.url, AT_ONCE_PER_S), await crowd(stream, AT_ONCE_PER_S)]
  const were = await figuresOf<StreamFigures>(present)

  const firstByte = ({ firstByteMs, connected }: StreamFigures) =>
    `${firstByteMs.join(' / ')} ms, ${connected} connected`
  return [
    [`first byte p50 / p99 at ${rush.rate}/s`, firstByte(joined), `bare: ${firstByte(floor)}`],
    [`first byte p50 / p99 at ${AT_ONCE_PER_S}/s`, firstByte(atOnce), `bare: ${firstByte(floorAtOnce)}`],
    [
      `longest wait of a newcomer while ${rush.listeners} leave at once`,
      `${joined.longestMs} and ${atOnce.longestMs} ms`,
      `bare: ${floor.longestMs} and ${floorAtOnce.longestMs} ms`,
    ],
    ['those who were there: least reserve', `${were.leastReserveMs} ms`],
    ['… longest time between two writes', `${were.longestGapMs} ms`],
    ['… lost', `${were.lost} of ${were.connected}`],
  ]
}

/** The longest that any of many wait for their first byte, who come one after another. */
async function longestWaitMs(url: string): Promise<number> {
  const { hostname, port, pathname } = new URL(url)
  let longestMs = 0
  for (const untilMs = performance.now() + LEAVING_MS; performance.now() < untilMs; ) {
    const startedMs = performance.now()
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
    await once(socket, 'data')
    longestMs = Math.max(longestMs, performance.now() - startedMs)
    socket.destroy()
    await sleep(NEWCOMER_EVERY_MS)
  }
  return Math.round(longestMs)
}
