import type { Settings, SettingsBounds } from '@solstice/contracts'
import t from 'tap'
import { openLibraryStation, refusal } from '../../harness/people/administration.ts'

const { ask, helper, data, auditLog, save } = await openLibraryStation(t)

t.test('settings are returned with the bounds that the library allows', async (t) => {
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

t.test('settings are normalised, then compared: unchanged ones are neither checked nor saved', async (t) => {
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

t.test('settings need the privilege of each section, and one denial rejects them all', async (t) => {
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

t.test('settings of the station: names in both languages, and an address', async (t) => {
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

t.test('settings for directories of stations: bounded, in the usual case, each by itself', async (t) => {
  const tell = (directory: unknown) => save({ branding: { directory } })
  const entry = {
    description: 'Тиша й море',
    genre: 'Ambient,Folk',
    url: 'https://radio.example',
    logo: 'https://radio.example/logo.png',
    countryCode: 'ua',
    languageCodes: 'uk, EN',
    geoLatLong: '50.45, 30.52',
    mainStreamUrl: 'https://radio.example/live',
    isPublic: true,
  }
  t.equal((await tell(entry)).status, 200)
  t.equal((await tell({ genre: '', unknown: 1 })).status, 200)
  const { directory } = (await ask('GET', 'settings')).body.settings.branding as Settings['branding']
  const tidied = { countryCode: 'UA', languageCodes: 'uk,en', geoLatLong: '50.45,30.52', genre: '' }
  t.same(directory, { ...entry, ...tidied })
  const field = (name: string) => `branding.directory.${name}`
  for (const [name, value, reason] of [
    ['description', 'x'.repeat(201), 'length'],
    ['genre', 'x'.repeat(61), 'length'],
    ['url', 'radio.example', 'not_an_address'],
    ['logo', 'javascript:alert(1)', 'not_an_address'],
    ['mainStreamUrl', 'https://радіо.example', 'not_an_address'],
    ['countryCode', 'UKR', 'not_a_country'],
    ['languageCodes', 'українська', 'not_languages'],
    ['geoLatLong', '91,0', 'not_a_place'],
    ['geoLatLong', '50.45', 'not_a_place'],
  ] as const)
    t.match(await tell({ [name]: value }), refusal(field(name), reason), `${name}: ${value}`)
  t.match(await tell({ isPublic: 'yes' }), refusal(field('isPublic')))
  t.match(await tell([]), refusal('branding.directory'))
})

t.test('settings of guests: whole minutes within a day', async (t) => {
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

t.test('settings that are not saved are answered with the bounds they would have', async (t) => {
  const anyone = await helper('curious')
  const preview = (generation: object) => anyone('POST', 'settings/bounds', { generation })
  const { status, body } = await preview({ GROUP_DEFS: { First: ['Ann'], Second: [' BOB  '] } })
  t.equal(status, 200)
  t.same(body.bounds.groupSongCounts, { First: 20, Second: 15 })
  t.same(body.unassigned, { day: ['Cat'], night: ['Bat', 'Owl'] })
  t.match(body.artistSongs.day, { Ann: 20, BOB: 15 - body.artistSongs.day.Cat })
  t.equal(body.bounds.dayAlgorithmStatus.canUse, true)
  t.equal((await ask('GET', 'settings')).body.bounds.dayAlgorithmStatus.canUse, false, 'nothing is saved')
  t.same(
    (await ask('GET', 'settings')).body.bounds,
    (await preview({})).body.bounds,
    'fields that are not sent are as stored',
  )
  t.match(await preview({ GROUP_DEFS: [] }), refusal('generation.GROUP_DEFS'))
})

t.test('settings of two admins at once: neither overwrites the other’s changes', async (t) => {
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
