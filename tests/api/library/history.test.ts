import type { AuditEntry, HistoryItem } from '@solstice/contracts'
import t from 'tap'
import { openStation } from '../../harness/people/administration.ts'
import { useStores } from '../../harness/stations/stores.ts'

useStores('sql+local')

const ID = 'day/Ann - 00.mp3'
const PATH = `song-editor/history?songId=${encodeURIComponent(ID)}`

t.test('the changes of a track are found under its earlier names', async (t) => {
  const { ask, helper, data, addTracks } = await openStation(t)
  await addTracks('day', 'Ann', 2, 180)
  let createdAt = Date.now() - 100_000
  const wrote = (operationType: string, artist: string, title: string, before?: Record<string, string>) => {
    const changes = Object.entries(before ?? {}).map(([field, was]) => ({ field, before: was, after: 'x' }))
    const about = { artist, title, details: { version: 1 as const, changes, info: {} } }
    const by = { adminId: 'super', adminLogin: 'former' }
    return data.audit.insert({ ...by, operationType, createdAt: createdAt++, data: about })
  }
  await wrote('upload_song', 'Anna', 'song 0')
  await wrote('upload_song', 'Ann', 'Song 1')
  await wrote('edit_song_meta', 'Ann', 'Draft', { artist: 'Anna', title: 'Song 0' })
  await wrote('edit_song_lyrics', 'Ann', 'Draft', { lyricsStatus: 'none' })
  await wrote('edit_song_meta', 'Ann', 'Song 0', { title: 'Draft' })
  await wrote('queue_add', 'Ann', 'Song 0')
  await wrote('edit_song_meta', 'Ann', 'Song 0', { album: 'Other' })
  await wrote('edit_song_lyrics', 'Ann', 'Draft', { lyricsStatus: 'none' })

  const { status, body } = await ask('GET', PATH)
  t.equal(status, 200)
  t.same(
    body.entries.map(({ id }: AuditEntry) => id),
    [7, 5, 4, 3, 1],
    'neither what is queued, nor another track that had the name later',
  )
  t.equal(body.total, 5)
  t.equal(body.entries[0].adminLogin, 'boss', 'the current login')
  const page = await ask('GET', `${PATH}&offset=1&limit=2`)
  t.match(page.body, { total: 5, offset: 1, limit: 2, entries: [{ id: 5 }, { id: 4 }] })
  const unknown = await ask('GET', 'song-editor/history?songId=day%2Fnone.mp3')
  t.match(unknown, { status: 404, body: { error: { code: 'TRACK_NOT_FOUND' } } })
  const [lyricist, anyone] = [await helper('lyricist', 'editor_lyrics'), await helper('anyone', 'stats')]
  t.equal((await lyricist('GET', PATH)).status, 200)
  t.equal((await anyone('GET', PATH)).status, 403)
})

t.test('the playback history can be filtered by words, mode and time', async (t) => {
  const { ask, data } = await openStation(t)
  const nowMs = Date.now()
  const names = ['Ann One', 'Bob One', 'Ann Two', 'Bob Two']
  for (const [i, name] of names.entries()) {
    const [artist, title] = name.split(' ') as [string, string]
    const mode = i < 2 ? ('day' as const) : ('night' as const)
    const song = { trackId: `${mode}/${name}.mp3`, artist, title, album: '' }
    await data.history.insert({ ...song, mode, playedAt: nowMs - 10_000 + i * 1_000 })
  }
  const found = async (query: string) => {
    const { entries, total } = (await ask('GET', `history?${query}`)).body
    return [entries.map(({ artist, title }: HistoryItem) => `${artist} ${title}`), total]
  }
  t.same(await found(''), [names.toReversed(), 4], 'all of it, as ever')
  t.same(await found('q=ann'), [['Ann Two', 'Ann One'], 2])
  t.same(await found('mode=day'), [['Bob One', 'Ann One'], 2])
  t.same(await found(`since=${nowMs - 9_000}&until=${nowMs - 7_000}`), [['Ann Two', 'Bob One'], 2])
  t.same(await found('q=two&mode=day'), [[], 0])
  t.same(await found('offset=1&limit=2'), [['Ann Two', 'Bob One'], 4])
  for (const wrong of ['mode=x', 'since=x', 'limit=0', 'offset=-1'])
    t.equal((await ask('GET', `history?${wrong}`)).status, 400, wrong)
})
