import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, type JobData, lyricsKey } from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { inForm } from '../harness/long-form.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { startS3 } from '../harness/servers/s3.ts'
import { openApp } from '../harness/stations/app.ts'
import { startJobsOn, watchedStore } from '../harness/stations/watched-jobs.ts'
import { until } from '../harness/until.ts'

// Real PostgreSQL and S3 servers go away in the middle of changes. One station at a time: a store that returns at once must
// be back before a caller gives up, which a machine with three stations side by side doesn't manage.

/** Store calls that wait until they are released. */
interface Hold {
  use: RegExp
  isReached: boolean
  wait: Promise<void>
}

type Interrupted = Awaited<ReturnType<typeof openInterrupted>>

/** A station, with its jobs, whose changes can be held at any call to its stores. */
async function openInterrupted(t: Test) {
  const [server, s3] = await Promise.all([startPostgres(t), startS3(t)])
  const station = await openApp(t, {
    DATA_PROVIDER: 'sql',
    DATABASE_URL: server.url,
    DATABASE_POOL_MAX: '4',
    DEMO_LIBRARY: 'false',
    ...(await s3.env('away')),
  })
  const { ports } = station
  const { data, media } = ports
  const holds: Hold[] = []

  /** Reports each store call, such as `tracks.update {…}`, and holds it where the test wants. */
  const watched = <T extends object>(name: string, store: T): T =>
    watchedStore(store, async (method, given) => {
      const use = `${name}.${method} ${given.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))}`
      const hold = holds.find((one) => !one.isReached && one.use.test(use))
      if (hold) hold.isReached = true
      await hold?.wait
    })
  const collections = { tracks: watched('tracks', data.tracks), clips: watched('clips', data.clips) }
  await startJobsOn(t, ports, watched('media', media), collections)
  return { ...ports, station, holds, server, s3 }
}

const tone = join(await temporaryFolder(t), 'tone.mp3')
await makeTone(tone, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Somebody' })
const bytes = await readFile(tone)

const actor = { adminId: '5b0ab4a4-2f3c-4c3e-9d7a-b0e0a4b6a111', login: 'helper' }
/** Enough for a queue of its own; most of the time of a round goes into these. */
const BATCH = 110
/** Among what is interrupted by a brief absence or a hanging store there is a batch only in the long form. */
const briefBatch = inForm({ short: 0, long: BATCH })
const edited = (name: string, title: string): JobData<'edit-track'> => ({
  songId: `day/${name} edited.mp3`,
  tags: { title, artist: 'Somebody', album: '', year: 2000 },
  actor,
})

/** Songs and clips of one round; all their names begin with the round's. */
async function addSongs({ station, data, media }: Interrupted, name: string, batchSize: number) {
  const single = ['edited', 'moved', 'deleted a', 'deleted b']
  const batch = Array.from({ length: batchSize }, (_, i) => `batch ${i}`)
  const idOf = (title: string) => `day/${name} ${title}.mp3`
  for (const title of single) {
    await station.addTrack(idOf(title), bytes, { title: `${name} ${title}` })
    const key = lyricsKey('Somebody', `${name} ${title}`)
    await data.lyrics.put({ key, synced: false, lines: [{ time: 0, text: 'la' }] })
  }
  await Promise.all(batch.map((title) => station.addTrack(idOf(title), bytes.subarray(0, 500))))
  for (const kind of ['deleted', 'moved']) {
    const filename = `${name} ${kind}.mp3`
    const facts = { duration: 1, used: true, createdAt: 1 }
    await media.put(`jingles/day/${filename}`, bytes)
    const clip = {
      id: filename,
      family: 'jingles',
      filename,
      nameKey: filename,
      mode: 'day',
      ...facts,
    } as const
    await data.clips.insert(clip)
  }
  return batch.map(idOf)
}

/** All changes that can be interrupted, as an admin requests them. */
function change({ jobs }: Interrupted, name: string, batch: string[]): Record<string, Promise<unknown>> {
  const scope = 'library'
  const day = (title: string) => `day/${name} ${title}.mp3`
  const clip = (kind: string): JobData<'delete-clips'> => ({
    family: 'jingles',
    ids: [`${name} ${kind}.mp3`],
    actor,
  })
  return {
    edit: jobs.perform('edit-track', edited(name, `${name} new`)),
    move: jobs.perform('move-tracks', { songIds: [day('moved')], targetMode: 'night', scope, actor }),
    delete: jobs.perform('delete-tracks', { songIds: [day('deleted a'), day('deleted b')], scope, actor }),
    ...(batch.length > 0 && {
      batch: jobs.perform('move-tracks', { songIds: batch, targetMode: 'night', scope, actor }),
    }),
    'move of a clip': jobs.perform('move-clips', { ...clip('moved'), targetMode: 'night' }),
  }
}

/** Files and records of a round, and its log entries. */
async function seen({ data, media }: Interrupted, name: string) {
  const isOurs = (text: string) => text.includes(`${name} `)
  const folders = ['day', 'night', 'jingles/day', 'jingles/night']
  const files = (await Promise.all(folders.map((folder) => media.list(folder)))).flat().filter(isOurs)
  const [tracks, clips, audit, lyrics] = await Promise.all([
    data.tracks.find(),
    data.clips.find(),
    data.audit.find(),
    data.lyrics.find(),
  ])
  return {
    files: files.sort(),
    records: [
      ...tracks.filter(({ id }) => isOurs(id)).map(({ storageKey }) => storageKey),
      ...clips.filter(({ id }) => isOurs(id)).map(({ mode, filename }) => `jingles/${mode}/${filename}`),
    ].sort(),
    audit: audit.filter((entry) => isOurs(JSON.stringify(entry.data))).map((one) => one.operationType),
    lyrics: lyrics.filter(({ key }) => isOurs(key)).length,
  }
}

interface Outcome {
  name: string
  batch: string[]
  /** Final title of the edited song. */
  title: RegExp
  edits: number
  /** Outcome of a change requested while the store was already away. */
  deletion: unknown
}

async function assertWhole(t: Test, on: Interrupted, { name, batch, title, edits, deletion }: Outcome) {
  const { data, media, tags, redis } = on
  const { files, records, audit, lyrics } = await seen(on, name)
  const isRefused = deletion instanceof Failure && deletion.code !== 'JOBS_UNAVAILABLE'
  const id = `day/${name} edited.mp3`
  const expected = [
    id,
    `night/${name} moved.mp3`,
    ...batch.map((one) => one.replace('day', 'night')),
    `jingles/night/${name} moved.mp3`,
    ...(isRefused ? [`jingles/day/${name} deleted.mp3`] : []),
  ]
  t.same(records, expected.sort(), 'each change was made, and none that was refused')
  t.same(files, records, 'files and records agree')
  const record = await data.tracks.get(id)
  t.match(record?.title, title)
  t.equal((await tags.read(await media.source(id))).title, record?.title)
  const count = (operation: string) => audit.filter((one) => one === operation).length
  t.equal(count('delete_song'), 2, 'each was made once')
  t.equal(count('edit_song_meta'), 1 + batch.length + edits)
  t.equal(count('jingle_delete'), isRefused ? 0 : 1)
  t.equal(lyrics, 2, 'lyrics went with their songs')
  t.same(await redis.keys('solstice:lease:*'), [], 'nothing is left leased')
}

const allDone = ({ jobs }: Interrupted) =>
  until('all changes have ended', async () => {
    const board = await jobs.board({ offset: 0, limit: 1 })
    return board
      .filter(({ name }) => name === 'changes' || name === 'batches')
      .every(({ counts }) => counts.waiting + counts.active + counts.delayed === 0)
  })

/** Begins all changes, and stops a store in the middle of each. @returns the replies that callers will get. */
async function breakOff(on: Interrupted, { name, uses, batchSize }: Round, stop: () => Promise<unknown>) {
  const { holds } = on
  const batch = await addSongs(on, name, batchSize)
  let letGo = () => {}
  const wait = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const reached = uses.filter((use) => batchSize > 0 || !use.includes(' batch '))
  holds.splice(0, holds.length, ...reached.map((use) => ({ use: new RegExp(use), isReached: false, wait })))
  const asked = change(on, name, batch)
  for (const answer of Object.values(asked)) answer.catch(() => {})
  await until('each change is in the middle', () => holds.every(({ isReached }) => isReached))
  await stop()
  letGo()
  return { batch, asked }
}

const amongRecords = (name: string) => [
  `^tracks.update .*${name} edited.*${name} new`,
  `^media.delete day/${name} moved`,
  `^media.delete day/${name} deleted b`,
  `^tracks.update .*day/${name} batch 60.mp3`,
  `^clips.update .*${name} moved`,
]
const amongFiles = (name: string) => [
  `^media.put day/${name} edited`,
  `^media.copy day/${name} moved`,
  `^media.delete day/${name} deleted b`,
  `^media.copy day/${name} batch 60.mp3`,
  `^media.delete jingles/day/${name} moved`,
]

interface Round {
  name: string
  /** Store calls in which each change is interrupted. */
  uses: string[]
  batchSize: number
}

type Absence = Record<'stop' | 'start', () => Promise<unknown>>

const roundOf = (name: string, uses: (name: string) => string[], batchSize: number): Round => ({
  name,
  uses: uses(name),
  batchSize,
})

/** Keeps the store away until every caller has been told. */
async function testLongAbsence(t: Test, on: Interrupted, round: Round, { stop, start }: Absence) {
  const { jobs, redis } = on
  const { name } = round
  const { batch, asked } = await breakOff(on, round, stop)
  const settled = <T>(answer: Promise<T>) => answer.catch((error: unknown) => error)
  const later = [0, 1, 2, 3, 4].map((i) =>
    settled(jobs.perform('edit-track', edited(name, `${name} later ${i}`))),
  )
  const asking = settled(
    jobs.perform('delete-clips', { family: 'jingles', ids: [`${name} deleted.mp3`], actor }),
  )
  for (const [kind, answer] of Object.entries(asked))
    await t.rejects(answer, { code: 'JOBS_UNAVAILABLE' }, `${kind}: it is said that it will be finished`)
  t.ok((await redis.keys(`solstice:lease:*${name}*`)).length >= 5, 'half-done changes stay locked')
  await start()
  const deletion = await asking
  const answers = await Promise.all(later)
  await allDone(on)
  const refused = answers.filter((one) => one instanceof Failure && one.code === 'DATA_UNAVAILABLE').length
  t.equal(
    answers.filter((one) => one instanceof Error).length,
    refused,
    'changes that only waited are refused, or made',
  )
  const title = refused === later.length ? / new$/ : / later \d$/
  await assertWhole(t, on, { name, batch, title, edits: 1 + later.length - refused, deletion })
}

/** Brings the store back before any caller gives up. */
async function testShortAbsence(t: Test, on: Interrupted, round: Round, { stop, start }: Absence) {
  const { name } = round
  const { batch, asked } = await breakOff(on, round, stop)
  const deletion = on.jobs.perform('delete-clips', { family: 'jingles', ids: [`${name} deleted.mp3`], actor })
  deletion.catch(() => {})
  await start()
  for (const [kind, answer] of Object.entries(asked)) await t.resolves(answer, kind)
  const refusal = await deletion.catch((error: unknown) => error)
  await allDone(on)
  await assertWhole(t, on, { name, batch, title: / new$/, edits: 1, deletion: refusal })
}

t.test('PostgreSQL is killed in the middle of changes', { buffered: true }, async (t) => {
  const on = await openInterrupted(t)
  const { server } = on
  const killed: Absence = { stop: () => server.crash(), start: () => server.restart() }
  t.test('it returns at once: every change is made', (t) =>
    testShortAbsence(t, on, roundOf('blinking', amongRecords, briefBatch), killed),
  )
  t.test('it returns later: every change is finished, or refused as a whole', (t) =>
    testLongAbsence(t, on, roundOf('killed', amongRecords, BATCH), killed),
  )
})

t.test('PostgreSQL hangs in the middle of changes', { buffered: true }, async (t) => {
  const on = await openInterrupted(t)
  let goOn = () => {}
  const paused: Absence = {
    async stop() {
      goOn = await on.server.pause()
    },
    start: async () => goOn(),
  }
  await testLongAbsence(t, on, roundOf('paused', amongRecords, briefBatch), paused)
})

t.test('the bucket is killed in the middle of changes', { buffered: true }, async (t) => {
  const on = await openInterrupted(t)
  const { s3 } = on
  const killed: Absence = { stop: () => s3.stop(), start: () => s3.start() }
  t.test('it returns at once: every change is made', (t) =>
    testShortAbsence(t, on, roundOf('brief', amongFiles, briefBatch), killed),
  )
  t.test('it returns later: every change is finished, or refused as a whole', (t) =>
    testLongAbsence(t, on, roundOf('bucket', amongFiles, BATCH), killed),
  )
})
