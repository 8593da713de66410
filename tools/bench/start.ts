import { join } from 'node:path'
import { sleep } from '@solstice/station'
import { makeTone } from '../../tests/harness/audio/audio.ts'
import {
  childrenOf,
  freePort,
  type Process,
  start,
  type Teardown,
  temporaryFolder,
} from '../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../tests/harness/stations/station.ts'
import { memoryOf, usageOf } from './usage.ts'

/** What a start has left behind is collected by then. */
const REST_S = 60
const ROUNDS = 5
const MB = 1024

type Row = [name: string, ...cells: string[]]

/** How soon the API answers and a station is on air, beside a bare Node.js; and the memory of processes at rest. As rows of the report. */
export async function startRows(t: Teardown): Promise<Row[]> {
  const tones = [{ name: 'Low', hz: 220, seconds: 120 }]
  const station = await prepareStation(t, tones, { DEMO_LIBRARY: 'false' })
  const [api, worker, jobs] = await Promise.all([
    station.startApi(),
    station.startWorker(),
    station.startJobs(),
  ])
  const own = worker.child.pid!
  const sound = [own, ...(await childrenOf(own)).map(({ pid }) => pid)]
  await sleep(REST_S * 1000)
  const rssOf = async ({ child }: Process) => `${Math.round((await usageOf(child.pid!)).rssKb / MB)} MB`
  const memory: Row[] = [
    ['API at rest', await rssOf(api.process)],
    ['jobs at rest', await rssOf(jobs)],
    ['worker, encoder, decoder', `${Math.round(await memoryOf(sound))} MB`],
  ]

  const bareMs: number[] = []
  const readyMs: number[] = []
  const onAirMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    bareMs.push(await timed(() => start(t, 'node', ['-e', '0']).exited))
    readyMs.push(
      await timed(async () => {
        const replica = await station.startApi()
        return () => replica.process.end()
      }),
    )
    onAirMs.push(await timed(() => goOnAir(t)))
  }
  return [
    ['bare node', `${median(bareMs)} ms`],
    ['API ready', `${median(readyMs)} ms`, `${(median(readyMs) / median(bareMs)).toFixed(1)} × bare node`],
    ['npm start: on air', `${median(onAirMs)} ms`, 'npm, a Redis and all processes included'],
    ...memory,
  ]
}

/** `npm start` in a folder of its own. Everything is built. @returns what ends it. */
async function goOnAir(t: Teardown): Promise<() => Promise<unknown>> {
  const folder = await temporaryFolder(t)
  const own = {
    ...{ DATA_DIR: join(folder, 'data'), MEDIA_DIR: join(folder, 'media'), PORT: String(await freePort()) },
    ...{ STREAM_MODE: 'true', NIGHT_MODE: 'false', DEMO_LIBRARY: 'false', REDIS_URL: '' },
  }
  await makeTone(join(own.MEDIA_DIR, 'music/day/tone.mp3'), { hz: 440, seconds: 60 })
  const station = start(t, 'npm', ['start'], own)
  await station.printed(/Solstice is on air/)
  return () => station.end('SIGTERM')
}

/** Time until it is done, ms; what it returns is called afterwards. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  const end = await act()
  const tookMs = performance.now() - startedMs
  if (typeof end === 'function') await end()
  return tookMs
}

const median = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1]!)
