import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LyricsEntry, xorWithToken } from '@solstice/contracts'
import { lyricsKey } from '@solstice/station'
import t from 'tap'
import { purgeExpired } from '../../../apps/jobs/src/processors/purge-expired.ts'
import { makeTone } from '../../harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { temporaryFolder } from '../../harness/processes/processes.ts'
import { openLyricsService } from '../../harness/servers/services/lyrics-service.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'

// One of them mostly waits.
t.jobs = 3

const LYRICS = '/api/admin/lyrics'
const FOUND = { plainLyrics: 'la' }
const played = {
  trackId: 'day/gone.mp3',
  title: 'Gone',
  artist: 'Hilda',
  album: 'Shores',
  mode: 'day',
} as const

/** A station with one song, and listeners from different addresses. */
async function openStation(t: Parameters<typeof openApp>[0], env: Record<string, string> = {}) {
  const service = await openLyricsService(t)
  const station = await openApp(t, { ...SUPER_ADMIN, LYRICS_API_URL: service.url, ...env })
  const { app, tokens, passes, addTrack, ports } = station
  await addTrack('day/own.mp3', null, { title: 'Own', artist: 'Hilda', album: 'Shores', duration: 184 })
  const listener =
    (address: string) =>
    async (title: string, more: Record<string, string> = {}) => {
      const { artToken } = passes(tokens.uidOf(address))
      const query = new URLSearchParams({ title, artist: 'Hilda', token: artToken, ...more })
      const { statusCode: status, headers, rawPayload } = await app.inject(`/api/lyrics?${query}`)
      const isWrapped = headers['content-type'] === 'application/octet-stream'
      const bytes = isWrapped ? xorWithToken(rawPayload, artToken) : rawPayload
      return { status, body: JSON.parse(Buffer.from(bytes).toString()) }
    }
  const kept = async () => (await ports.data.lyrics.find()).map(({ key }) => key)
  return { ...station, service, listener, kept }
}

t.test('a lookup for an invented song is answered and not stored', async (t) => {
  const { service, listener, kept } = await openStation(t)
  service.knows({ Known: FOUND })
  const read = listener('192.0.2.1')
  t.match((await read('Known')).body, { lines: [{ text: 'la' }], notFound: false })
  t.match((await read('Nonsense')).body, { lines: [], notFound: true, offset: 0 })
  t.match((await listener('192.0.2.2')('NONSENSE')).body, { notFound: true })
  t.match((await listener('192.0.2.2')('Known')).body, { lines: [{ text: 'la' }] })
  t.same(service.titles(), ['Known', 'Nonsense'], 'an answer is good for a while')
  t.same(await kept(), [])
})

t.test('a song of the station is looked up under its own names, whatever a listener sends', async (t) => {
  const { service, listener, kept, ports } = await openStation(t)
  await ports.data.history.insert({ ...played, playedAt: 1 })
  const read = listener('192.0.2.1')
  await read('own', { artist: 'HILDA', album: 'an invented one' })
  await read('gone', { album: 'another' })
  t.same(
    service.asked.map((asked) => Object.fromEntries(asked)),
    [
      { track_name: 'Own', artist_name: 'Hilda', album_name: 'Shores', duration: '184' },
      { track_name: 'Gone', artist_name: 'Hilda', album_name: 'Shores' },
    ],
  )
  t.same(await kept(), ['hilda||own', 'hilda||gone'], 'not found, for good')
})

t.test('listeners have one lookup at a time, and a limited number for unknown songs', async (t) => {
  const station = await openStation(t)
  const { service, listener, addTrack, ports, kept } = station
  const replica = await openApp(t, { LYRICS_API_URL: service.url }, undefined, station)
  const titles = ['a', 'b', 'c', 'd']
  for (const title of titles) await addTrack(`day/${title}.mp3`, null, { title, artist: 'Hilda' })
  const { artToken } = replica.passes()
  const query = (title: string) => new URLSearchParams({ title, artist: 'Hilda', token: artToken })
  await Promise.all([
    ...titles.map((title) => listener('192.0.2.1')(title)),
    ...titles.map((title) => replica.app.inject(`/api/lyrics?${query(title)}`)),
  ])
  t.equal(service.most, 1, 'on all replicas together')
  t.same(service.titles().sort(), titles, 'each once, whichever replica asks')
  t.same((await kept()).length, 4)

  await ports.redis.set('solstice:limit:other-lyrics:everybody', 60, 'PX', 60_000)
  const refused = await listener('192.0.2.3')('Nonsense')
  t.match(refused, { status: 429, body: { error: { code: 'RATE_LIMITED' } } })
  t.equal((await listener('192.0.2.3')('Own')).status, 200, 'songs of the station are not concerned')
})

t.test('a lookup that waits too long for its turn gets no answer and stores nothing', async (t) => {
  const station = await openStation(t)
  const { service, listener, kept, ports } = station
  await ports.redis.set('solstice:lyrics-turn:listeners', 'somebody else', 'PX', 9_000)
  const { status, body } = await listener('192.0.2.1')('Own')
  t.match({ status, body }, { status: 500, body: { error: 'fetch_failed' } })
  t.same([service.titles(), await kept()], [[], []])
  const { ask } = await asAdmin(station)
  await ports.redis.set('solstice:lyrics-turn:listeners', 'somebody else', 'PX', 9_000)
  const search = await ask('POST /api/admin/upload-song-lyrics', { title: 'a', artist: 'b' })
  t.equal(search.status, 200, 'admins do not wait for listeners')
})

t.test('lookups of songs that left the library are forgotten, written lyrics stay', async (t) => {
  const { ports } = await openStation(t)
  const { data } = ports
  const lines = [{ time: 0, text: 'la' }]
  const put = (title: string, entry: Partial<LyricsEntry>) =>
    data.lyrics.put({ key: lyricsKey('Hilda', title), synced: false, lines: [], ...entry })
  await data.history.insert({ ...played, playedAt: ports.clock.nowMs() })
  await put('Own', { notFound: true, fetchedAt: 1 })
  await put('Gone', { lines, fetchedAt: 1 })
  await put('by hand', { lines })
  await put('found once', { lines, fetchedAt: 1 })
  for (let i = 0; i < 50; i++) await put(`invented ${i}`, { notFound: true, fetchedAt: 1 })
  await purgeExpired(ports)
  t.same(
    (await data.lyrics.find()).map(({ key }) => key),
    ['hilda||own', 'hilda||gone', 'hilda||by hand'],
  )
})

t.test('lyrics of songs outside the library are limited in number', async (t) => {
  const station = await openStation(t)
  const { data } = station.ports
  const { ask } = await asAdmin(station, ['editor_lyrics'])
  const records = Array.from({ length: 5_002 }, (_, i) => ({ key: `a||${i}`, synced: false, lines: [] }))
  await data.lyrics.replaceAll({ records, serial: 0 })
  await data.offsets.replaceAll({ records: records.map(({ key }) => ({ key, offset: 1 })), serial: 0 })
  const entry = { lines: ['la'] }
  const put = (title: string) => ask(`PUT ${LYRICS}/cache`, { title, artist: 'Hilda', entry })
  t.match((await put('Another')).body.error, { code: 'BAD_REQUEST', reason: 'too_many', max: 5_002 })
  t.equal((await put('Own')).status, 200)
  const shift = (title: string) => ask('POST /api/lyrics/offset', { title, artist: 'Hilda', offset: 2 })
  t.match((await shift('Another')).body.error, { reason: 'too_many' })
  t.equal((await shift('Own')).status, 200)
})

t.test(
  'while the lookup service is down songs are uploaded and saved, and no result is stored',
  async (t) => {
    const station = await openStation(t, { NIGHT_MODE: 'false' })
    const { service, ports, listener } = station
    const { ask } = await asAdmin(station)
    const path = join(await temporaryFolder(t), 'tone.mp3')
    await makeTone(path, { hz: 440, seconds: 1 })
    const send = async (name: string, lyricsEntry: (answer: { lyricsEntry: object }) => object) => {
      const { body } = await ask('POST /api/admin/upload-song-file', await readFile(path), {
        'content-type': 'audio/mpeg',
        'x-file-name': `${name}.mp3`,
      })
      const metadata = { ...body.metadata, title: name, artist: 'Hilda' }
      const answer = await ask('POST /api/admin/upload-song-lyrics', { title: name, artist: 'Hilda' })
      const commit = { metadata, lyricsEntry: lyricsEntry(answer.body) }
      const { status } = await ask('POST /api/admin/upload-song-commit', commit)
      return [answer.status, status]
    }
    service.answer = (_, response) => response.destroy()
    t.same(await send('As it came', ({ lyricsEntry }) => lyricsEntry), [500, 200])
    const own = { notFound: true, reason: 'fetch_error', fetchedAt: 1_700_000_000_000 }
    t.same(await send('A client’s own', () => own), [500, 200])
    t.same(await ports.data.lyrics.find(), [])
    service.knows({ 'As it came': FOUND })
    t.match((await listener('192.0.2.1')('As it came')).body, { lines: [{ text: 'la' }] }, 'asked for again')
    t.same(
      await send('Unknown', ({ lyricsEntry }) => ({ ...lyricsEntry, reason: 'none', fetchedAt: 5 })),
      [200, 200],
    )
    const answered = { notFound: true, reason: 'none', fetchedAt: 5 }
    t.match(await ports.data.lyrics.get('hilda||unknown'), answered)
    t.match((await listener('192.0.2.1')('Unknown')).body, { ...answered, synced: false, lines: [] })

    const known = { synced: false, lines: [{ time: 0, text: 'mine' }] }
    const songs = ['1', '2', '3', '4'].map((title) => ({ title, artist: `Of ${title}` }))
    for (const song of songs) {
      await station.addTrack(`day/${song.title}.mp3`, null, { ...song, duration: 900 })
      await ports.data.lyrics.put({ key: lyricsKey(song.artist, song.title), ...known })
    }
    await startJobs(t, ports)
    await startAir(t, ports)
    const save = ({ title }: { title: string }) =>
      ask('POST /api/admin/song-editor/save', {
        songId: `day/${title}.mp3`,
        metadata: {},
        lyricsChanged: true,
        lyricsEntry: own,
      })
    const saved = []
    for (const song of songs) saved.push(await save(song))
    const free = saved.filter(({ status }) => status !== 409)
    t.ok(free.length >= 2, 'two are playing or come next')
    for (const answer of free)
      t.match(answer, { status: 200, body: { entry: known } }, 'a failed lookup takes nothing away')

    const put = (reason: string) => ask(`PUT ${LYRICS}/cache`, { ...songs[0], entry: { ...own, reason } })
    t.equal((await put('fetch_error')).status, 200)
    t.match(await ports.data.lyrics.get('of 1||1'), known)
    t.equal((await put('none')).status, 200)
    t.match(await ports.data.lyrics.get('of 1||1'), { lines: [], notFound: true, reason: 'none' })
  },
)
