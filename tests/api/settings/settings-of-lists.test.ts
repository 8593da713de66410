import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openLibraryStation, openStation, refusal } from '../../harness/people/administration.ts'

const { ask, addTracks, data, auditLog, save } = await openLibraryStation(t)

const GROUPS = { GROUP_DEFS: { First: ['Ann'], Second: ['Bob'], Rest: [] } }

t.test('settings of lists: lengths within the library', async (t) => {
  const generate = (generation: object) => save({ generation })
  t.match(await generate({ MAX_DAY_DURATION: 3599 }), refusal('generation.MAX_DAY_DURATION', 'out_of_range'))
  t.match(await generate({ MAX_DAY_DURATION: 6603 }), refusal('generation.MAX_DAY_DURATION', 'out_of_range'))
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
  t.equal(other.body.settings.generation.MAX_DAY_DURATION, 6422, 'a library that shrank is nobody’s mistake')
  await data.tracks.insert(shortest!)
  t.equal((await generate({ PHRASES_TIME_SECONDS: 99 })).body.settings.generation.PHRASES_TIME_SECONDS, 30)
  t.equal((await generate({ PHRASES_TIME_SECONDS: 5.5 })).body.settings.generation.PHRASES_TIME_SECONDS, 5.5)
  await addTracks('day', 'Short', 1, 8.9)
  t.same((await ask('GET', 'settings')).body.bounds.PHRASES_TIME_SECONDS, { min: 5, max: 8 })
  t.equal((await generate({ PHRASES_TIME_SECONDS: 20 })).body.settings.generation.PHRASES_TIME_SECONDS, 8)
  const again = await generate({ PHRASES_TIME_SECONDS: 20 })
  t.match(again.body.message, { en: 'The settings are as they were' }, 'it is as long as it may be')
  await data.tracks.delete({ artist: 'Short' })
})

t.test('settings of groups: their order counts, odd names are names, and there is a limit', async (t) => {
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
  t.match(await generate({ GROUP_DEFS: { ' 1990 ': [] } }), refusal('generation.GROUP_DEFS', 'digits'))
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

t.test('settings of algorithms: groups that have songs and fill an hour', async (t) => {
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

t.test('settings of phrases: enough phrases in every mode before they can be turned on', async (t) => {
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

t.test('a library of less than an hour allows everything but list settings', async (t) => {
  const { ask, addTracks } = await openStation(t, { NIGHT_MODE: 'false' })
  await addTracks('day', 'Ann', 10, 180)
  const jingles = { generation: { JINGLES_ENABLED: true } }
  t.match(await ask('POST', 'settings', jingles), refusal('generation', 'library_short'))
  t.equal((await ask('POST', 'settings', { artistArts: { dayEnabled: false } })).status, 200)
  await addTracks('day', 'Bob', 10, 180)
  t.equal((await ask('POST', 'settings', jingles)).status, 200, 'an hour by day is enough without a night')
})
