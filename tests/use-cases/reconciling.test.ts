import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { audioTags, openLocalMedia } from '@solstice/adapters'
import type { Track } from '@solstice/contracts'
import {
  apply,
  type Command,
  learn,
  type OnAir,
  type PlayoutState,
  resume,
  type Step,
} from '@solstice/playout'
import {
  artistKey,
  type DataStore,
  Failure,
  findArt,
  libraryOf,
  purgeHistory,
  recentHistory,
  reconcile,
  recordPlayed,
  trackRef,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { host, NOON, playing } from '../harness/air/programme.ts'
import { keptTone, makeTone } from '../harness/audio/audio.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { openTestData } from '../harness/servers/postgres.ts'
import { track } from '../suites/records.ts'

/** Without tags; read without ffmpeg. */
const sound = await readFile(await keptTone({ hz: 440, seconds: 1 }))

async function openStation(t: Test) {
  const folder = await temporaryFolder(t)
  const root = join(folder, 'media')
  const data = await openTestData(folder)
  t.teardown(() => data.close())
  const media = await openLocalMedia(root)
  const warnings: object[] = []
  const log = { info: () => {}, warn: (details: object) => warnings.push(details) }
  const place = async (path: string, content: string | Buffer = sound) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  const run = (options: { confirmTrackCleanup?: boolean | 'most'; onChange?: () => void } = {}) =>
    reconcile({ data, media, tags: audioTags(), log, confirmTrackCleanup: false, ...options })
  return { root, data, media, warnings, place, run }
}

const artists = async ({ data }: { data: DataStore }) =>
  (await data.artists.find()).map(({ artist, artFileName }) => [artist, artFileName]).sort()

t.test('a file on disk without a record is added with the data of its tags', async (t) => {
  const { root, data, run } = await openStation(t)
  const tone = { hz: 440, seconds: 1, title: 'Ранок', artist: 'Мавка', album: 'Приплив' }
  await makeTone(join(root, 'music/day/Мавка - Ранок & 100%.mp3'), tone)
  await makeTone(join(root, 'music/night/Untitled.MP3.mp3'), { hz: 330, seconds: 2 })
  await makeTone(join(root, 'music/night/\u202egnp.exe.mp3'), { hz: 330, seconds: 2 })

  t.match(await run(), { added: 3, removed: 0, missing: 0, isChanged: true })
  t.match(await data.tracks.get('day/Мавка - Ранок & 100%.mp3'), {
    id: 'day/Мавка - Ранок & 100%.mp3',
    title: 'Ранок',
    artist: 'Мавка',
    album: 'Приплив',
    year: null,
    duration: 1,
    mode: 'day',
    filename: 'Мавка - Ранок & 100%.mp3',
    storageKey: 'day/Мавка - Ранок & 100%.mp3',
  })
  t.equal((await data.tracks.get('night/\u202egnp.exe.mp3'))!.title, 'gnp.exe', 'no mark turns its direction')
  t.match(await data.tracks.get('night/Untitled.MP3.mp3'), {
    title: 'Untitled.MP3',
    artist: 'Unknown Artist',
    album: 'Unknown Album',
    duration: 2,
    mode: 'night',
  })
  t.match(await run(), { added: 0, isChanged: false }, 'the second time there is nothing to do')
})

t.test(
  'unreadable audio is added under its file name with 180 s; files not named .mp3 are ignored',
  async (t) => {
    const { data, place, run, warnings } = await openStation(t)
    for (const name of [
      'Noise.mp3',
      'Empty.mp3',
      'notes.txt',
      '.hidden.mp3',
      '.mp3',
      'cover.jpg',
      'folder/deep.mp3',
    ])
      await place(`music/day/${name}`, name.startsWith('Empty') ? '' : 'not audio')
    t.match(await run(), { added: 2 })
    t.same(
      (await data.tracks.find()).map(({ title, artist, album, year, duration }) => ({
        title,
        artist,
        album,
        year,
        duration,
      })),
      ['Empty', 'Noise'].map((title) => ({
        title,
        artist: 'Unknown Artist',
        album: 'Unknown Album',
        year: null,
        duration: 180,
      })),
    )
    t.equal(warnings.length, 2)
  },
)

t.test('an edited record stays as it is', async (t) => {
  const { data, place, run } = await openStation(t)
  await place('music/day/a.mp3')
  await run()
  await data.tracks.update({ id: 'day/a.mp3' }, { title: 'Better', artist: 'Known' })
  await run()
  t.match(await data.tracks.get('day/a.mp3'), { title: 'Better', artist: 'Known' })
})

t.test('a record without a file is kept with a warning until its removal is confirmed', async (t) => {
  const { root, data, place, run, warnings } = await openStation(t)
  for (const name of ['day/a.mp3', 'day/b.mp3', 'night/c.mp3']) await place(`music/${name}`)
  await run()
  await rm(join(root, 'music/day/a.mp3'))
  await rm(join(root, 'music/night'), { recursive: true })
  warnings.length = 0
  t.match(await run(), { added: 0, removed: 0, missing: 2, isChanged: false })
  t.equal((await data.tracks.find()).length, 3)
  t.match(warnings, [{ examples: ['day/a.mp3'] }, { examples: ['night/c.mp3'] }])
  t.match(await run({ confirmTrackCleanup: true }), { removed: 2, missing: 0, isChanged: true })
  t.same(
    (await data.tracks.find()).map(({ id }) => id),
    ['day/b.mp3'],
  )
})

t.test('a track is kept while its storage cannot tell whether the file exists', async (t) => {
  const { root, data, media, place, run } = await openStation(t)
  for (const name of ['a', 'b', 'c']) await place(`music/day/${name}.mp3`)
  await run()
  await rm(join(root, 'music/day/a.mp3'))
  const away = new Failure('STORAGE_WRITE_FAILED', { reason: 'away' })
  const stat = media.stat.bind(media)
  media.stat = () => Promise.reject(away)
  await t.rejects(run({ confirmTrackCleanup: true }), away)
  t.equal((await data.tracks.find()).length, 3)
  media.stat = stat
  t.match(await run({ confirmTrackCleanup: true }), { removed: 1 })
})

t.test('more than half of a library is never removed for missing files: a disk may be away', async (t) => {
  const { root, data, place, run, warnings } = await openStation(t)
  for (let i = 0; i < 12; i++) await place(`music/day/${i}.mp3`)
  for (let i = 0; i < 9; i++) await place(`music/night/${i}.mp3`)
  await run()
  await rm(join(root, 'music/day'), { recursive: true })
  warnings.length = 0
  const removed = run({ confirmTrackCleanup: true })
  t.match(await removed, { added: 0, removed: 0, missing: 12, isChanged: false })
  t.match(warnings, [{ mode: 'day', tracks: 12 }])
  t.equal((await data.tracks.find()).length, 21)
  for (let i = 0; i < 4; i++) await place(`music/night/new ${i}.mp3`)
  t.match(await run({ confirmTrackCleanup: true }), { added: 4, removed: 12, missing: 0 }, '12 of 25')
  await rm(join(root, 'music/night'), { recursive: true })
  t.match(await run({ confirmTrackCleanup: 'most' }), { removed: 13, missing: 0 })
})

t.test('a large library is added in pieces, and concurrent reconciling adds every file once', async (t) => {
  const { data, place, run } = await openStation(t)
  const names = Array.from({ length: 40 }, (_, i) => `Piece ${i}.mp3`)
  for (const name of names) await place(`music/day/${name}`)
  let seen = 0
  const results = await Promise.all([run({ onChange: () => seen++ }), run({ onChange: () => seen++ })])
  t.ok(seen >= 5)
  t.equal(results[0].added + results[1].added, 40)
  t.equal((await data.tracks.find()).length, 40)
})

t.test('artists of day tracks have a record, others only with an image', async (t) => {
  const station = await openStation(t)
  const { data, root, place, run } = station
  for (const name of ['day/a.mp3', 'day/b.mp3', 'day/c.mp3', 'night/d.mp3']) await place(`music/${name}`)
  await data.tracks.insert(track('day/a.mp3', { artist: ' The   SEA ' }))
  await data.tracks.insert(track('day/b.mp3', { artist: 'the sea' }))
  await data.tracks.insert(track('day/c.mp3', { artist: 'AC/DC' }))
  await data.tracks.insert(track('night/d.mp3', { artist: 'Owl', mode: 'night' }))
  await place('arts/Ac_Dc.jpg')
  await place('arts/Їжак.jpg'.normalize('NFD'))
  await place('arts/notes.txt')
  await data.artists.insert({ artist: 'nobody', hasArt: false, artFileName: '' })

  t.equal((await run()).isChanged, false)
  t.same(await artists(station), [
    ['ac_dc', 'Ac_Dc.jpg'],
    ['the sea', ''],
    ['їжак', 'Їжак.jpg'.normalize('NFD')],
  ])
  t.equal(await findArt(data, ' ac/dc '), 'arts/Ac_Dc.jpg')
  t.equal(await findArt(data, 'The Sea'), null)
  t.equal(await findArt(data, 'Nobody'), null)

  await place('arts/the sea.jpg')
  await rm(join(root, 'music/day'), { recursive: true })
  await run({ confirmTrackCleanup: true })
  t.same(
    await artists(station),
    [
      ['ac_dc', 'Ac_Dc.jpg'],
      ['the sea', 'the sea.jpg'],
      ['їжак', 'Їжак.jpg'.normalize('NFD')],
    ],
    'an image keeps its record',
  )
  t.same((await readdir(join(root, 'arts'))).length, 4, 'and no image is removed')
})

t.test('artists are matched regardless of case and spaces', async (t) => {
  t.equal(artistKey('  Die   Ärzte\t '), 'die ärzte')
  t.equal(artistKey('a<b>:"/\\|?*c'), 'a_b________c')
})

t.test('a library is sorted by artist, then title, regardless of case', async (t) => {
  const { data } = await openStation(t)
  const songs: [string, string][] = [
    ['beta', 'b'],
    ['Alpha', 'z'],
    ['ALPHA', 'B'],
    ['alpha', 'a'],
    ['Ґава', 'а'],
    ['Єва', 'а'],
    ['Дім', 'а'],
  ]
  for (const [i, [artist, title]] of songs.entries())
    await data.tracks.insert(track(`day/${i}`, { artist, title }))
  await data.tracks.insert(track('night/x', { mode: 'night' }))
  const names = async () => (await libraryOf(data, 'day')).map(({ artist, title }) => `${artist} ${title}`)
  t.same(await names(), ['alpha a', 'ALPHA B', 'Alpha z', 'beta b', 'Ґава а', 'Дім а', 'Єва а'])
  t.equal((await libraryOf(data, 'night')).length, 1)
  await data.tracks.update({ id: 'day/0' }, { artist: 'Aardvark' })
  t.equal((await names())[0], 'Aardvark b', 'a change is seen')
})

t.test('the engine receives the length in ms, null when unknown', async (t) => {
  const facts: Track = track('day/a', { duration: 12.3456, year: 2001, album: 'b' })
  t.same(trackRef(facts), {
    id: 'day/a',
    title: 'day/a',
    artist: 'Artist',
    album: 'b',
    year: 2001,
    durationMs: 12346,
  })
  t.equal(trackRef({ ...facts, duration: null }).durationMs, null)
})

t.test('history never contains the song on air: after a talk, in a jingle, after a takeover', async (t) => {
  const { data } = await openStation(t)
  const song = (i: number) => ({
    ...trackRef(track(`day/${i}`, { duration: 60 })),
    cuePoints: { gainDb: null, startMs: 1_500, endMs: 59_000 },
  })
  const songs = Array.from({ length: 20 }, (_, i) => song(i))
  const record = async (step: Step) => {
    for (const effect of step.effects) if (effect.type === 'played') await recordPlayed(data, effect)
    return step.state
  }
  const recent = async (state: PlayoutState) =>
    (await recentHistory(data, state)).map(({ trackId }) => trackId)
  const begun = playing(songs, 'sound')
  const { entry } = begun.onAir as Extract<OnAir, { phase: 'track' }>
  await recordPlayed(data, { track: entry.track, mode: 'day', startedAtMs: NOON })
  const live = { ...begun.live, participants: [host('h')] }
  const hosted = { ...begun, live, hosting: { ...begun.hosting, isOn: true, slots: 1 } }
  const ask = (state: PlayoutState, command: Command, atMs: number) => record(apply(state, command, atMs))

  const talk = await ask(hosted, { type: 'pause-queue', socketId: 'h', when: 'now' }, NOON + 20_000)
  t.equal(talk.onAir.phase, 'chat')
  t.same(await recent(talk), [])
  const back = await ask(talk, { type: 'resume-queue', socketId: 'h' }, NOON + 40_000)
  t.match(back.onAir, { phase: 'track', entry: { entryId: entry.entryId } })
  t.same(await recent(back), [], 'it goes on')

  const clip = { id: 'j', media: 'jingles/day/j.mp3', durationMs: 5_000 }
  const jingles = { usable: { day: [clip], night: [] }, required: 1, frequency: 1 }
  const withJingle = { ...back, clips: { ...back.clips, jingles }, jingleCount: { songs: 0, threshold: 1 } }
  const ended = { type: 'sound-ended', entryId: entry.entryId } as const
  const jingle = await record(learn(withJingle, ended, NOON + 78_000))
  t.equal(jingle.onAir.phase, 'jingle')
  t.same(await recent(jingle), [], 'it is still shown')

  const resumed = await record(resume(jingle, NOON + 80_000, NOON + 120_000))
  t.match(resumed.onAir, { phase: 'track' })
  t.same(await recent(resumed), [entry.track.id], 'and one that began in the hole of a takeover')
})

t.test('history holds the last ten songs played, oldest first, without the one on air', async (t) => {
  const { data } = await openStation(t)
  const ref = (i: number) => trackRef(track(`day/${i}`))
  const onAir = (i: number, startedAtMs: number): OnAir => ({
    phase: 'track',
    entry: { entryId: 'e', track: ref(i), orderType: null, tier: null },
    startedAtMs,
  })
  t.same(await recentHistory(data, null), [])
  for (let i = 1; i <= 12; i++)
    await recordPlayed(data, { track: ref(i), mode: 'day', startedAtMs: i * 1000 + 0.4 })
  await recordPlayed(data, { track: ref(12), mode: 'day', startedAtMs: 12_000.4 })
  const recent = async (on: OnAir | null, lastPlayedMs: number | null = null) =>
    (await recentHistory(data, on && { onAir: on, pace: 'sound', lastPlayedMs })).map(
      ({ trackId }) => trackId,
    )
  const tracks = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `day/${from + i}`)
  t.same(await recent(null), tracks(3, 12), 'recorded again it is there once')
  t.same(await recent(onAir(12, 12_000.4)), tracks(2, 11))
  t.same(await recent(onAir(12, 99_000)), tracks(3, 12), 'an earlier play of the same track counts')
  const cuePoints = { gainDb: null, startMs: 250, endMs: null }
  const begunLate = { entryId: 'e', track: { ...ref(12), cuePoints }, orderType: null, tier: null }
  t.same(
    await recent({ phase: 'track', entry: begunLate, startedAtMs: 11_750.4 }),
    tracks(2, 11),
    'silence that was left out is no part of the play',
  )
  t.same(await recent({ phase: 'preparing', target: 'day', sinceMs: 0, notBeforeMs: 0 }), tracks(3, 12))
  t.match((await recentHistory(data, null))[0], {
    title: 'day/3',
    artist: 'Artist',
    mode: 'day',
    playedAt: 3000,
  })

  await recordPlayed(data, { track: ref(0), mode: 'night', startedAtMs: 3500 })
  t.same(
    await recent(null),
    ['day/0', ...tracks(4, 12)],
    'one that was recorded late stands where it was played',
  )

  t.equal(await purgeHistory(data, 11_000), 11)
  t.same(await recent(null), tracks(11, 12))
})
