import type { LibraryRow } from '@solstice/contracts'
import { lyricsKey } from '@solstice/station'
import t, { type Test } from 'tap'
import { openStation } from '../../harness/people/administration.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir } from '../../harness/stations/workers.ts'

useStores('sql+local')

type Data = Awaited<ReturnType<typeof openStation>>['data']

/** The library of a station and how to ask for pages of it. */
async function prepare(t: Test, env: Record<string, string> = {}) {
  const station = await openStation(t, env)
  const page = async (query: string) => (await station.ask('GET', `songs/page?${query}`)).body
  const titles = async (query: string): Promise<string[]> =>
    (await page(query)).items.map(({ artist, title }: LibraryRow) => `${artist} ${title}`)
  return { ...station, page, titles }
}

const played = (data: Data, trackId: string, playedAt: number) =>
  data.history.insert({ trackId, title: '', artist: '', album: '', mode: 'day', playedAt })
const measured = (trackId: string, lufs: number) => ({
  ...{ trackId, lufs, size: 1, modifiedMs: 1, peakDb: -1, isMono: false, startMs: 0, endMs: 1_000 },
})

t.test('a page has what the records know of each track', async (t) => {
  const { data, page, addTracks } = await prepare(t)
  await addTracks('day', 'Ann', 2, 180)
  await addTracks('night', 'Owl', 1, null)
  const id = 'day/Ann - 01.mp3'
  await data.tracks.update({ id }, { addedAt: 1_000, addedBy: 'super' })
  await data.lyrics.put({ key: lyricsKey('Ann', 'Song 1'), synced: true, lines: [{ time: 1, text: 'la' }] })
  await data.artists.put({ artist: 'ann', hasArt: true, artFileName: 'ann.jpg' })
  await data.measurements.put(measured(id, -12.5))
  for (const at of [5_000, 9_000, 7_000]) await played(data, id, at)

  const { items, ...about } = await page('limit=200')
  t.same(about, {
    ...{ total: 3, offset: 0, limit: 200 },
    facets: {
      mode: { day: 2, night: 1 },
      lyricsStatus: { synced: 1, plain: 0, none: 2 },
      hasArt: { yes: 2, no: 1 },
      isPlayed: { yes: 1, no: 2 },
      isLocked: { yes: 0, no: 3 },
      hasLoudness: { yes: 1, no: 2 },
    },
  })
  t.same(items[1], {
    ...{ id, title: 'Song 1', artist: 'Ann', album: 'Album', year: 2001, duration: 180, mode: 'day' },
    ...{
      filename: 'Ann - 01.mp3',
      lyricsStatus: 'synced',
      hasArt: true,
      cover: null,
      lufs: -12.5,
      addedAt: 1_000,
    },
    ...{ plays: 3, lastPlayedAt: 9_000, lock: null },
  })
  t.match(items[2], {
    artist: 'Owl',
    duration: null,
    lufs: null,
    addedAt: null,
    plays: 0,
    lastPlayedAt: null,
  })
})

t.test('a page shows every change made before it was asked for', async (t) => {
  const { data, page, titles, addTracks } = await prepare(t)
  await addTracks('day', 'Ann', 3, 180)
  const [first, second] = ['day/Ann - 00.mp3', 'day/Ann - 01.mp3']
  t.equal((await page('sort=plays&order=desc')).total, 3)
  await played(data, second!, 1_000)
  t.same((await titles('sort=plays&order=desc'))[0], 'Ann Song 1')
  for (const at of [2_000, 3_000]) await played(data, first!, at)
  t.same(await titles('sort=plays&order=desc'), ['Ann Song 0', 'Ann Song 1', 'Ann Song 2'])
  await data.history.delete({ trackId: first! })
  t.same(await titles('isPlayed=true'), ['Ann Song 1'], 'a purge too')
  await data.tracks.update({ id: first! }, { title: 'Zebra' })
  await data.tracks.delete({ id: second! })
  await addTracks('day', 'Aaron', 1, 180)
  t.same(await titles('limit=9'), ['Aaron Song 0', 'Ann Song 2', 'Ann Zebra'])
  t.same(await titles('sort=title&order=desc'), ['Ann Zebra', 'Ann Song 2', 'Aaron Song 0'])
})

t.test('an offset counts the rows that the filter leaves', async (t) => {
  const { titles, addTracks } = await prepare(t)
  await addTracks('day', 'Ann', 3, 180)
  await addTracks('night', 'Owl', 3, 180)
  t.same(await titles('mode=night&offset=1&limit=1'), ['Owl Song 1'])
  t.same(await titles('offset=4&limit=1'), ['Owl Song 1'])
})

t.test('pages sort by each column; what is unknown comes last', async (t) => {
  const { data, titles, page, addTracks } = await prepare(t)
  await addTracks('day', 'Ярина', 1, 60)
  await addTracks('night', 'bob', 1, null)
  await addTracks('day', 'Анна', 2, 180)
  await data.tracks.update({ id: 'day/Анна - 01.mp3' }, { album: '', year: null, addedAt: 5 })
  await data.measurements.put(measured('day/Ярина - 00.mp3', -9))
  await played(data, 'day/Анна - 00.mp3', 9)
  const [anna0, anna1, bob, yaryna] = ['Анна Song 0', 'Анна Song 1', 'bob Song 0', 'Ярина Song 0']
  for (const [query, expected] of [
    ['sort=artist', [bob, anna0, anna1, yaryna]],
    ['sort=artist&order=desc', [yaryna, anna0, anna1, bob]],
    ['sort=title&order=desc', [anna1, bob, anna0, yaryna]],
    ['sort=album&order=desc', [bob, anna0, yaryna, anna1]],
    ['sort=year', [bob, anna0, yaryna, anna1]],
    ['sort=duration', [yaryna, anna0, anna1, bob]],
    ['sort=duration&order=desc', [anna0, anna1, yaryna, bob]],
    ['sort=mode&order=desc', [bob, anna0, anna1, yaryna]],
    ['sort=addedAt', [anna1, bob, anna0, yaryna]],
    ['sort=plays&order=desc', [anna0, bob, anna1, yaryna]],
    ['sort=lastPlayedAt', [anna0, bob, anna1, yaryna]],
    ['sort=lufs', [yaryna, bob, anna0, anna1]],
  ] as const)
    t.same(await titles(query), expected, query)
  t.same(await titles('offset=1&limit=2'), [anna0, anna1])
  t.same(await titles('offset=9'), [])
  t.equal((await page('limit=5000')).limit, 200)
})

t.test('filters combine, and each facet is counted without its own filter', async (t) => {
  const { data, titles, page, addTracks, ask } = await prepare(t)
  await addTracks('day', 'Ann', 3, 180)
  await addTracks('night', 'Ann', 2, 180)
  await data.measurements.put(measured('night/Ann - 01.mp3', -9))
  await played(data, 'day/Ann - 02.mp3', 9)

  t.same(await titles('q=ann%20SONG-1'), ['Ann Song 1', 'Ann Song 1'])
  t.same(await titles('mode=night&hasLoudness=false'), ['Ann Song 0'])
  const { total, facets } = await page('mode=night&isPlayed=false')
  t.equal(total, 2)
  t.match(facets, {
    mode: { day: 2, night: 2 },
    isPlayed: { yes: 0, no: 2 },
    hasLoudness: { yes: 1, no: 1 },
    lyricsStatus: { none: 2 },
  })
  for (const wrong of ['sort=id', 'order=up', 'lyricsStatus=x', 'hasArt=x', 'offset=-1', 'limit=0'])
    t.equal((await ask('GET', `songs/page?${wrong}`)).status, 400, wrong)
})

t.test('the ids of all that a filter lets through are one answer, in the order of its pages', async (t) => {
  const { page, addTracks, ask } = await prepare(t)
  await addTracks('day', 'Ann', 250, 180)
  await addTracks('night', 'Owl', 2, 180)
  const ids = async (query: string) => (await ask('GET', `songs/ids?${query}`)).body
  const all = await ids('mode=day&sort=title&order=desc')
  t.equal(all.total, 250)
  const last = await page('mode=day&sort=title&order=desc&offset=200&limit=200')
  t.same(
    all.items.slice(200),
    last.items.map(({ id }: LibraryRow) => id),
  )
  t.same((await ids('q=owl&offset=1&limit=5')).items.length, 1)
  t.equal((await ask('GET', 'songs/ids?sort=id')).status, 400)
})

t.test('locked tracks say why', async (t) => {
  const { ports, page, addTracks } = await prepare(t, { NIGHT_MODE: 'false' })
  await addTracks('day', 'Ann', 6, 180)
  await startAir(t, ports)
  const { items, facets } = await page('isLocked=true')
  t.same(items.map(({ lock }: LibraryRow) => lock).sort(), ['current', 'next'])
  t.same(facets.isLocked, { yes: 2, no: 4 })
})

t.test('a search that is typed on, and one after a change, find what is there now', async (t) => {
  const { data, titles, page, addTracks } = await prepare(t)
  await addTracks('day', 'Ann', 12, 180)
  t.equal((await page('q=song')).total, 12)
  t.same(await titles('q=song%201'), ['Ann Song 1', 'Ann Song 10', 'Ann Song 11'])
  t.same(await titles('q=song%201&sort=title&order=desc'), ['Ann Song 11', 'Ann Song 10', 'Ann Song 1'])
  await data.tracks.delete({ id: 'day/Ann - 01.mp3' })
  await addTracks('night', 'Owl', 2, 180)
  t.same(await titles('q=song%201'), ['Ann Song 10', 'Ann Song 11', 'Owl Song 1'])
  const { total, facets } = await page('q=song%201&mode=night')
  t.equal(total, 1)
  t.match(facets, { mode: { day: 2, night: 1 } })
})

t.test('a large library holds up nothing else', async (t) => {
  const { data, page } = await prepare(t)
  const about = { album: 'Album', year: 2000, duration: 180, mode: 'day' as const }
  const records = Array.from({ length: 20_000 }, (_, i) => {
    const id = `day/${i}.mp3`
    const song = { title: `Song ${(i * 7919) % 20_000}`, artist: `Artist ${i % 500}` }
    return { id, ...song, ...about, filename: `${i}.mp3`, storageKey: id }
  })
  await data.tracks.replaceAll({ records, serial: 0 })
  await data.tracks.find()
  let [turns, isDone] = [0, false]
  const turn = () => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const before = process.cpuUsage()
  const { total } = await page('sort=title&q=song')
  isDone = true
  // Its own time: on a busy machine the clock counts that of others.
  const { user, system } = process.cpuUsage(before)
  t.equal(total, 20_000)
  t.ok(turns > (user + system) / 100_000, `${turns} turns of the event loop`)
})

t.test('one track has the facts of its row', async (t) => {
  const { ask, page, addTracks } = await prepare(t)
  await addTracks('day', 'Ann', 1, 180)
  const { items } = await page('limit=1')
  const one = (id: string) => ask('GET', `song-editor?songId=${encodeURIComponent(id)}`)
  t.same((await one(items[0].id)).body, { ok: true, track: items[0] })
  t.match(await one('day/gone.mp3'), { status: 404, body: { error: { code: 'TRACK_NOT_FOUND' } } })
})
