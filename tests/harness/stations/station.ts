import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { audioTags, openData, openLocalMedia, openMedia, readConfig } from '@solstice/adapters'
import type { ClipFamily } from '@solstice/contracts'
import {
  chunkEndMs,
  clipMedia,
  type DataStore,
  type FrameChunk,
  type MountId,
  reconcile,
} from '@solstice/station'
import { pino } from 'pino'
import type { Test } from 'tap'
import { makeTone } from '../audio/audio.ts'
import { withCover } from '../audio/pictures.ts'
import { watchMachine } from '../processes/machine-speed.ts'
import {
  type Process,
  type RedisServer,
  root,
  start,
  startRedis,
  type Teardown,
  temporaryFolder,
} from '../processes/processes.ts'
import { programOf } from '../processes/programs.ts'
import { dataSettings } from '../servers/postgres.ts'
import { mediaSettings } from '../servers/s3.ts'
import { until, waiting } from '../until.ts'
import { openBus } from './bus.ts'

const OF_TESTS = (process.env.TEST_NODE_OPTIONS ?? '').split(' ').filter(Boolean)

/** A library fixture: a tone of known pitch and length. */
export interface Tone {
  name: string
  hz: number
  /** Hz per second: tells the position by the pitch. */
  rise?: number
  seconds: number
  /** Amplitude in eighths of full scale, 4 by default. */
  volume?: number
  /** Takes half the time to make and to decode. */
  isMono?: boolean
  /** With a variable bit rate. */
  isVariable?: boolean
  mode?: 'day' | 'night'
  /** The picture in its tags. */
  cover?: Buffer
}

export interface Station {
  redis: RedisServer
  env: Record<string, string>
  /** Its data store; the caller closes what it opens. */
  openData(): Promise<DataStore>
  /** Gives it a clip for the day. */
  addClip(family: ClipFamily, filename: string, tone: Omit<Tone, 'name' | 'mode'>): Promise<void>
  /**
   * Starts a replica of the API, on a free port by default; resolves when it is ready for listeners, and all of its processes
   * listen. `own` is environment of this replica alone; `readiness` is asked whether it is ready.
   */
  startApi(
    port?: number,
    processes?: number,
    own?: Record<string, string>,
    readiness?: string,
  ): Promise<{ url: string; process: Process }>
  /** Starts a stream worker; resolves when it runs, on air or standing by. */
  startWorker(): Promise<Process>
  /** Starts a jobs process; resolves when it accepts jobs. */
  startJobs(): Promise<Process>
  /** Starts a monitor in a process of its own; resolves when it runs. */
  startMonitor(): Promise<Process>
}

/**
 * A real station in folders of the test's own: Redis, and any number of processes.
 *
 * @param machine environment of all its processes, Redis included.
 */
export async function prepareStation(
  t: Teardown,
  tones: Tone[],
  settings: Record<string, string> = {},
  machine: Record<string, string> = {},
): Promise<Station> {
  const [redis, folder] = await Promise.all([startRedis(t, machine), temporaryFolder(t)])
  const env = {
    JWT_SECRET: 'only for this test',
    ART_TOKEN_SECRET: 'only for this test too',
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
    HOST: '127.0.0.1',
    NIGHT_MODE: 'false',
    STREAM_MODE: 'true',
    STREAM_BITRATE: '128',
    LYRICS_API_URL: '',
    LOG_LEVEL: 'info',
    ...(await dataSettings(folder, settings)),
    ...(await mediaSettings(folder, settings)),
    ...settings,
  }
  await fillLibrary(env, tones)
  await promisify(execFile)('redis-cli', ['-p', String(redis.port), 'set', 'solstice:reconciled', '1'])
  const startApp = async (
    app: 'api' | 'stream-worker' | 'jobs' | 'jobs/src/monitor',
    isReady: RegExp,
    more: Record<string, string> = {},
  ) => {
    const program = await programOf(
      app === 'jobs/src/monitor' ? `apps/${app}/main.ts` : `apps/${app}/src/main.ts`,
    )
    const process = start(
      t,
      'sh',
      [join(root, 'scripts/run.sh'), program, ...OF_TESTS],
      { ...env, ...more, ...machine },
      'ipc',
    )
    await process.printed(isReady)
    return process
  }
  const log = pino({ level: 'silent' })
  const { config } = readConfig(env)
  return {
    redis,
    env,
    openData: () => openData(config, log),
    async addClip(family, filename, tone) {
      const path = join(folder, `${randomUUID()}.mp3`)
      await makeTone(path, tone)
      const clip = {
        id: randomUUID(),
        family,
        filename,
        nameKey: filename.toLowerCase(),
        mode: 'day',
      } as const
      const [data, media] = [await openData(config, log), await openMedia(config, log)]
      await media.put(clipMedia(clip), await readFile(path))
      await data.clips.insert({ ...clip, used: true, duration: tone.seconds, createdAt: 0 })
      await Promise.all([data.close(), media.close()])
    },
    async startApi(chosen, processes = 1, own = {}, readiness = '/readyz/stream') {
      const listening = new RegExp('Server listening at[^]*'.repeat(processes))
      const more = { PORT: String(chosen ?? 0), API_PROCESSES: String(processes), ...own }
      const process = await startApp('api', listening, more)
      const url = /Server listening at (http:\/\/[\d.:]+)/.exec(process.output)![1]!
      await until('the API is ready for listeners', async () => (await fetch(url + readiness)).ok)
      return { url, process }
    },
    startWorker: () => startApp('stream-worker', /standing by/),
    startJobs: () => startApp('jobs', /taking jobs/),
    startMonitor: () => startApp('jobs/src/monitor', /watching over the station/),
  }
}

async function fillLibrary(env: { JWT_SECRET: string; DATA_DIR: string; MEDIA_DIR: string }, tones: Tone[]) {
  await Promise.all(
    tones.map(async ({ name, mode, cover, ...tone }) => {
      const path = join(env.MEDIA_DIR, 'music', mode ?? 'day', `${name}.mp3`)
      await makeTone(path, { ...tone, title: name, artist: `Artist of ${name}` })
      if (cover) await writeFile(path, withCover(await readFile(path), cover))
    }),
  )
  const log = pino({ level: 'silent' })
  const { config } = readConfig(env)
  const [data, media] = [await openData(config, log), await openLocalMedia(env.MEDIA_DIR)]
  await reconcile({ data, media, tags: audioTags(), confirmTrackCleanup: false, log })
  await data.close()
  if (!config.bucket) return
  const bucket = await openMedia(config, log)
  for (const mode of ['day', 'night'])
    for (const key of await media.list(mode)) await bucket.put(key, await media.open(key))
  await bucket.close()
}

export interface Listening {
  response: IncomingMessage
  /** All bytes received so far. */
  bytes(): Buffer
  /** Resolves when at least this many bytes have arrived. */
  received(count: number): Promise<Buffer>
  stop(): void
}

/** Opens an endless stream as a player does, retrying where there is no sound yet. */
export async function listen(
  t: Teardown,
  url: string,
  headers: Record<string, string> = {},
): Promise<Listening> {
  const chunks: Buffer[] = []
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent: false }, resolve).once('error', reject)
    })
  let response = await open()
  while (response.statusCode === 503) {
    response.resume()
    await once(response, 'close')
    response = await open()
  }
  let length = 0
  const { changed, until } = waiting()
  response.on('error', () => {})
  response.on('close', changed)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    changed()
  })
  t.teardown(() => response.destroy())
  return {
    response,
    bytes: () => Buffer.concat(chunks),
    async received(count) {
      await until(`${count} bytes of the stream`, () => {
        if (length < count && response.destroyed)
          throw new Error(`the stream ended after ${length} of ${count} bytes`)
        return length >= count
      })
      return Buffer.concat(chunks)
    },
    stop: () => response.destroy(),
  }
}

/** Follows a mount of the broadcast, by default the first, as a replica does. */
export async function followBroadcast(t: Teardown, station: Station, mount?: MountId) {
  const { bus, clock, stop } = await openBus(t, readConfig(station.env).config.redis)
  const machine = watchMachine(t)
  const chunks: FrameChunk[] = []
  const beganMs = clock.nowMs()
  let longestAbsenceMs = 0
  const { changed, until } = waiting()
  const following = (async () => {
    for await (const chunk of bus.frames(stop.signal, mount)) {
      const before = chunks.at(-1)
      if (before && before.atMs >= beganMs)
        longestAbsenceMs = Math.max(longestAbsenceMs, clock.nowMs() - chunkEndMs(before))
      chunks.push(chunk)
      changed()
    }
  })()
  t.teardown(async () => {
    stop.abort()
    await following
  })
  return {
    bus,
    clock,
    mount,
    chunks,
    /** Longest time without current sound, by the listener's clock: an upper bound of the time without a lease holder. */
    get longestAbsenceMs() {
      return longestAbsenceMs
    },
    machine,
    /** Resolves after this many more chunks. */
    more(count: number) {
      const wanted = chunks.length + count
      return until(`${count} more chunks`, () => chunks.length >= wanted)
    },
    /** Resolves when the condition holds, checked at each chunk. */
    when: until,
    /** Resolves when the sound of the given station time has arrived. */
    until: (atMs: number) => until(`the sound of ${atMs}`, () => (chunks.at(-1)?.atMs ?? 0) >= atMs),
  }
}

/**
 * True when the sound must have no gap; comments when it need not. On too slow a machine a worker takes over after more than
 * 15 s and does not make up for the missing sound, or a song's sound is not ready when it is due. Neither is a fault of the
 * worker.
 */
export function mustBeWhole(
  t: Test,
  {
    longestAbsenceMs,
    machine,
  }: Pick<Awaited<ReturnType<typeof followBroadcast>>, 'longestAbsenceMs' | 'machine'>,
): boolean {
  const isInTime = longestAbsenceMs < 15_000
  if (!isInTime) t.comment(`too slow a machine: no sound for ${Math.round(longestAbsenceMs)} ms`)
  return machine.isQuick(t) && isInTime
}

/** Splits an ICY body into audio and titles, as players do. */
export function splitIcy(
  body: Buffer,
  interval: number,
): { audio: Buffer; blocks: { at: number; text: string }[] } {
  const audio: Buffer[] = []
  const blocks: { at: number; text: string }[] = []
  let position = 0
  for (let heard = 0; position < body.length; ) {
    const piece = body.subarray(position, position + interval)
    audio.push(piece)
    heard += piece.length
    position += interval
    if (position >= body.length) break
    const length = body[position]! * 16
    if (position + 1 + length > body.length) break
    blocks.push({
      at: heard,
      text: body
        .subarray(position + 1, position + 1 + length)
        .toString()
        .replace(/\0+$/, ''),
    })
    position += 1 + length
  }
  return { audio: Buffer.concat(audio), blocks }
}
