import { text } from 'node:stream/consumers'
import {
  beginAlarm,
  createAudit,
  dateNow,
  endAlarm,
  evidenceOf,
  forgetEvidence,
  keepEvidence,
  noteWatch,
  openFaults,
} from '@solstice/station'
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

t.test('the log is filtered by what its entries are about', async (t) => {
  const { ask, data, ports } = await openStation(t)
  const entry = { adminId: 'super', adminLogin: 'boss', createdAt: Math.floor(ports.clock.nowMs()), data: {} }
  for (const operationType of ['queue_add', 'edit_song_meta', 'group_insert', 'unheard_of'])
    await data.audit.insert({ ...entry, operationType, onceKey: operationType, revision: 1 })
  const { body } = await ask('GET', 'audit?category=queue&limit=1')
  t.match(body, { total: 2, entries: [{ operationType: 'group_insert' }] })
  t.notOk(
    ['onceKey', 'revision'].some((field) => field in body.entries[0]),
    "keys are nobody's business",
  )
  t.equal((await ask('GET', 'audit')).body.total, 4)
  t.equal((await ask('GET', 'audit?category=weather')).status, 400)
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
    for (const _ of ['once', 'again']) t.equal((await ask('DELETE', 'switch-mode')).status, 200)
    await air.until((state) => state.pendingSwitch === null)
    const takenBack = { changes: [{ field: 'pendingModeSwitch', before: 'night', after: null }] }
    t.match((await auditLog()).at(-1)?.data, { targetMode: null, details: takenBack })
    t.equal((await change('night', past)).status, 200)
    await air.until((state) => state.pendingSwitch !== null)
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

t.test('an alarm begins once, ends once, and is told with its evidence', async (t) => {
  const { ask, ports, auditLog } = await openStation(t)
  const deps = { ...ports, audit: createAudit({ ...ports, isOn: true }) }
  const fault = { cause: 'silence', source: 'https://radio.example' } as const
  t.ok(await beginAlarm(deps, { ...fault, evidence: 'silent for 8.1 s' }))
  t.equal(await beginAlarm(deps, { ...fault, evidence: 'of another process' }), null)
  t.same(await openFaults(ports.data), [fault])
  t.match(await ask('GET', 'alarms'), {
    status: 200,
    body: {
      total: 1,
      alarms: [{ ...fault, endedAt: null, evidence: 'silent for 8.1 s', hasEvidence: false }],
    },
  })
  t.equal(await endAlarm(deps, fault), true)
  t.equal(await endAlarm(deps, fault), false)
  t.ok(await beginAlarm(deps, { ...fault, evidence: 'again' }))
  const { body } = await ask('GET', 'alarms?limit=1')
  t.match(body, { total: 2, alarms: [{ evidence: 'again' }] }, 'newest first')
  const late = { cause: 'title', source: 'station' } as const
  await beginAlarm(deps, { ...late, evidence: 'of yesterday' })
  await endAlarm(deps, late)
  t.match((await ask('GET', 'alarms')).body.alarms, [{ endedAt: null }, late], 'behind the one that goes on')
  const operations = (await auditLog()).map(({ operationType }) => operationType)
  t.same(operations.toSorted(), ['alarm_begin', 'alarm_begin', 'alarm_begin', 'alarm_end', 'alarm_end'])
})

t.test('the sound of an alarm is kept for those who may read alarms, and goes with it', async (t) => {
  const { ask, app, helper, ports } = await openStation(t)
  const deps = { ...ports, audit: createAudit({ ...ports, isOn: true }) }
  const fault = { cause: 'clipping', source: 'https://radio.example' } as const
  const alarmId = (await beginAlarm(deps, { ...fault, evidence: 'loud' }))!
  const path = `alarms/evidence?alarmId=${alarmId}`
  t.match(await ask('GET', path), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  await keepEvidence(ports, alarmId, Buffer.from('sound'))
  t.match((await ask('GET', 'alarms')).body, { alarms: [{ id: alarmId, hasEvidence: true }] })
  const { alarms } = ports.data
  t.equal(await text(await ports.media.open(await evidenceOf(ports, alarmId))), 'sound')
  const stranger = await helper('stranger', 'queue_manage')
  t.equal((await stranger('GET', path)).status, 403)
  t.equal((await app.inject({ url: `/api/admin/${path}` })).statusCode, 401)
  await alarms.delete({ id: alarmId })
  t.equal(await forgetEvidence(ports), 1)
  t.equal((await ask('GET', path)).status, 404)
})

t.test('anybody may ask how the station is; its addresses are not told', async (t) => {
  const { app, ports } = await openStation(t, { TIME_ZONE: 'UTC' })
  const nowMs = dateNow(ports.clock)
  for (const atMs of [nowMs - 100_000, nowMs]) await noteWatch(ports.data, { nowMs: atMs, addresses: 1 })
  const source = 'http://api-1.internal:3001'
  const silence = { cause: 'silence', source, evidence: '', openKey: 'x' } as const
  await ports.data.alarms.insert({ ...silence, beganAt: nowMs - 60_000, endedAt: nowMs - 50_000 })
  const answer = await app.inject({ url: '/api/status', headers: { origin: 'https://elsewhere.example' } })
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['cache-control'], 'public, max-age=10')
  t.equal(answer.headers['access-control-allow-origin'], '*')
  t.match(answer.json(), {
    isOnAir: false,
    onAirSince: null,
    mounts: [],
    incident: { kind: 'break', from: nowMs - 60_000, until: nowMs - 50_000 },
    timeZone: 'UTC',
  })
  const { share, days } = answer.json().uptime
  t.ok(share > 0.85 && share < 0.95, String(share))
  t.equal(days.length, 90)
  t.notMatch(answer.body, 'internal')
})
