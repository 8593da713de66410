import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { FrameChunk, MountId } from '@solstice/station'
import { pino } from 'pino'
import type { Test } from 'tap'
import { makeTone } from '../audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../people/admin.ts'
import { watchMachine } from '../processes/machine-speed.ts'
import { startRedis, temporaryFolder } from '../processes/processes.ts'
import { openLine } from '../servers/line.ts'
import { startPostgres } from '../servers/postgres.ts'
import { openPaymentServices } from '../servers/services/payment-services.ts'
import { until } from '../until.ts'
import { type OpenApp, openApp } from './app.ts'
import { chunksApart } from './heard.ts'
import { playSegments } from './players/segments.ts'
import { mustBeWhole } from './station.ts'
import { startAir, startJobs } from './workers.ts'

export const SONGS = 8
const SONG_S = 4

/** Two replicas on PostgreSQL and Redis; the first one reaches both over lines that can fail. Its worker is on air. */
export async function openOnLines(t: Test) {
  const [server, redis, services, tones] = await Promise.all([
    startPostgres(t),
    startRedis(t),
    openPaymentServices(t),
    temporaryFolder(t),
  ])
  /** One replica, and its worker, reach PostgreSQL and Redis over connections that can fail. */
  const [toPostgres, toRedis] = await Promise.all([openLine(t, server.port), openLine(t, redis.port)])
  const settings = {
    ...SUPER_ADMIN,
    ...services.env,
    DONATIONS_PROVIDER: 'kofi',
    NIGHT_MODE: 'false',
    STREAM_MODE: 'true',
    STREAM_MOUNTS: 'mp3:64,aac:64,opus:64',
    RADIO_HOSTS_MODE: 'true',
    TRUST_PROXY_HOPS: '1',
    MEDIA_STORAGE: 'local',
    DATA_PROVIDER: 'sql',
    DATABASE_POOL_MAX: '4',
    DATABASE_URL: server.url,
    REDIS_URL: redis.url,
  }
  const through = (url: string, port: number) => url.replace(/:\d+(?=\/|$)/, `:${port}`)
  const said: string[] = []
  const logOf = (who: string) =>
    pino(
      { base: { who } },
      new Writable({
        write(line, _, done) {
          said.push(String(line))
          done()
        },
      }),
    )
  const lines = {
    DATABASE_URL: through(server.url, toPostgres.port),
    REDIS_URL: through(redis.url, toRedis.port),
  }
  const one = await openApp(t, { ...settings, ...lines }, logOf('one'))
  const two = await openApp(t, settings, logOf('two'), one)
  for (let i = 0; i < SONGS; i++) {
    const path = join(tones, `${i}.mp3`)
    await makeTone(path, { hz: 300 + 50 * i, seconds: SONG_S })
    await one.addTrack(`day/${i}.mp3`, await readFile(path), { duration: SONG_S })
  }
  const replicas = [one, two] as const
  const urls = await Promise.all(replicas.map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
  await startJobs(t, two.ports)
  const refusing: Refusing = { nextOf: null }
  const air = await startAir(t, withRefusals(one.ports, refusing))
  const { aac, isWhole, ...sound } = await hear(t, two)
  const segments = playSegments<{ chunks: FrameChunk[] }>(t, urls, {
    [FIRST]: sound,
    'aac-64': { chunks: aac },
  })
  const [{ ask, token }, { ask: askTwo }] = [await asAdmin(one), await asAdmin(two)]
  const { token: moderator } = await asAdmin(one, ['radio_moderator'])
  const { token: skipper } = await asAdmin(one, ['queue_manage'])
  const createGroup = (to: typeof ask, name: string) =>
    to('POST /api/admin/song-groups', { name, mode: 'day', songs: ['day/0.mp3'] })
  return {
    server,
    settings,
    toPostgres,
    toRedis,
    said,
    one,
    two,
    urls,
    air,
    refusing,
    ...sound,
    assertSegmentsWhole: (t: Test) => segments.assertWhole(t, () => isWhole(t)),
    ask,
    askTwo,
    token,
    moderator,
    skipper,
    createGroup,
  }
}

const FIRST = 'mp3-64'
const OTHERS = ['aac-64', 'opus-64'] as const
export const MOUNTS = [FIRST, ...OTHERS] as const

interface Refusing {
  /** The mount whose next chunk can't be written. */
  nextOf: (typeof MOUNTS)[number] | null
}

/** The ports of a worker with a chunk that is refused when `refusing` says so. */
const withRefusals = <P extends OpenApp['ports']>(ports: P, refusing: Refusing): P => ({
  ...ports,
  bus: {
    ...ports.bus,
    async acquireLease(signal: AbortSignal, mounts?: readonly MountId[]) {
      const lease = await ports.bus.acquireLease(signal, mounts)
      return {
        ...lease,
        async publish(chunk: FrameChunk, mount?: MountId) {
          if (refusing.nextOf !== (mount ?? FIRST)) return lease.publish(chunk, mount)
          refusing.nextOf = null
          throw new Error('refused by the test')
        },
      }
    },
  },
})

/** Follows the sound and the songs on air, from the first song on. */
async function hear(t: Test, { ports }: OpenApp) {
  const chunks: FrameChunk[] = []
  const others = OTHERS.map((mount) => ({ mount, chunks: [] as FrameChunk[] }))
  const over = new AbortController()
  const watched = { machine: watchMachine(t), longestAbsenceMs: 0 }
  const hear = async (chunks: FrameChunk[], mount?: MountId) => {
    for await (const chunk of ports.bus.frames(over.signal, mount)) {
      const absenceMs = ports.clock.nowMs() - (chunks.at(-1)?.atMs ?? Number.POSITIVE_INFINITY)
      watched.longestAbsenceMs = Math.max(watched.longestAbsenceMs, absenceMs)
      chunks.push(chunk)
    }
  }
  const hearing = Promise.all([hear(chunks), ...others.map(({ chunks, mount }) => hear(chunks, mount))])
  t.teardown(() => {
    over.abort()
    return hearing
  })
  const mounts: { mount: MountId; chunks: FrameChunk[] }[] = [{ mount: FIRST, chunks }, ...others]
  const moreSound = (count: number) => {
    const wanted = mounts.map(({ chunks }) => chunks.length + count)
    return until('more sound of all mounts', () =>
      mounts.every(({ chunks }, i) => chunks.length >= wanted[i]!),
    )
  }
  const isWhole = (t: Test) => mustBeWhole(t, watched)
  /** Fails where a mount breaks off between two chunks, or belongs to no song, from a chunk of the first mount on. */
  const assertSound = (t: Test, from: number, what: string) => {
    if (!isWhole(t)) return
    const { atMs: fromMs } = chunks[from]!
    const flaws = mounts.flatMap(({ mount, chunks }) => {
      const since = chunks.filter(({ atMs }) => atMs >= fromMs)
      const silent = since.filter(({ markers }) => markers.some(({ entryId }) => entryId === null))
      return [...chunksApart(since, mount), ...silent].map(({ frame }) => `${mount}: ${frame}`)
    })
    t.same(flaws, [], what)
  }
  /** Starts of songs, as reported by the air itself. */
  const starts = new Map<number, string>()
  const unfollow = await ports.bus.follow(({ onAir }) => {
    if (onAir.phase === 'track') starts.set(Math.round(onAir.startedAtMs), onAir.entry.track.id)
  })
  t.teardown(unfollow)
  await until('a song is heard', () =>
    chunks.some(({ markers }) => markers.some(({ entryId }) => entryId !== null)),
  )
  return { chunks, aac: others[0]!.chunks, moreSound, isWhole, assertSound, starts }
}
