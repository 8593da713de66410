import { randomUUID } from 'node:crypto'
import type { AuditEntry, Privilege, Settings, SettingsBounds, SongGroup, Track } from '@solstice/contracts'
import { forgetInGroups } from '@solstice/station'
import t, { type Test } from 'tap'
import { createAdminTokens } from '../apps/api/src/admin-tokens.ts'
import { openApp } from './harness/app.ts'
import { startAir } from './harness/workers.ts'

const DAY_MS = 24 * 3_600_000

/** The answer's status and body. */
interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of whatever route was asked
  body: any
}

/** A station with a library of so many tracks, and ways to ask it as the super admin or as a helper. */
async function openStation(t: Test, env: Record<string, string> = {}) {
  const station = await openApp(t, { ADMIN_LOGIN: 'boss', ADMIN_PASS: 'Correct horse 1', ...env })
  const { app, ports } = station
  const { data } = ports
  const tokens = createAdminTokens(app.jwt, ports.config.jwtSecret)
  const askAs =
    (token: string) =>
    async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer> => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await app.inject({
        method,
        url: `/api/admin/${path}`,
        headers,
        ...(payload && { payload }),
      })
      return { status: answer.statusCode, body: answer.json() }
    }
  const issue = (adminId: string, role: 'admin' | 'super_admin') =>
    tokens.issue({ adminId, login: 'x', role, privileges: [], authorized: true })
  const helper = async (login: string, ...privileges: Privilege[]) => {
    const adminId = randomUUID()
    const account = { adminId, login, loginKey: login, privileges, authorized: true, passwordHash: '' }
    await data.admins.put({ ...account, createdAt: 0, updatedAt: 0, temporarySinceMs: 0 })
    return Object.assign(askAs(issue(adminId, 'admin')), { adminId })
  }
  const addTracks = (mode: 'day' | 'night', artist: string, count: number, duration: number | null) =>
    Promise.all(
      Array.from({ length: count }, (_, i) => {
        const filename = `${artist} - ${String(i).padStart(2, '0')}.mp3`
        const id = `${mode}/${filename}`
        const about = { title: `Song ${i}`, album: 'Album', year: 2000 + i }
        const track: Track = { id, artist, ...about, duration, mode, filename, storageKey: id }
        return data.tracks.insert(track)
      }),
    )
  const auditLog = (): Promise<readonly (AuditEntry & { data: Record<string, unknown> })[]> =>
    data.audit.find()
  return { ...station, data, ask: askAs(issue('super', 'super_admin')), helper, addTracks, auditLog }
}

const refusal = (field: string, reason?: string) => ({
  status: 400,
  body: { error: { code: 'BAD_REQUEST', field, ...(reason && { reason }) } },
})

t.test('settings', async (t) => {
  const { ask, helper, addTracks, data, auditLog } = await openStation(t)
  await Promise.all([
    addTracks('day', 'Ann', 20, 180),
    addTracks('day', 'Bob', 10, 240),
    addTracks('day', 'Cat', 5, 120.5),
    addTracks('night', 'Owl', 20, 300),
    addTracks('night', 'Bat', 1, null),
  ])
  const save = (body: object) => ask('POST', 'settings', body)
  const GROUPS = { GROUP_DEFS: { First: ['Ann'], Second: ['Bob'], Rest: [] } }

  t.test('are shown with what the library allows', async (t) => {
    const anyone = await helper('anyone')
    const { status, body } = await anyone('GET', 'settings')
    t.equal(status, 200)
    t.same(Object.keys(body), ['settings', 'bounds', 'songGroups', 'insertCooldownSecsLeft'])
    t.same(Object.keys(body.settings), ['branding', 'generation', 'radioHosts', 'artistArts', 'songGroups'])
    t.match(body.settings.generation, {
      MAX_DAY_DURATION: 3600,
      PHRASES_TIME_SECONDS: 15,
      PHRASES_RANDOM: true,
    })
    t.equal(body.insertCooldownSecsLeft, 0)
    const bounds: SettingsBounds = body.bounds
    t.equal(bounds.totalDayDuration, 20 * 180 + 10 * 240 + 5 * 120.5)
    t.equal(bounds.totalNightDuration, 20 * 300 + 180, 'an unknown length counts as 180 s')
    t.same(bounds.MAX_DAY_DURATION, { min: 3600, max: 6602 })
    t.same(bounds.PHRASES_TIME_SECONDS, { min: 5, max: 30 })
    t.same(bounds.groupSongCounts, {})
    t.match(bounds.dayAlgorithmStatus, { canUse: false, groupCount: 0, minGroupCount: 0 })
    t.match(bounds.dayAlgorithmStatus.reason, { uk: /дві групи/, en: /two groups/ })
    t.equal(bounds.groupSectionsAlgorithmStatus.maxPossibleDuration, 0)
    t.equal((await anyone('POST', 'settings', { artistArts: { dayEnabled: false } })).status, 403)
  })

  t.test('are normalised, then compared: what is the same is neither checked nor saved', async (t) => {
    const names = (await ask('GET', 'settings')).body.settings
    const padded = structuredClone(names)
    padded.branding.byLang.uk.dayRadioName = `  ${names.branding.byLang.uk.dayRadioName.replace(' ', '  ')} `
    padded.branding.byLang = { en: padded.branding.byLang.en, uk: padded.branding.byLang.uk }
    padded.generation.unknown = 1
    const anyone = await helper('nobody')
    for (const body of [names, padded, {}, { songGroups: 'ignored' }, { branding: {} }]) {
      const answer = await anyone('POST', 'settings', body)
      t.equal(answer.status, 200)
      t.match(answer.body, { message: { en: 'The settings are as they were' }, algorithmNotice: null })
    }
    t.same(await data.settings.find(), [])
    t.same(await auditLog(), [])
  })

  t.test('each section needs its privilege, and a denied one rejects all of it', async (t) => {
    const branding = { messenger_url: ' https://t.me/solstice ' }
    const radioHosts = { guestMaxDurationMinutes: 20 }
    const artistArts = { nightEnabled: false }
    const generation = { JINGLES_FREQUENCY: 9 }
    const brander = await helper('brander', 'settings_branding')
    const maker = await helper('maker', 'settings_algorithm')
    const moderator = await helper('moderator', 'radio_moderator')
    for (const [ask, allowed, denied] of [
      [brander, { branding }, [{ generation }, { radioHosts }, { artistArts }]],
      [moderator, { radioHosts }, [{ branding: { messenger_url: '' } }, { artistArts }]],
      [
        maker,
        { artistArts, generation },
        [{ branding: { byLang: {} } }, { radioHosts: { backgroundMusicMode: 'hostChoice' } }],
      ],
    ] as const) {
      for (const one of denied) {
        const answer = await ask('POST', 'settings', { ...allowed, ...one })
        t.match(answer, { status: 403, body: { error: { code: 'FORBIDDEN' } } }, Object.keys(one).join())
      }
      t.match(await ask('POST', 'settings', allowed), {
        status: 200,
        body: { message: { en: 'The settings are saved' } },
      })
    }
    const { settings } = (await ask('GET', 'settings')).body
    t.match(settings, {
      branding: { messenger_url: 'https://t.me/solstice' },
      radioHosts: { guestMaxDurationMinutes: 20, specialGuestMaxDurationMinutes: 60 },
      artistArts: { dayEnabled: true, nightEnabled: false },
      generation: { JINGLES_FREQUENCY: 5, JINGLES_RANDOM: false },
    })
    const [first, , third] = await auditLog()
    t.match(first, {
      adminId: brander.adminId,
      operationType: 'settings_save',
      data: {
        sections: ['branding'],
        details: {
          version: 1,
          changes: [{ field: 'branding.messenger_url', before: '', after: 'https://t.me/solstice' }],
        },
      },
    })
    t.same(third?.data.sections, ['generation', 'artistArts'])
    t.same(
      third?.data.details?.changes.map(({ field }) => field),
      ['generation.JINGLES_FREQUENCY', 'artistArts.nightEnabled'],
    )
  })

  t.test('of the station: names of both languages, and an address', async (t) => {
    const { byLang } = (await ask('GET', 'settings')).body.settings.branding as Settings['branding']
    const renamed = (dayRadioName: string) => ({
      branding: { byLang: { ...byLang, uk: { ...byLang.uk, dayRadioName } } },
    })
    const field = 'branding.byLang.uk.dayRadioName'
    t.match(await save(renamed('x')), refusal(field, 'length'))
    t.match(await save(renamed(' x  ')), refusal(field, 'length'))
    t.match(await save(renamed('x'.repeat(26))), refusal(field, 'length'))
    t.equal((await save(renamed('я'.repeat(25)))).status, 200)
    t.match(await save({ branding: { byLang: { uk: byLang.uk } } }), refusal('branding.byLang.en', 'missing'))
    t.match(
      await save({ branding: { byLang: { ...byLang, en: { dayRadioName: 'Day' } } } }),
      refusal('branding.byLang.en.nightRadioName', 'missing'),
    )
    t.match(await save({ branding: { byLang: [] } }), refusal('branding.byLang'))
    t.match(await save({ branding: { byLang: null } }), refusal('branding.byLang'))
    t.match(await save(renamed(5 as never)), refusal(field))
    const at = (messenger_url: unknown) => save({ branding: { messenger_url } })
    t.match(await at('h'), refusal('branding.messenger_url', 'length'))
    t.match(await at(''), refusal('branding.messenger_url', 'length'), 'none, where there was one')
    t.match(await at(`https://t.me/${'x'.repeat(40)}`), refusal('branding.messenger_url', 'length'))
    for (const bad of ['t.me/x', 'javascript:alert(1)', 'https://'])
      t.match(await at(bad), refusal('branding.messenger_url', 'not_an_address'), bad)
    t.match(await at({}), refusal('branding.messenger_url'))
    t.match(await save({ branding: 'x' }), refusal('branding'))
  })

  t.test('of guests: whole minutes within a day', async (t) => {
    const hosts = (radioHosts: object) => save({ radioHosts })
    for (const minutes of [0, 241, -1]) {
      const answer = await hosts({ guestMaxDurationMinutes: minutes })
      t.match(answer, refusal('radioHosts.guestMaxDurationMinutes', 'out_of_range'))
      t.match(answer.body.error, { min: 1, max: 240, uk: /1.*240/, en: /1.*240/ })
    }
    t.match(
      await hosts({ specialGuestMaxDurationMinutes: 'x' }),
      refusal('radioHosts.specialGuestMaxDurationMinutes'),
    )
    t.match(await hosts({ backgroundMusicMode: 'loud' }), refusal('radioHosts.backgroundMusicMode'))
    const saved = await hosts({ specialGuestMaxDurationMinutes: 240.9, backgroundMusicMode: 'hostChoice' })
    t.match(saved.body.settings.radioHosts, {
      specialGuestMaxDurationMinutes: 240,
      backgroundMusicMode: 'hostChoice',
    })
  })

  t.test('of lists: lengths within the library', async (t) => {
    const generate = (generation: object) => save({ generation })
    t.match(
      await generate({ MAX_DAY_DURATION: 3599 }),
      refusal('generation.MAX_DAY_DURATION', 'out_of_range'),
    )
    t.match(
      await generate({ MAX_DAY_DURATION: 6603 }),
      refusal('generation.MAX_DAY_DURATION', 'out_of_range'),
    )
    t.match(
      await generate({ MAX_NIGHT_DURATION: 6181 }),
      refusal('generation.MAX_NIGHT_DURATION', 'out_of_range'),
    )
    t.match(await generate({ MAX_DAY_DURATION: '4000' }), refusal('generation.MAX_DAY_DURATION'))
    t.match(await generate({ DAY_ALGORYTM: 1 }), refusal('generation.DAY_ALGORYTM'))
    t.equal((await generate({ MAX_DAY_DURATION: 5000.7 })).body.settings.generation.MAX_DAY_DURATION, 5000)
    const all = await generate({ USE_ALL_DAY_SONGS: true, MAX_DAY_DURATION: 1 })
    t.equal(all.body.settings.generation.MAX_DAY_DURATION, 6602, 'all songs: as long as they are')
    const [{ length }] = [await auditLog()]
    t.equal((await generate({ USE_ALL_DAY_SONGS: true, MAX_DAY_DURATION: 9_999 })).status, 200)
    t.equal((await auditLog()).length, length, 'the length follows the library, so that was no change')
    const back = await generate({ USE_ALL_DAY_SONGS: false, MAX_DAY_DURATION: 6602 })
    t.equal(back.status, 200)
    await data.tracks.delete({ id: 'day/Ann - 00.mp3' })
    const other = await generate({ JINGLES_RANDOM: true })
    t.equal(
      other.body.settings.generation.MAX_DAY_DURATION,
      6422,
      'a library that shrank is nobody’s mistake',
    )
    t.equal((await generate({ PHRASES_TIME_SECONDS: 99 })).body.settings.generation.PHRASES_TIME_SECONDS, 30)
    t.equal(
      (await generate({ PHRASES_TIME_SECONDS: 5.5 })).body.settings.generation.PHRASES_TIME_SECONDS,
      5.5,
    )
    await addTracks('day', 'Short', 1, 8.9)
    t.same((await ask('GET', 'settings')).body.bounds.PHRASES_TIME_SECONDS, { min: 5, max: 8 })
    t.equal((await generate({ PHRASES_TIME_SECONDS: 20 })).body.settings.generation.PHRASES_TIME_SECONDS, 8)
    const again = await generate({ PHRASES_TIME_SECONDS: 20 })
    t.match(again.body.message, { en: 'The settings are as they were' }, 'it is as long as it may be')
    await data.tracks.delete({ artist: 'Short' })
  })

  t.test('of groups: their order counts, odd names are names, and there is a limit', async (t) => {
    const generate = (generation: object) => save({ generation })
    const tidied = await generate({
      GROUP_DEFS: {
        ' First ': ['Ann', ' ann', '', 'Bob '],
        First: ['Cat'],
        '': ['x'],
        constructor: [],
        Rest: [],
      },
    })
    t.same(tidied.body.settings.generation.GROUP_DEFS, {
      First: ['Ann', 'Bob', 'Cat'],
      constructor: [],
      Rest: [],
    })
    t.same(tidied.body.bounds.groupSongCounts, { First: 34, constructor: 0, Rest: 0 })
    const reordered = await generate({
      GROUP_DEFS: { Rest: [], First: ['Ann', 'Bob', 'Cat'], constructor: [] },
    })
    t.same(Object.keys(reordered.body.settings.generation.GROUP_DEFS), ['Rest', 'First', 'constructor'])
    const entry = (await auditLog()).at(-1)
    t.match(entry?.data.details?.changes, [
      { field: 'generation.GROUP_DEFS', before: { groups: 3, artists: 3 }, after: { groups: 3, artists: 3 } },
    ])

    for (const hostile of ['{"__proto__":["a"]}', '{"constructor":{"prototype":{"a":1}}}']) {
      const answer = await ask('POST', 'settings', {
        toJSON: () => ({ generation: { GROUP_DEFS: JSON.parse(hostile) } }),
      } as object)
      t.equal(answer.status, 400, hostile)
    }
    t.notOk('a' in {}, 'nothing inherits what was sent')
    t.match(await generate({ GROUP_DEFS: [] }), refusal('generation.GROUP_DEFS'))
    t.match(await generate({ GROUP_DEFS: { A: 'x' } }), refusal('generation.GROUP_DEFS'))
    t.match(await generate({ GROUP_DEFS: { A: [5] } }), refusal('generation.GROUP_DEFS'))
    const artists = Array.from({ length: 4000 }, (_, i) => `a${i}`)
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`g${i}`, []]))
    t.match(await generate({ GROUP_DEFS: many(101) }), refusal('generation.GROUP_DEFS', 'too_many'))
    t.match(
      await generate({ GROUP_DEFS: { ['x'.repeat(51)]: [] } }),
      refusal('generation.GROUP_DEFS', 'length'),
    )
    t.match(
      await generate({ GROUP_DEFS: { A: ['x'.repeat(201)] } }),
      refusal('generation.GROUP_DEFS', 'length'),
    )
    t.match(
      await generate({ GROUP_DEFS: { A: artists.slice(2999), B: artists } }),
      refusal('generation.GROUP_DEFS', 'too_many'),
    )
  })

  t.test('of algorithms: groups that have songs, and make an hour', async (t) => {
    const generate = (generation: object) => save({ generation })
    const few = { First: ['Ann', 'Bob'], None: ['x'], Rest: ['Cat', 'Bob'] }
    for (const flag of ['DAY_ALGORYTM', 'GROUP_SECTIONS_ALGORYTM']) {
      t.match(
        await generate({ GROUP_DEFS: { All: [] }, [flag]: true }),
        refusal(`generation.${flag}`, 'groups_too_few'),
      )
    }
    t.match(await generate({ NIGHT_ALGORYTM: true }), refusal('generation.NIGHT_ALGORYTM', 'groups_too_few'))
    t.match(
      await generate({ GROUP_DEFS: few, GROUP_SECTIONS_ALGORYTM: true }),
      refusal('generation.GROUP_SECTIONS_ALGORYTM', 'groups_short'),
    )
    t.match(
      await generate({ ...GROUPS, DAY_ALGORYTM: true }),
      refusal('generation.SONGS_PER_SECTION', 'out_of_range'),
      'of 19, 10 and 5 songs',
    )
    const on = await generate({ ...GROUPS, DAY_ALGORYTM: true, SONGS_PER_SECTION: 5 })
    t.equal(on.status, 200)
    t.match(on.body.algorithmNotice, { en: 'The new algorithm applies from the next playlist' })
    t.match(on.body.bounds, {
      SONGS_PER_SECTION: { min: 3, max: 5 },
      groupSongCounts: { First: 19, Second: 10, Rest: 5 },
      dayAlgorithmStatus: { canUse: true, reason: null, groupCount: 3, minGroupCount: 5 },
    })
    const average = (19 * 180 + 10 * 240 + 5 * 120.5) / 34
    t.equal(on.body.bounds.groupSectionsAlgorithmStatus.maxPossibleDuration, Math.floor(15 * average))
    t.match(on.body.bounds.groupSectionsAlgorithmStatus, {
      canUse: false,
      reason: { en: 'These groups do not make an hour' },
    })
    t.match(await generate({ SONGS_PER_SECTION: 6 }), refusal('generation.SONGS_PER_SECTION', 'out_of_range'))
    t.match(await generate({ SONGS_PER_SECTION: 2 }), refusal('generation.SONGS_PER_SECTION', 'out_of_range'))
    const kept = await generate({ SONGS_PER_SECTION: 4 })
    t.equal(kept.body.algorithmNotice, null, 'the algorithm is the same')

    const both = await generate({
      GROUP_DEFS: { First: ['Ann'], Rest: [] },
      GROUP_SECTIONS_ALGORYTM: true,
      DAY_ALGORYTM: true,
    })
    t.match(
      both.body.settings.generation,
      { DAY_ALGORYTM: false, GROUP_SECTIONS_ALGORYTM: true },
      'one of them at a time',
    )
    t.ok(both.body.algorithmNotice)
    await generate({ GROUP_SECTIONS_ALGORYTM: false })
  })

  t.test('of phrases: enough of them in every mode before they are turned on', async (t) => {
    const turnOn = () => save({ generation: { PHRASES_ENABLED: true } })
    const add = (mode: 'day' | 'night', used: boolean) => {
      const id = randomUUID()
      return data.clips.insert({
        id,
        family: 'phrases',
        filename: id,
        nameKey: id,
        mode,
        duration: 3,
        used,
        createdAt: 0,
      })
    }
    await Promise.all([add('day', true), add('night', false)])
    const refused = await turnOn()
    t.match(refused, refusal('generation.PHRASES_ENABLED', 'phrases_few'))
    t.match(refused.body.error, { minRequired: 1, en: /at least 1/ })
    await add('night', true)
    t.equal((await turnOn()).status, 200)
    await data.clips.delete({ family: 'phrases' })
    t.equal((await save({ generation: { JINGLES_ENABLED: true } })).status, 200, 'what is on may stay on')
  })

  t.test('of two admins at once: nobody overwrites what the other has saved', async (t) => {
    const before = (await auditLog()).length
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        save(
          i % 2
            ? { radioHosts: { guestMaxDurationMinutes: 100 + i } }
            : { radioHosts: { specialGuestMaxDurationMinutes: 100 + i } },
        ),
      ),
    )
    t.ok(answers.every(({ status }) => status === 200))
    const { radioHosts } = (await ask('GET', 'settings')).body.settings
    t.ok(radioHosts.guestMaxDurationMinutes > 100 && radioHosts.specialGuestMaxDurationMinutes >= 100)
    const values = new Map<string, unknown>()
    for (const { data } of (await auditLog()).slice(before)) {
      for (const { field, before, after } of data.details?.changes ?? []) {
        if (values.has(field))
          t.equal(before, values.get(field), 'each one changed what the one before had saved')
        values.set(field, after)
      }
    }
    t.equal(values.get('radioHosts.guestMaxDurationMinutes'), radioHosts.guestMaxDurationMinutes)
  })
})

t.test('a library of less than an hour allows everything but settings of lists', async (t) => {
  const { ask, addTracks } = await openStation(t, { NIGHT_MODE: 'false' })
  await addTracks('day', 'Ann', 10, 180)
  const jingles = { generation: { JINGLES_ENABLED: true } }
  t.match(await ask('POST', 'settings', jingles), refusal('generation', 'library_short'))
  t.equal((await ask('POST', 'settings', { artistArts: { dayEnabled: false } })).status, 200)
  await addTracks('day', 'Bob', 10, 180)
  t.equal((await ask('POST', 'settings', jingles)).status, 200, 'an hour by day is enough without a night')
})

t.test('a station without a night does not switch', async (t) => {
  const { ask, addTracks, ports, auditLog } = await openStation(t, { NIGHT_MODE: 'false' })
  await addTracks('day', 'Ann', 12, 180)
  await startAir(t, ports)
  for (const scheduledTime of [undefined, '23:30']) {
    const answer = await ask('POST', 'switch-mode', { targetMode: 'night', scheduledTime })
    t.match(answer, { status: 409, body: { donated: false, error: { code: 'MODE_SWITCH_REFUSED' } } })
    t.equal(answer.body.error.reason, 'night_off')
  }
  t.same(await auditLog(), [], 'what was refused is not told')
})

t.test('without durable data settings are read only, and there is no log', async (t) => {
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

  t.test('have names of their own, and songs of one mode', async (t) => {
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
      forgetInGroups(data, gone),
      forgetInGroups(data, renamed, { id: 'day/new.mp3', mode: 'day' }),
      forgetInGroups(data, 'night/Owl - 00.mp3', { id: 'day/Owl - 00.mp3', mode: 'day' }),
      ask('PUT', `song-groups/${day.id}`, { name: 'Daylight' }),
    ])
    t.match(await data.groups.get(day.id), { name: 'Daylight', songs: ['day/new.mp3', stays] })
    t.match(await data.groups.get(night.id), { songs: [] }, 'the new id is of the other mode')
    const [shown] = (await ask('GET', 'song-groups')).body.items
    t.match(
      shown,
      { songs: [stays], songCount: 1, songsPreview: { length: 1 } },
      'what the library does not have is not shown',
    )
  })
})

t.test('statistics tell the library by artist and by group', async (t) => {
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

t.test('the log is read by window, newest first, with the logins of now', async (t) => {
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

t.test('history is told whole, newest first', async (t) => {
  const { ask, data } = await openStation(t)
  const played = (playedAt: number) =>
    data.history.insert({ trackId: 'day/a.mp3', title: 'A', artist: 'B', album: '', mode: 'day', playedAt })
  for (const atMs of [3000, 1000, 2000]) await played(atMs)
  const { body } = await ask('GET', 'history')
  t.match(body, { ok: true, total: 3 })
  t.same(
    body.entries.map(({ id, playedAt }: { id: number; playedAt: number }) => [id, playedAt]),
    [
      [1, 3000],
      [3, 2000],
      [2, 1000],
    ],
  )
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

  t.test('a group is queued as a block, then there is a cooldown', async (t) => {
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
    const { list } = await air.until(
      ({ list }) => list.entries[list.index + 1]?.track.id === inserted.body.insertedSongIds[0],
    )
    t.same(
      list.entries.slice(list.index + 1, list.index + 4).map(({ track }) => track.id),
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

  t.test('settings of lists reach the prepared list', async (t) => {
    const prepared = () =>
      air.state.prepared.day?.entries.reduce((sum, { track }) => sum + track.durationMs!, 0)
    t.ok(prepared()! <= 3_600_000)
    t.equal((await ask('POST', 'settings', { generation: { USE_ALL_DAY_SONGS: true } })).status, 200)
    await air.until(() => (prepared() ?? 0) > 3_600_000)
  })

  t.test('the mode is switched at a time of the day, or at once', async (t) => {
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
