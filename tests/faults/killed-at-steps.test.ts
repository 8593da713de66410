import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { workJobs } from '@solstice/adapters'
import {
  createPartCutter,
  HOUR_MS,
  type JobData,
  type JobName,
  joinHours,
  recordedBetween,
  scheduleDonation,
  sleep,
  storedHours,
  storedParts,
  writePart,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { processorsOf } from '../../apps/jobs/src/processors/index.ts'
import { recordAir } from '../../apps/jobs/src/record-air.ts'
import { handMadeAir } from '../harness/air/hand-made-air.ts'
import { makeTone } from '../harness/audio/audio.ts'
import { ledgerOf, pendingDonation } from '../harness/donations/orders.ts'
import { inForm } from '../harness/long-form.ts'
import { start, temporaryFolder } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { dataSettings } from '../harness/servers/postgres.ts'
import { mediaSettings } from '../harness/servers/s3.ts'
import { startSmtp, type TakenMail } from '../harness/servers/smtp.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { linkTo, makeVideoTool } from '../harness/stations/kinds/video-station.ts'
import { shortDemo, shortPieces } from '../harness/stations/short-demo.ts'
import { startAir } from '../harness/stations/workers.ts'
import { until } from '../harness/until.ts'

const isLong = inForm({ short: false, long: true })
const actor = { adminId: 'super', login: 'admin' }

/** A kind of job, with a station on which it has something to do. */
interface Kind {
  /** The step before which the short form kills it; without one it is killed in the long form only. */
  shortly?: string
  env?(t: Test): Promise<Record<string, string>>
  prepare(t: Test, station: OpenApp): Promise<Work>
}

interface Work {
  /** Asks for the job. @returns its result, whichever process does it. */
  begin(): Promise<() => Promise<unknown>>
  /** Holds what the station has in the end against what the job promises. */
  check(t: Test, result: unknown): Promise<void>
}

/** Adds a job, and waits for its end. */
function job<N extends JobName>({ ports: { jobs } }: OpenApp, name: N, data: JobData<N>): Work['begin'] {
  return async () => {
    const id = await jobs.add(name, data)
    return async () => {
      for (;;) {
        const job = await jobs.progress(name, id)
        if (job?.state === 'failed') throw new Error(`${name} failed`)
        if (job?.state === 'done') return job.notes
        await sleep(100)
      }
    }
  }
}

const toneOf = async (t: Test) => {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Tagged' })
  return readFile(path)
}

/** Two jingles of the day. */
async function addJingles({ ports: { data, media } }: OpenApp) {
  const ids = ['one', 'two']
  for (const id of ids) {
    const filename = `${id}.mp3`
    await media.put(`jingles/day/${filename}`, Buffer.from(id))
    const facts = { duration: 1, used: true, createdAt: 1, nameKey: filename }
    await data.clips.insert({ id, family: 'jingles', filename, mode: 'day', ...facts })
  }
  const seen = async () => ({
    files: [...(await media.list('jingles/day')), ...(await media.list('jingles/night'))],
    records: (await data.clips.find()).map(({ id, mode }) => `${mode} ${id}`).sort(),
    audit: (await data.audit.find()).map(
      ({ operationType, data }) => `${operationType} ${(data as { filename?: string }).filename}`,
    ),
  })
  return { ids, seen, results: { results: ids.map((id) => ({ id, ok: true })) } }
}

const kinds: Record<string, Kind> = {
  'delete-clips': {
    async prepare(_, station) {
      const { ids, seen, results } = await addJingles(station)
      return {
        begin: job(station, 'delete-clips', { family: 'jingles', ids, actor }),
        async check(t, result) {
          t.same(result, results)
          const audit = ids.map((id) => `jingle_delete ${id}.mp3`)
          t.same(await seen(), { files: [], records: [], audit })
        },
      }
    },
  },
  'move-clips': {
    shortly: 'clips.update 1',
    async prepare(_, station) {
      const { ids, seen, results } = await addJingles(station)
      return {
        begin: job(station, 'move-clips', { family: 'jingles', ids, targetMode: 'night', actor }),
        async check(t, result) {
          t.same(result, results)
          const { files, records } = await seen()
          t.same(files, ['jingles/night/one.mp3', 'jingles/night/two.mp3'])
          t.same(records, ['night one', 'night two'])
        },
      }
    },
  },
  'import-video': {
    async env(t) {
      const { tool, journal } = await makeVideoTool(t)
      return { VIDEODOWN_PATH: tool, VIDEO_SITE_HOSTS: '93.184.216.34', JOURNAL: journal }
    },
    async prepare(_, station) {
      const { jobs, media } = station.ports
      const leaving = new AbortController()
      return {
        begin: async () => {
          const data = { url: linkTo('song'), mode: 'day', actor } as const
          const result = jobs.performWhileConnected('import-video', data, leaving.signal)
          return () => result
        },
        async check(t, result) {
          t.match(result, { title: 'Song', artist: 'AC/DC', storageKey: 'day/AC_DC - Song.mp3' })
          t.same(await media.list('.staged/day'), ['.staged/day/AC_DC - Song.mp3'])
        },
      }
    },
  },
  'queue-donation': {
    shortly: 'donations.update 1',
    async prepare(t, station) {
      const { data } = station.ports
      const bytes = await toneOf(t)
      for (const name of ['a', 'b', 'c', 'd'])
        await station.addTrack(`day/${name}.mp3`, bytes, { duration: 600 })
      const air = await startAir(t, station.ports)
      const { onAir } = air.state
      const songId = ['day/a.mp3', 'day/b.mp3'].find(
        (id) => !(onAir.phase === 'track' && JSON.stringify(onAir).includes(id)),
      )!
      const paidAt = station.ports.clock.nowMs()
      await data.donations.put(
        pendingDonation('paid', { songId, status: 'paid', queue: 'due', paidAt, reference: 'x' }),
      )
      return {
        begin: async () => {
          await scheduleDonation(station.ports, 'paid')
          return async () => {
            const isSettled = async () => (await data.donations.get('paid'))?.queue !== 'due'
            await until('the order is settled', isSettled)
            const { jobs } = station.ports
            await until('no job is left', async () =>
              (await jobs.board({ queue: 'donations', offset: 0, limit: 1 })).every(
                ({ counts: { waiting, active, delayed } }) => waiting + active + delayed === 0,
              ),
            )
          }
        },
        async check(t) {
          const { queue, status } = (await data.donations.get('paid'))!
          t.same([status, queue], ['paid', 'queued'])
          const ledger = (await ledgerOf(data, 'paid')).map(({ event }) => event)
          t.same(ledger, ['claimed', 'queued'])
          const audit = (await data.audit.find()).map(({ operationType }) => operationType)
          t.same(audit, ['donation_queue_add'], 'one line in the audit log')
          const orders = JSON.stringify(air.state.playlist).split('"orderId":"paid"').length - 1
          t.equal(orders, 1, 'it is in the queue once')
        },
      }
    },
  },
  'reconcile-media': {
    shortly: 'tracks.insert 2',
    env: async () => ({ MEDIA_STORAGE: 'local', CONFIRM_TRACK_CLEANUP: 'true' }),
    async prepare(t, station) {
      const { config, data, media, redis } = station.ports
      const bytes = await toneOf(t)
      for (const name of ['a', 'b', 'c']) await station.addTrack(`day/${name}.mp3`, bytes)
      await station.addTrack('day/gone.mp3', null)
      for (const name of ['d', 'e', 'f'])
        await writeFile(join(config.mediaDir, 'music/day', `${name}.mp3`), bytes)
      await addJingles(station)
      await media.delete('jingles/day/two.mp3')
      return {
        begin: job(station, 'reconcile-media', {}),
        async check(t) {
          const tracks = (await data.tracks.find()).map(({ id, artist }) => `${id} ${artist}`).sort()
          const known = ['a', 'b', 'c'].map((name) => `day/${name}.mp3 Somebody`)
          t.same(tracks, [...known, ...['d', 'e', 'f'].map((name) => `day/${name}.mp3 Tagged`)])
          t.same((await media.list('day')).length, 6)
          t.same(
            (await data.clips.find()).map(({ id }) => id),
            ['one'],
          )
          t.ok(await redis.exists('solstice:reconciled'), 'a worker may start')
        },
      }
    },
  },
  'send-mail': {
    async env(t) {
      const smtp = await startSmtp(t)
      mailServers.set(smtp.url, smtp.taken)
      const to = { SMTP_FROM: 'Radio <radio@radio.example>', ALARM_EMAILS: 'night@radio.example' }
      return { SMTP_URL: smtp.url, ...to }
    },
    async prepare(_, station) {
      const { data, config } = station.ports
      const atMs = Date.now() - 1_000
      await data.mailMarks.insert({ id: 'station', eventId: 0, attempts: 0, nextAt: atMs })
      const about = {
        alarmId: 1,
        cause: 'silence',
        source: 'station',
        evidence: '9 s',
        beganAt: atMs,
      } as const
      await data.events.insert({ eventId: 'msg_a', type: 'alarm.began', atMs, data: about })
      const taken = mailServers.get(config.mail!.server)!
      return {
        begin: job(station, 'send-mail', {}),
        async check(t) {
          const ids = taken.map(({ headers }) => /message-id: (\S+)/i.exec(headers)?.[1])
          t.ok(ids.length > 0, 'it was sent')
          t.equal(new Set(ids).size, 1, 'a second one is the same to whoever gets it')
          t.match(await data.mailMarks.get('station'), { eventId: 1, attempts: 0 })
        },
      }
    },
  },
  'the hours of the aircheck': {
    shortly: 'media.delete 2',
    env: async () => ({ AIRCHECK_DAYS: '1', STREAM_MODE: 'true' }),
    async prepare(_, station) {
      const { media, clock } = station.ports
      const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS + 60_000
      const air = handMadeAir(128, startMs)
      const cut = createPartCutter({
        last: null,
        partFrames: 38,
        dateOf: (atMs) => atMs,
        describe: () => ({ kind: 'track', title: 'Tide', artist: 'Hilda', speakers: [], order: null }),
      })
      for (let i = 0; i < 6; i++) for (const part of cut(air.chunk(19))) await writePart(media, part)
      const parts = await storedParts(media)
      return {
        begin: async () => async () => {
          const isFree = async () => (await station.ports.redis.exists('solstice:lease:aircheck-hours')) === 0
          await until('the lease of the killed process has expired', isFree)
          if ((await storedParts(media)).length > 0) {
            const stop = recordAir(station.ports)
            await until('the hour is joined', async () => (await storedParts(media)).length === 0)
            await stop()
          }
        },
        async check(t) {
          const [hour, ...others] = await storedHours(media)
          t.same(others, [], 'one hour')
          t.equal(hour!.endFrame - hour!.frame, parts.length * 38)
          t.same(await storedParts(media), [])
          const { pieces } = await recordedBetween(media, startMs, startMs + HOUR_MS)
          const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0)
          t.equal(
            bytes,
            parts.reduce((sum, part) => sum + part.bytes, 0),
          )
          t.same(await joinHours(media, clock.nowMs()), [])
        },
      }
    },
  },
  'demo-library': {
    async prepare(_, station) {
      const { data, media } = station.ports
      return {
        begin: job(station, 'demo-library', {}),
        async check(t) {
          const tracks = await data.tracks.find()
          t.same(tracks.map(({ title }) => title).sort(), shortPieces.map(({ title }) => title).sort())
          const files = [...(await media.list('day')), ...(await media.list('night'))]
          t.same(files.sort(), tracks.map(({ id }) => id).sort())
          t.equal((await data.lyrics.find()).length, 2)
          const artists = await data.artists.find()
          t.ok(artists.every(({ hasArt }) => hasArt))
          t.same(artists.length, new Set(shortPieces.map(({ artist }) => artist)).size)
        },
      }
    },
  },
}

/** What each of the mail servers has taken. */
const mailServers = new Map<string, TakenMail[]>()

/** A jobs process that kills itself before a step; without one it lives. */
async function startDoomed(t: Test, { ports: { config }, folder }: OpenApp, env: object, dieAt: string) {
  const program = await programOf('tests/suites/doomed-jobs.ts')
  const doomed = start(
    t,
    'node',
    [program],
    {
      ...{ JWT_SECRET: config.jwtSecret, REDIS_URL: config.redis as string, LYRICS_API_URL: '' },
      ...{ DATA_DIR: config.dataDir, MEDIA_DIR: config.mediaDir, DEMO_LIBRARY: 'false', NIGHT_MODE: 'false' },
      ...(await dataSettings(folder, {})),
      ...(await mediaSettings(folder, env as Record<string, string>)),
      ...env,
      DIE_AT: dieAt,
    },
    'ipc',
  )
  return doomed
}

/** Lets a job be killed before a step, then done by the next process. @returns the steps that the first one came to. */
async function killBefore(t: Test, kind: Kind, dieAt: string): Promise<string[]> {
  const env = (await kind.env?.(t)) ?? {}
  const station = await openApp(t, { NIGHT_MODE: 'false', DEMO_LIBRARY: 'false', ...env })
  const { begin, check } = await kind.prepare(t, station)
  const doomed = await startDoomed(t, station, env, dieAt)
  await doomed.printed(/taking jobs|killed before/)
  const end = await begin()
  if (dieAt) {
    await doomed.printed(/killed before/)
    await doomed.exited
    const { config, log } = station.ports
    const processors = { ...processorsOf(station.ports), ...shortDemo(station.ports) }
    const next = await workJobs(config.redis, processors, [], log)
    t.teardown(() => next.close())
  }
  await check(t, await end())
  return [...doomed.output.matchAll(/^step (.*)$/gm)].map(([, step]) => step!)
}

t.test('a job that is killed at any step is done once by the next process', async (t) => {
  // Most of the time each waits for the lock of the killed process to expire.
  t.jobs = 8
  await Promise.all(
    Object.entries(kinds).map(([name, kind]) =>
      t.test(name, { skip: !isLong && !kind.shortly }, async (t) => {
        if (!isLong) return void (await killBefore(t, kind, kind.shortly!))
        const steps = await killBefore(t, kind, '')
        t.comment(steps.join(', '))
        for (const step of steps)
          await t.test(`before ${step}`, (t) => killBefore(t, kind, step).then(() => {}))
      }),
    ),
  )
})
