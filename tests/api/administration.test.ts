import type { SongGroup } from '@solstice/contracts'
import { replaceInGroups } from '@solstice/station'
import t from 'tap'
import { openStation, refusal } from '../harness/people/administration.ts'
import { startAir } from '../harness/stations/workers.ts'

const DAY_MS = 24 * 3_600_000

t.test('a station without a night does not switch modes', async (t) => {
  const { ask, addTracks, ports, auditLog } = await openStation(t, { NIGHT_MODE: 'false' })
  await addTracks('day', 'Ann', 12, 180)
  await startAir(t, ports)
  for (const scheduledTime of [undefined, '23:30']) {
    const answer = await ask('POST', 'switch-mode', { targetMode: 'night', scheduledTime })
    t.match(answer, { status: 409, body: { donated: false, error: { code: 'MODE_SWITCH_REFUSED' } } })
    t.equal(answer.body.error.reason, 'night_off')
  }
  t.same(await auditLog(), [], 'refused requests are not logged')
})

t.test('a mode without music cannot be switched to, and settings do not require its music', async (t) => {
  const { ask, addTracks, ports } = await openStation(t, { DAY_START_HOUR: '6', NIGHT_START_HOUR: '6' })
  await addTracks('day', 'Ann', 21, 180)
  const air = await startAir(t, ports)
  await air.until(({ emptyModes }) => emptyModes.includes('night'))
  t.match(await ask('POST', 'switch-mode', { targetMode: 'night' }), {
    status: 409,
    body: {
      donated: false,
      error: {
        code: 'MODE_SWITCH_REFUSED',
        reason: 'empty',
        uk: /немає що грати/,
        en: /nothing to play/,
      },
    },
  })
  const jingles = { generation: { JINGLES_ENABLED: true } }
  t.equal((await ask('POST', 'settings', jingles)).status, 200)
  await addTracks('night', 'Bob', 1, 180)
  const silence = { generation: { JINGLES_ENABLED: false } }
  t.match(await ask('POST', 'settings', silence), refusal('generation', 'library_short'), 'nor without cause')
})

t.test('without durable data settings are read-only and there is no log', async (t) => {
  const { ask } = await openStation(t, { EPHEMERAL_STORAGE: 'true' })
  t.equal((await ask('GET', 'settings')).status, 200)
  for (const [method, path, capability] of [
    ['POST', 'settings', 'editSettings'],
    ['GET', 'audit', 'auditLog'],
    ['GET', 'history', 'history'],
  ] as const) {
    const answer = await ask(method, path, method === 'POST' ? {} : undefined)
    t.match(answer, { status: 400, body: { error: { code: 'FEATURE_UNAVAILABLE', capability } } })
  }
  t.equal((await ask('GET', 'stats')).status, 200, 'statistics are always there')
})

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

t.test('the log is read by window, newest first, with current login names', async (t) => {
  const { ask, helper, data, ports } = await openStation(t)
  const nowMs = Math.floor(ports.clock.nowMs())
  const reader = await helper('reader')
  const entries: [ageMs: number, adminId: string][] = [
    [8 * DAY_MS, 'super'],
    [2 * DAY_MS, 'deleted'],
    [DAY_MS / 2, 'guest'],
    [DAY_MS / 12, reader.adminId],
    [0, 'super'],
    [1000, 'donation'],
  ]
  for (const [ageMs, adminId] of entries) {
    await data.audit.insert({
      adminId,
      adminLogin: `${adminId} then`,
      operationType: 'x',
      createdAt: nowMs - ageMs,
      data: { ageMs } as object,
    })
  }
  const read = async (query = '') => (await reader('GET', `audit${query}`)).body
  const whole = await read('?window=7d')
  t.match(whole, { ok: true, total: 5, offset: 0, limit: 30 })
  t.same(
    whole.entries.map((entry: { adminLogin: string }) => entry.adminLogin),
    ['boss', 'donation then', 'reader', 'guest then', 'deleted then'],
  )
  t.same(whole.entries[0].data, { ageMs: 0 })
  for (const [window, total] of [
    ['1h', 2],
    ['6h', 3],
    ['24h', 4],
    ['nonsense', 4],
    ['constructor', 4],
  ] as const)
    t.equal((await read(`?window=${window}`)).total, total, window)
  t.equal((await read()).total, 4)
  const page = await read('?window=7d&limit=2&offset=1')
  t.same(
    page.entries.map(({ id }: { id: number }) => id),
    [6, 4],
  )
  t.match(page, { total: 5, offset: 1, limit: 2 })
  t.equal((await read('?limit=1000')).limit, 200)
  for (const bad of ['limit=0', 'offset=1e400'])
    t.equal((await reader('GET', `audit?${bad}`)).status, 400, bad)
  t.equal((await ask('GET', 'history')).status, 200)
  t.equal((await reader('GET', 'history')).status, 403)
})

t.test('history is returned whole, newest first', async (t) => {
  const { ask, data, ports } = await openStation(t)
  const nowMs = Math.floor(ports.clock.nowMs())
  const played = (playedAt: number) =>
    data.history.insert({ trackId: 'day/a.mp3', title: 'A', artist: 'B', album: '', mode: 'day', playedAt })
  for (const agoMs of [1000, 3000, 2000]) await played(nowMs - agoMs)
  const { body } = await ask('GET', 'history')
  t.match(body, { ok: true, total: 3 })
  t.same(
    body.entries.map(({ id, playedAt }: { id: number; playedAt: number }) => [id, nowMs - playedAt]),
    [
      [1, 1000],
      [3, 2000],
      [2, 3000],
    ],
  )
})

t.test('log and history show nothing beyond their retention, even before the purge', async (t) => {
  const { ask, data, ports } = await openStation(t, { LOG_RETENTION_DAYS: '2' })
  const nowMs = Math.floor(ports.clock.nowMs())
  for (const [name, agoMs] of Object.entries({ old: 2 * DAY_MS + 1, young: 2 * DAY_MS - DAY_MS / 24 })) {
    const about = { title: name, artist: 'B', album: '', mode: 'day' as const }
    await data.history.insert({ trackId: name, ...about, playedAt: nowMs - agoMs })
    const entry = { adminId: 'super', adminLogin: 'boss', operationType: name, createdAt: nowMs - agoMs }
    await data.audit.insert({ ...entry, data: {} })
  }
  t.match((await ask('GET', 'history')).body, { total: 1, entries: [{ trackId: 'young' }] })
  t.match((await ask('GET', 'audit?window=7d')).body, { total: 1, entries: [{ operationType: 'young' }] })
})

t.test('on air', async (t) => {
  const { ask, addTracks, ports, auditLog } = await openStation(t, {
    TIME_ZONE: 'Europe/Kyiv',
    DAY_START_HOUR: '0',
    NIGHT_START_HOUR: '0',
  })
  await Promise.all(['Ann', 'Bob', 'Cat'].map((artist) => addTracks('day', artist, 10, 180)))
  await addTracks('night', 'Owl', 20, 180)
  const air = await startAir(t, ports)

  t.test('a group is queued as a block, followed by a cooldown', async (t) => {
    const songs = ['Ann', 'Ann', 'Bob', 'Cat'].map((artist, i) => `day/${artist} - 0${i}.mp3`)
    const { group } = (await ask('POST', 'song-groups', { name: 'Four', mode: 'day', songs })).body
    const night = (
      await ask('POST', 'song-groups', { name: 'Owls', mode: 'night', songs: ['night/Owl - 00.mp3'] })
    ).body.group
    const insert = (id: string) => ask('POST', `song-groups/${id}/insert`)
    const refused = (reason: string) => ({
      status: 400,
      body: { error: { code: 'QUEUE_GROUP_INSERT_FAILED', reason } },
    })
    t.match(await insert(night.id), refused('wrong_mode'))
    await ports.data.groups.update({ id: night.id }, { mode: 'day' })
    t.match(await insert(night.id), refused('empty'), 'songs of another mode than their group are none of it')
    await ports.data.tracks.delete({ id: songs[3]! })
    const inserted = await insert(group.id)
    t.match(inserted, {
      status: 200,
      body: { ok: true, insertedCount: 3, message: { en: 'The group is queued' } },
    })
    t.same([...inserted.body.insertedSongIds].sort(), songs.slice(0, 3).sort(), 'those that are still there')
    const { playlist } = await air.until(
      ({ playlist }) => playlist.entries[playlist.index + 1]?.track.id === inserted.body.insertedSongIds[0],
    )
    t.same(
      playlist.entries.slice(playlist.index + 1, playlist.index + 4).map(({ track }) => track.id),
      inserted.body.insertedSongIds,
    )
    t.match((await auditLog()).at(-1), {
      operationType: 'group_insert',
      data: { groupId: group.id, name: 'Four' },
    })
    const again = await insert(group.id)
    t.match(again, refused('cooldown'))
    t.ok(again.body.error.secsLeft > 0)
    const left = (await ask('GET', 'settings')).body.insertCooldownSecsLeft
    t.ok(left > 0 && left <= 600)
  })

  t.test('list settings reach the prepared list', async (t) => {
    const prepared = () =>
      air.state.prepared.day?.entries.reduce((sum, { track }) => sum + track.durationMs!, 0)
    t.ok(prepared()! <= 3_600_000)
    t.equal((await ask('POST', 'settings', { generation: { USE_ALL_DAY_SONGS: true } })).status, 200)
    await air.until(() => (prepared() ?? 0) > 3_600_000)
  })

  t.test('the mode is switched at a time of day, or at once', async (t) => {
    const change = (targetMode: unknown, scheduledTime?: unknown) =>
      ask('POST', 'switch-mode', { targetMode, scheduledTime })
    for (const bad of ['dusk', '', undefined, null]) t.match(await change(bad), refusal('targetMode'))
    for (const bad of [
      2330,
      ['07:30'],
      '24:00',
      '7:30',
      '07:60',
      '07:30 ',
      ' 07:30',
      '0730',
      '',
      '07:30:00',
      '٠٧:٣٠',
    ])
      t.match(await change('night', bad), refusal('scheduledTime'), JSON.stringify(bad))
    t.match(await change('day'), {
      status: 409,
      body: { donated: false, error: { code: 'MODE_SWITCH_REFUSED', reason: 'already' } },
    })

    const nowMs = ports.clock.nowMs()
    const local = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Kyiv',
      hour: '2-digit',
      minute: '2-digit',
    })
    const past = local.format(nowMs - 60_000)
    t.equal((await change('night', past)).status, 200)
    const { pendingSwitch } = await air.until((state) => state.pendingSwitch !== null)
    t.ok(pendingSwitch!.atMs > nowMs + 22 * 3_600_000, 'past today, so tomorrow')
    t.equal(local.format(pendingSwitch!.atMs), past)
    t.match((await auditLog()).at(-1), {
      operationType: 'mode_switch',
      data: {
        targetMode: 'night',
        scheduledTime: past,
        details: { changes: [{ field: 'mode', before: 'day', after: 'night' }] },
      },
    })

    t.same(await change('night', null), { status: 200, body: { ok: true } })
    await air.until(({ mode }) => mode === 'night')
    t.match((await auditLog()).at(-1)?.data, { targetMode: 'night' })
    t.notOk('scheduledTime' in (await auditLog()).at(-1)!.data)
    t.match(await change('day'), { status: 409, body: { donated: false, error: { reason: 'cooldown' } } })
  })
})
