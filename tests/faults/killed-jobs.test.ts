import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mode } from '@solstice/contracts'
import { lockOf } from '@solstice/playout'
import {
  defaultSettings,
  type JobName,
  type JobQueue,
  type JobResult,
  lyricsKey,
  sleep,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { start, temporaryFolder } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { dataSettings } from '../harness/servers/postgres.ts'
import { mediaSettings } from '../harness/servers/s3.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { startAir, startJobs } from '../harness/stations/workers.ts'
import { until } from '../harness/until.ts'

const ids = Array.from({ length: 80 }, (_, i) => `day/${String(i).padStart(2, '0')}.mp3`)

/** A jobs process that can be killed. */
async function startDoomed(t: Test, { ports: { config }, folder }: OpenApp) {
  return start(t, 'node', [await programOf('apps/jobs/src/main.ts')], {
    JWT_SECRET: config.jwtSecret,
    REDIS_URL: config.redis as string,
    DATA_DIR: config.dataDir,
    MEDIA_DIR: config.mediaDir,
    NIGHT_MODE: 'false',
    DEMO_LIBRARY: 'false',
    LYRICS_API_URL: '',
    ...(await dataSettings(folder, {})),
    ...(await mediaSettings(folder, {})),
  })
}

/** Runs the jobs' next process; as at every start, files and records are compared. */
async function takeOver(t: Test, { ports }: OpenApp) {
  await startJobs(t, ports)
  await ports.jobs.add('reconcile-media', {}, { id: 'reconcile-media' })
}

/** The final result of a job, however long it takes. */
async function answerOf(jobs: JobQueue, name: JobName, id: string): Promise<unknown> {
  for (;;) {
    const job = await jobs.progress(name, id)
    if (job?.state === 'failed') throw new Error(`${name} failed`)
    if (job?.state === 'done') return job.notes
    await sleep(100)
  }
}

const bytesOfTone = async (t: Test) => {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Tagged' })
  return readFile(path)
}

t.test('killed jobs are finished by the next process, as if done once', async (t) => {
  const bytes = await bytesOfTone(t)
  const prepare = async (t: Test) => {
    const station = await openApp(t, { NIGHT_MODE: 'false', DEMO_LIBRARY: 'false' })
    const { data, media } = station.ports
    await Promise.all(ids.map((id) => station.addTrack(id, bytes, { duration: 600 })))
    // One list of all tracks: the next track stays next.
    const value = { ...defaultSettings.generation, USE_ALL_DAY_SONGS: true }
    await data.settings.put({ section: 'generation', value, revision: 1 })
    const air = await startAir(t, station.ports)
    const songIds = ids.filter((id) => lockOf(air.state, id) === null)
    const files = async (mode: Mode) => (await media.list(mode)).length
    const records = async (mode: Mode) => (await data.tracks.find({ mode })).length
    return { ...station, songIds, files, records }
  }
  type Prepared = Awaited<ReturnType<typeof prepare>>
  const moments: Record<string, ['delete-tracks' | 'move-tracks', (station: Prepared) => Promise<boolean>]> =
    {
      'the records are gone': ['delete-tracks', async (s) => (await s.records('day')) === 2],
      'some files are gone': ['delete-tracks', async (s) => (await s.files('day')) < 80],
      'some files are copied': ['move-tracks', async (s) => (await s.files('night')) > 0],
      'the records are moved': ['move-tracks', async (s) => (await s.records('night')) > 0],
    }
  const given = { scope: 'library', actor: { adminId: 'super', login: 'admin' } } as const

  const killWhen = async (t: Test, moment: string) => {
    const [name, isReached] = moments[moment]!
    const station = await prepare(t)
    const { data, media, jobs } = station.ports
    const first = await startDoomed(t, station)
    await first.printed(/taking jobs/)
    const { songIds } = station
    const id =
      name === 'delete-tracks'
        ? await jobs.add(name, { ...given, songIds })
        : await jobs.add(name, { ...given, songIds, targetMode: 'night' })
    await until(moment, () => isReached(station), 1).catch(async (error) => {
      const refused = JSON.stringify((await jobs.progress(name, id))?.notes)
      throw new Error(`${error.message}: ${refused}`)
    })
    await first.end('SIGKILL')
    await takeOver(t, station)
    const { results } = (await answerOf(jobs, name, id)) as JobResult<'delete-tracks'>
    t.equal(results.filter(({ ok }) => ok).length, 78, 'each is answered')
    const records = await data.tracks.find()
    const files = [...(await media.list('day')), ...(await media.list('night'))]
    t.same(records.map((track) => track.id).sort(), files.sort())
    t.equal(files.length, name === 'delete-tracks' ? 2 : 80)
    t.notOk(
      records.some(({ artist }) => artist === 'Tagged'),
      'no record was made anew',
    )
    const operationType = name === 'delete-tracks' ? 'delete_song' : 'edit_song_meta'
    t.equal((await data.audit.find({ operationType })).length, 78)
  }
  // Most of the time each waits for the lock of the killed process to expire.
  t.jobs = 5
  await Promise.all([
    ...Object.keys(moments).map((moment) => t.test(moment, (t) => killWhen(t, moment))),
    t.test('the file has its new tags, the record does not yet', async (t) => {
      const station = await prepare(t)
      const { data, media, jobs, tags } = station.ports
      const songId = station.songIds[0]!
      const { artist, title } = (await data.tracks.get(songId))!
      await data.lyrics.put({
        key: lyricsKey(artist, title),
        synced: false,
        lines: [{ time: 0, text: 'la' }],
      })
      const first = await startDoomed(t, station)
      await first.printed(/taking jobs/)
      const size = (await media.stat(songId))?.size
      const after = { title: 'New', artist: 'Newer', album: 'Newest', year: 2000 }
      const id = await jobs.add('edit-track', { songId, tags: after, actor: given.actor })
      await until('the file has its new tags', async () => (await media.stat(songId))?.size !== size, 1)
      await first.end('SIGKILL')
      await takeOver(t, station)
      t.same(await answerOf(jobs, 'edit-track', id), { songId, isChanged: true })
      t.match(await data.tracks.get(songId), after)
      t.match(await tags.read(await media.source(songId)), after)
      t.equal(await data.lyrics.get(lyricsKey(artist, title)), null)
      t.match(await data.lyrics.get(lyricsKey('Newer', 'New')), { lines: [{ text: 'la' }] })
      const changes = [
        { field: 'title', before: title },
        { field: 'artist' },
        { field: 'album' },
        { field: 'year' },
      ]
      t.match(await data.audit.find(), [{ operationType: 'edit_song_meta', data: { details: { changes } } }])
      t.equal((await data.audit.find()).length, 1)
    }),
  ])
})
