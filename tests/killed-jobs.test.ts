import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Mode } from '@solstice/contracts'
import { lockOf } from '@solstice/playout'
import { type Answer, defaultSettings } from '@solstice/station'
import t, { type Test } from 'tap'
import { type OpenApp, openApp } from './harness/app.ts'
import { makeTone } from './harness/audio.ts'
import { start, temporaryFolder } from './harness/processes.ts'
import { startAir } from './harness/workers.ts'

const ids = Array.from({ length: 80 }, (_, i) => `day/${String(i).padStart(2, '0')}.mp3`)

/** The jobs in a process of their own, until it is killed. */
function startJobsProcess(t: Test, { ports: { config } }: OpenApp) {
  return start(t, 'node', ['--import', 'tsx', 'apps/jobs/src/main.ts'], {
    JWT_SECRET: config.jwtSecret,
    REDIS_URL: config.redisUrl,
    DATA_DIR: config.dataDir,
    MEDIA_DIR: config.mediaDir,
    NIGHT_MODE: 'false',
    DEMO_LIBRARY: 'false',
    LYRICS_API_URL: '',
  })
}

const bytesOfTone = async (t: Test) => {
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Tagged' })
  return readFile(path)
}

t.test('jobs that are killed in the middle are finished by the next process, as if done once', async (t) => {
  const bytes = await bytesOfTone(t)
  const prepare = async (t: Test) => {
    const station = await openApp(t, { NIGHT_MODE: 'false' })
    const { data, media } = station.ports
    for (const id of ids) await station.addTrack(id, bytes, { duration: 600 })
    // One list of all tracks: what is next stays next.
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
    const first = startJobsProcess(t, station)
    await first.printed(/taking jobs/)
    const { songIds } = station
    const id =
      name === 'delete-tracks'
        ? await jobs.add(name, { ...given, songIds })
        : await jobs.add(name, { ...given, songIds, targetMode: 'night' })
    while (!(await isReached(station))) await new Promise(setImmediate)
    await first.end('SIGKILL')
    startJobsProcess(t, station)
    let job = await jobs.progress(name, id)
    while (job?.state !== 'done' && job?.state !== 'failed') {
      await setTimeout(100)
      job = await jobs.progress(name, id)
    }
    const { results } = job.notes as Answer<'delete-tracks'>
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
  t.jobs = 2
  await Promise.all(Object.keys(moments).map((moment) => t.test(moment, (t) => killWhen(t, moment))))
})
