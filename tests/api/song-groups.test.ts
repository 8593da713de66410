import type { SongGroup } from '@solstice/contracts'
import { replaceInGroups } from '@solstice/station'
import t from 'tap'
import { openStation, refusal } from '../harness/people/administration.ts'

t.test('song groups', async (t) => {
  const { ask, helper, addTracks, data, auditLog } = await openStation(t)
  await Promise.all([
    addTracks('day', 'Ann-Marie, the First', 4, 180),
    addTracks('day', 'bob', 60, 180),
    addTracks('night', 'Owl', 3, 180),
  ])
  const songs = [0, 1, 2].map((i) => `day/bob - 0${i}.mp3`)
  const create = (body: object) => ask('POST', 'song-groups', body)

  t.test('are created, edited and deleted', async (t) => {
    const created = await create({ name: '  Ранкова  година ', mode: 'day', songs: [...songs, songs[0]] })
    t.match(created, { status: 200, body: { ok: true, message: { en: 'The group is created' } } })
    const { group } = created.body
    t.same(group, { id: group.id, name: 'Ранкова година', mode: 'day', songs })
    const anyone = await helper('anyone')
    const listed: SongGroup[] = (await anyone('GET', 'song-groups')).body.items
    const preview = songs.map((id, i) => ({
      id,
      title: `Song ${i}`,
      artist: 'bob',
      album: 'Album',
      year: 2000 + i,
    }))
    t.same(listed, [{ ...group, songCount: 3, songsPreview: preview }])
    t.same((await ask('GET', 'settings')).body.songGroups, listed)

    const url = `song-groups/${group.id}`
    t.match(
      (await ask('PUT', url, { name: 'РАНКОВА ГОДИНА' })).body.group,
      { name: 'РАНКОВА ГОДИНА', songs },
      'its own name in another case',
    )
    t.match(
      await ask('PUT', url, { mode: 'night' }),
      refusal('songs', 'songs_unknown'),
      'its songs are of the day',
    )
    const moved = await ask('PUT', url, { mode: 'night', songs: ['night/Owl - 00.mp3'] })
    t.match(moved, { status: 200, body: { group: { mode: 'night', songs: ['night/Owl - 00.mp3'] } } })
    const log = (await auditLog()).length
    t.equal((await ask('PUT', url, { mode: 'night' })).status, 200)
    t.equal((await auditLog()).length, log, 'nothing changed')
    t.match(await ask('DELETE', url), {
      status: 200,
      body: { ok: true, message: { en: 'The group is deleted' } },
    })
    for (const [method, path] of [
      ['DELETE', url],
      ['PUT', url],
      ['POST', `${url}/insert`],
    ] as const)
      t.match(await ask(method, path, {}), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
    t.match(
      (await auditLog()).map(({ operationType, data }) => [operationType, data]),
      [
        ['group_create', { name: 'Ранкова година' }],
        ['group_edit', { details: { changes: [{ field: 'name', before: 'Ранкова година' }] } }],
        [
          'group_edit',
          {
            details: {
              changes: [{ field: 'mode' }, { field: 'songs', before: 3, after: 1 }],
              info: { songsAdded: 1, songsRemoved: 3 },
            },
          },
        ],
        ['group_delete', { groupId: group.id, name: 'РАНКОВА ГОДИНА' }],
      ],
    )
  })

  t.test('have unique names, and songs of one mode', async (t) => {
    const good = { name: 'Evening', mode: 'day', songs }
    t.equal((await create(good)).status, 200)
    for (const [what, body, field, reason] of [
      ['no name', { ...good, name: ' ' }, 'name', 'missing'],
      ['a long name', { ...good, name: 'x'.repeat(101) }, 'name', 'length'],
      ['a taken name', { ...good, name: ' EVENING' }, 'name', 'name_taken'],
      ['no mode', { name: 'x', songs }, 'mode'],
      ['another mode', { ...good, mode: 'dusk' }, 'mode'],
      ['no songs', { ...good, songs: [] }, 'songs', 'no_songs'],
      ['an unknown song', { ...good, name: 'x', songs: [...songs, 'day/x.mp3'] }, 'songs', 'songs_unknown'],
      [
        'a song of the other mode',
        { ...good, name: 'x', songs: ['night/Owl - 00.mp3'] },
        'songs',
        'songs_unknown',
      ],
    ] as const) {
      t.match(await create(body), refusal(field, reason), what)
    }
    const racing = await Promise.all(['dawn', 'Dawn', 'DAWN'].map((name) => create({ ...good, name })))
    t.same(racing.map(({ status }) => status).sort(), [200, 400, 400])
    const other = (await create({ ...good, name: 'Noon' })).body.group
    t.match(await ask('PUT', `song-groups/${other.id}`, { name: 'evening' }), refusal('name', 'name_taken'))
    const nobody = await helper('nobody', 'queue_manage')
    t.equal((await nobody('POST', 'song-groups', good)).status, 403)
    t.equal(
      (await nobody('POST', `song-groups/${other.id}/insert`)).status,
      403,
      'both privileges are needed',
    )
  })

  t.test('are found by every word of a query', async (t) => {
    const anyone = await helper('searcher')
    const search = async (query: string) => (await anyone('GET', `song-groups/library?${query}`)).body
    const first = await search('')
    t.match(first, { total: 64, offset: 0, limit: 5 })
    t.same(Object.keys(first.items[0]), ['id', 'title', 'artist', 'album', 'year'])
    t.equal(first.items[0].id, 'day/Ann-Marie, the First - 00.mp3', 'by artist and title')
    t.equal((await search('mode=night')).total, 3)
    t.equal((await search(`query=${encodeURIComponent('ANN–marie | first,song')}`)).total, 4)
    t.equal((await search('query=bob%20ann')).total, 0)
    t.match(await search('limit=500&offset=60'), { limit: 50, offset: 60, total: 64, items: { length: 4 } })
    t.match(await anyone('GET', 'song-groups/library?mode=dusk'), refusal('mode'))
    for (const bad of ['limit=0', 'limit=x', 'offset=-1', 'offset=1e400'])
      t.equal((await anyone('GET', `song-groups/library?${bad}`)).status, 400, bad)
  })

  t.test('follow the library', async (t) => {
    await data.groups.delete(() => true)
    const [gone, renamed, stays] = songs as [string, string, string]
    const day = (await create({ name: 'Day', mode: 'day', songs })).body.group
    const night = (await create({ name: 'Night', mode: 'night', songs: ['night/Owl - 00.mp3'] })).body.group
    await Promise.all([
      replaceInGroups(data, gone),
      replaceInGroups(data, renamed, { id: 'day/new.mp3', mode: 'day' }),
      replaceInGroups(data, 'night/Owl - 00.mp3', { id: 'day/Owl - 00.mp3', mode: 'day' }),
      ask('PUT', `song-groups/${day.id}`, { name: 'Daylight' }),
    ])
    t.match(await data.groups.get(day.id), { name: 'Daylight', songs: ['day/new.mp3', stays] })
    t.match(await data.groups.get(night.id), { songs: [] }, 'the new id is of the other mode')
    const [shown] = (await ask('GET', 'song-groups')).body.items
    t.match(
      shown,
      { songs: [stays], songCount: 1, songsPreview: { length: 1 } },
      'names outside the library are not shown',
    )
  })
})

t.test('statistics describe the library by artist and by group', async (t) => {
  const { ask, helper, data, addTracks } = await openStation(t)
  await Promise.all([
    addTracks('day', 'Ann', 2, 180),
    addTracks('day', '__proto__', 1, null),
    addTracks('night', 'Owl', 1, 60),
  ])
  const generation = { GROUP_DEFS: { Calm: ['Ann'], Rest: [] }, NIGHT_GROUP_DEFS: { Dark: [] } }
  const stored = (await ask('GET', 'settings')).body.settings.generation
  await data.settings.insert({ section: 'generation', value: { ...stored, ...generation }, revision: 1 })
  const song = (artist: string, mode: string, i: number, duration: number | null) => ({
    file: `${mode}/${artist} - 0${i}.mp3`,
    title: `Song ${i}`,
    album: 'Album',
    year: 2000 + i,
    duration,
  })
  const counter = await helper('counter', 'stats')
  const { body } = await counter('GET', 'stats')
  const ann = [song('Ann', 'day', 0, 180), song('Ann', 'day', 1, 180)]
  t.same(Object.keys(body), ['day', 'night', 'genres', 'nightGenres'])
  t.same(Object.entries(body.day), [
    ['__proto__', [song('__proto__', 'day', 0, null)]],
    ['Ann', ann],
  ])
  t.same(body.night, { Owl: [song('Owl', 'night', 0, 60)] })
  t.same(Object.keys(body.genres), ['Calm', 'Rest'])
  t.same(body.genres.Calm, { Ann: ann })
  t.same(Object.keys(body.genres.Rest), ['__proto__'])
  t.same(body.nightGenres, { Dark: body.night })
  await addTracks('night', 'Bat', 1, 60)
  t.same(Object.keys((await ask('GET', 'stats')).body.night), ['Bat', 'Owl'], 'as the library is now')
  t.equal((await (await helper('other', 'queue_manage'))('GET', 'stats')).status, 403)
})
