import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { chunkEndMs, type FrameChunk } from '@solstice/station'
import { pino } from 'pino'
import type { Test } from 'tap'
import { makeTone } from '../audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../people/admin.ts'
import { startRedis, temporaryFolder } from '../processes/processes.ts'
import { openLine } from '../servers/line.ts'
import { startPostgres } from '../servers/postgres.ts'
import { openPaymentServices } from '../servers/services/payment-services.ts'
import { until } from '../until.ts'
import { type OpenApp, openApp } from './app.ts'
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
    STREAM_BITRATE: '64',
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
  const refusing = { nextChunk: false }
  const air = await startAir(t, withRefusals(one.ports, refusing))
  const sound = await hear(t, two)
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
    ask,
    askTwo,
    token,
    moderator,
    skipper,
    createGroup,
  }
}

/** The ports of a worker whose next chunk is refused when `refusing` says so. */
const withRefusals = <P extends OpenApp['ports']>(ports: P, refusing: { nextChunk: boolean }): P => ({
  ...ports,
  bus: {
    ...ports.bus,
    async acquireLease(signal: AbortSignal) {
      const lease = await ports.bus.acquireLease(signal)
      return {
        ...lease,
        async publish(chunk: FrameChunk) {
          if (!refusing.nextChunk) return lease.publish(chunk)
          refusing.nextChunk = false
          throw new Error('refused by the test')
        },
      }
    },
  },
})

/** Follows the sound and the songs on air, from the first song on. */
async function hear(t: Test, { ports }: OpenApp) {
  const chunks: FrameChunk[] = []
  const over = new AbortController()
  const hearing = (async () => {
    for await (const chunk of ports.bus.frames(over.signal)) chunks.push(chunk)
  })()
  t.teardown(() => {
    over.abort()
    return hearing
  })
  const moreSound = (count: number, from = chunks.length) =>
    until('more sound', () => chunks.length >= from + count)
  /** Places where the sound breaks off between two chunks, or belongs to no song. */
  const flaws = (from: number) =>
    chunks.slice(from).flatMap((chunk, i, all) => {
      const before = all[i - 1]
      const isNext =
        !before ||
        (chunk.frame === before.frame + before.frames && Math.abs(chunk.atMs - chunkEndMs(before)) < 1)
      const isSong = chunk.markers.every(({ entryId }) => entryId !== null)
      return isNext && isSong ? [] : [chunk.frame]
    })
  /** Starts of songs, as reported by the air itself. */
  const starts = new Map<number, string>()
  const unfollow = await ports.bus.follow(({ onAir }) => {
    if (onAir.phase === 'track') starts.set(Math.round(onAir.startedAtMs), onAir.entry.track.id)
  })
  t.teardown(unfollow)
  await until('a song is heard', () =>
    chunks.some(({ markers }) => markers.some(({ entryId }) => entryId !== null)),
  )
  return { chunks, moreSound, flaws, starts }
}
