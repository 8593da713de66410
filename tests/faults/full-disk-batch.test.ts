import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { Failure, type JobResult } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { inForm } from '../harness/long-form.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { MB, putEverythingOn, type SmallDisk, smallDisk, withDisks } from '../harness/processes/small-disk.ts'
import { openApp } from '../harness/stations/app.ts'
import { startJobsOn, watchedStore } from '../harness/stations/watched-jobs.ts'
import { until } from '../harness/until.ts'

const SONGS = 30
const SONG_BYTES = 20_000
/** Moments of the batch at which its disk becomes full, spread over all its calls to stores. */
const MOMENTS = inForm({ short: 2, long: 15 })
const actor = { adminId: '5b0ab4a4-2f3c-4c3e-9d7a-b0e0a4b6a111', login: 'helper' }

type On = Awaited<ReturnType<typeof openFilling>>

/** A station with its jobs whose disk becomes full at any call to its stores. */
async function openFilling(t: Test, disk: SmallDisk, env: Record<string, string>) {
  let attempts = 0
  const log = pino(
    { level: 'warn' },
    new Writable({
      write(line, _, done) {
        if (/job deferred|job queue failed/.test(String(line))) attempts++
        done()
      },
    }),
  )
  const station = await openApp(t, { DATA_PROVIDER: 'json', MEDIA_STORAGE: 'local', ...env }, log)
  const { ports } = station
  const { data, media } = ports
  let calls = 0
  let fullAt = Number.POSITIVE_INFINITY
  const watched = <T extends object>(store: T): T =>
    watchedStore(store, () => {
      if (++calls === fullAt) disk.fill()
    })
  const collections = { tracks: watched(data.tracks), audit: watched(data.audit) }
  await startJobsOn(t, ports, watched(media), collections)
  return {
    ...ports,
    station,
    /** Calls to stores so far. */
    calls: () => calls,
    /** Attempts of jobs that were given up. */
    attempts: () => attempts,
    fillAfter(count: number) {
      fullAt = calls + count
    },
    isFull: () => calls >= fullAt,
  }
}

const bytesOf = (name: string, i: number) => Buffer.alloc(SONG_BYTES, `${name} ${i} `)

async function addSongs({ station, data }: On, name: string): Promise<string[]> {
  const ids = Array.from({ length: SONGS }, (_, i) => `day/${name} ${i}.mp3`)
  for (const [i, id] of ids.entries()) {
    await station.addTrack(id, bytesOf(name, i))
    await data.waveforms.put({ trackId: id, peaks: '' })
  }
  return ids
}

const nightOf = (id: string) => id.replace('day/', 'night/')

const move = ({ jobs }: On, songIds: string[]) =>
  jobs.perform('move-tracks', { songIds, targetMode: 'night', scope: 'library', actor })

const moves = async ({ jobs }: On) => (await jobs.board({ queue: 'changes', offset: 0, limit: 50 }))[0]!

const allDone = (on: On) =>
  until('the batch has ended', async () => {
    const { waiting, active, delayed } = (await moves(on)).counts
    return waiting + active + delayed === 0
  })

/** The bytes of each song by the ids of their records; null for a record without its file. */
async function songsIn({ data, media }: On, name: string): Promise<Map<string, Buffer | null>> {
  const records = (await data.tracks.find()).filter(({ id }) => id.includes(`/${name} `))
  const read = async (key: string) => readFile(await media.source(key)).catch(() => null)
  return new Map(
    await Promise.all(records.map(async ({ id, storageKey }) => [id, await read(storageKey)] as const)),
  )
}

/** Every song has one record, with its own file. */
async function assertNothingLost(t: Test, on: On, name: string, ids: string[]): Promise<string[]> {
  const songs = await songsIn(on, name)
  t.equal(songs.size, SONGS, 'as many songs as before')
  const at = ids.map((id) => (songs.has(id) ? id : nightOf(id)))
  const lost = at.filter((id, i) => !songs.get(id)?.equals(bytesOf(name, i)))
  t.same(lost, [], 'each is there, with its sound')
  return at
}

/** Fills the disk in the middle of a batch, makes room after it was tried in vain, and holds what is left against what was told. */
async function testRound(t: Test, on: On, disk: SmallDisk, name: string, fillAfter: number) {
  const { data, media, redis } = on
  const ids = await addSongs(on, name)
  const [attempts, { counts }] = [on.attempts(), await moves(on)]
  on.fillAfter(fillAfter)
  let isTold = false
  const told = move(on, ids)
    .catch((error: unknown) => error)
    .finally(() => {
      isTold = true
    })
  await until('the disk is full', () => on.isFull() || isTold)
  await until('the batch was tried again in vain, or has ended', () => isTold || on.attempts() > attempts + 1)
  await assertNothingLost(t, on, name, ids)

  disk.free()
  const answer = (await told) as JobResult<'move-tracks'> | Failure
  await allDone(on)
  const isRefused = answer instanceof Failure && answer.code === 'DATA_UNAVAILABLE'
  if (answer instanceof Error && !isRefused) t.match(answer, { code: 'JOBS_UNAVAILABLE' }, 'or it goes on')
  const board = await moves(on)
  t.equal(board.counts.failed - counts.failed, isRefused ? 1 : 0, 'what was begun does not fail')
  const results = answer instanceof Error ? ids.map(() => !isRefused) : answer.results.map(({ ok }) => ok)
  const expected = ids.map((id, i) => (results[i] ? nightOf(id) : id))
  t.same(await assertNothingLost(t, on, name, ids), expected, 'each song is where it was said to be')

  const moved = expected.filter((id) => id.startsWith('night/'))
  const ours = (keys: string[]) => keys.filter((key) => key.includes(`/${name} `))
  const files = ours([...(await media.list('day')), ...(await media.list('night'))])
  t.same(files, [...expected].sort(), 'files and records agree')
  const audit = (await data.audit.find()).filter((entry) => JSON.stringify(entry.data).includes(`"${name} `))
  t.equal(audit.length, moved.length, 'each move is in the log once')
  const waveforms = (await data.waveforms.find()).map(({ trackId }) => trackId)
  t.same(ours(waveforms).sort(), [...expected].sort(), 'what was measured went along')
  t.same(await redis.keys('solstice:lease:*'), [], 'nothing is left leased')
  if (isRefused)
    t.ok(
      (await move(on, ids)).results.every(({ ok }) => ok),
      'asked again, it is done',
    )
  const outcome = isRefused ? 'refused' : answer instanceof Error ? 'went on unseen' : `${moved.length} moved`
  t.comment(`full after ${fillAfter} calls, ${on.attempts() - attempts} attempts in vain: ${outcome}`)
}

/** Fills the disk at moments that are spread over the whole batch. */
async function testMoments(t: Test, on: On, disk: SmallDisk) {
  const before = on.calls()
  const counted = await addSongs(on, 'counted')
  t.ok(
    (await move(on, counted)).results.every(({ ok }) => ok),
    'with room all songs are moved',
  )
  const calls = on.calls() - before
  for (let i = 1; i <= MOMENTS; i++)
    await testRound(t, on, disk, `round ${i}`, Math.ceil((calls * i) / (MOMENTS + 1)))
}

await withDisks(t, import.meta.filename, () => {
  t.test('records and music on a disk that becomes full while a batch runs', async (t) => {
    const disk = await smallDisk(t, 32 * MB)
    const env = { DATA_DIR: join(disk.folder, 'data'), MEDIA_DIR: join(disk.folder, 'media') }
    await testMoments(t, await openFilling(t, disk, env), disk)
  })

  t.test('Redis, records and music on a disk that becomes full while a batch runs', async (t) => {
    const disk = await smallDisk(t, 64 * MB)
    putEverythingOn(t, disk)
    await testMoments(t, await openFilling(t, disk, {}), disk)
  })

  t.test('the music of the other mode on a disk that becomes full while a batch runs', async (t) => {
    const media = join(await temporaryFolder(t), 'media')
    const disk = await smallDisk(t, 32 * MB, join(media, 'music/night'))
    await testMoments(t, await openFilling(t, disk, { MEDIA_DIR: media }), disk)
  })
})
