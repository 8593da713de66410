import { randomUUID } from 'node:crypto'
import type { Settings, SettingsBounds } from '@solstice/contracts'
import t from 'tap'
import { openStation, refusal } from '../harness/people/administration.ts'

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
  // Each rule is tried on a fresh station.
  t.beforeEach(async () => {
    await data.settings.delete(() => true)
  })
  const GROUPS = { GROUP_DEFS: { First: ['Ann'], Second: ['Bob'], Rest: [] } }

  t.test('are returned with the bounds that the library allows', async (t) => {
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

  t.test('are normalised, then compared: unchanged ones are neither checked nor saved', async (t) => {
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

  t.test('need the privilege of each section, and one denial rejects them all', async (t) => {
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

  t.test('of the station: names in both languages, and an address', async (t) => {
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
    t.equal((await at('https://chat.example')).status, 200)
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
    const shortest = await data.tracks.get('day/Ann - 00.mp3')
    await data.tracks.delete({ id: shortest!.id })
    const other = await generate({ JINGLES_RANDOM: true })
    t.equal(
      other.body.settings.generation.MAX_DAY_DURATION,
      6422,
      'a library that shrank is nobody’s mistake',
    )
    await data.tracks.insert(shortest!)
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
    t.same(tidied.body.bounds.groupSongCounts, { First: 35, constructor: 0, Rest: 0 })
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

  t.test('of algorithms: groups that have songs and fill an hour', async (t) => {
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
      'of 20, 10 and 5 songs',
    )
    const on = await generate({ ...GROUPS, DAY_ALGORYTM: true, SONGS_PER_SECTION: 5 })
    t.equal(on.status, 200)
    t.match(on.body.algorithmNotice, { en: 'The new algorithm applies from the next playlist' })
    t.match(on.body.bounds, {
      SONGS_PER_SECTION: { min: 3, max: 5 },
      groupSongCounts: { First: 20, Second: 10, Rest: 5 },
      dayAlgorithmStatus: { canUse: true, reason: null, groupCount: 3, minGroupCount: 5 },
    })
    const average = (20 * 180 + 10 * 240 + 5 * 120.5) / 35
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

  t.test('of phrases: enough phrases in every mode before they can be turned on', async (t) => {
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
    t.equal(
      (await save({ generation: { JINGLES_ENABLED: true } })).status,
      200,
      'a feature that is on may stay on',
    )
  })

  t.test('that are not saved are answered with the bounds they would have', async (t) => {
    const anyone = await helper('curious')
    const preview = (generation: object) => anyone('POST', 'settings/bounds', { generation })
    const { status, body } = await preview({ GROUP_DEFS: { First: ['Ann'], Second: [' BOB  '] } })
    t.equal(status, 200)
    t.same(body.bounds.groupSongCounts, { First: 20, Second: 15 })
    t.same(body.unassigned, { day: ['Cat'], night: ['Bat', 'Owl'] })
    t.equal(body.bounds.dayAlgorithmStatus.canUse, true)
    t.equal((await ask('GET', 'settings')).body.bounds.dayAlgorithmStatus.canUse, false, 'nothing is saved')
    t.same(
      (await ask('GET', 'settings')).body.bounds,
      (await preview({})).body.bounds,
      'fields that are not sent are as stored',
    )
    t.match(await preview({ GROUP_DEFS: [] }), refusal('generation.GROUP_DEFS'))
  })

  t.test('of two admins at once: neither overwrites the other’s changes', async (t) => {
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

t.test('a library of less than an hour allows everything but list settings', async (t) => {
  const { ask, addTracks } = await openStation(t, { NIGHT_MODE: 'false' })
  await addTracks('day', 'Ann', 10, 180)
  const jingles = { generation: { JINGLES_ENABLED: true } }
  t.match(await ask('POST', 'settings', jingles), refusal('generation', 'library_short'))
  t.equal((await ask('POST', 'settings', { artistArts: { dayEnabled: false } })).status, 200)
  await addTracks('day', 'Bob', 10, 180)
  t.equal((await ask('POST', 'settings', jingles)).status, 200, 'an hour by day is enough without a night')
})
