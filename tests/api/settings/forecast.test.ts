import type { ForecastItem } from '@solstice/contracts'
import { trackRef } from '@solstice/station'
import t from 'tap'
import { putOnAir } from '../../harness/air/put-on-air.ts'
import { openLibraryStation, refusal } from '../../harness/people/administration.ts'

const station = await openLibraryStation(t)
const { ports, data, auditLog, helper } = station
const maker = await helper('maker', 'settings_algorithm')
const forecast = (body: object = {}) => maker('POST', 'settings/forecast', body)
const idsOf = (items: ForecastItem[]) => items.map((item) => (item.type === 'preparing' ? '' : item.id))
const artistsOf = (items: ForecastItem[]) =>
  items.flatMap((item) => (item.type === 'song' ? item.artist : []))

t.before(async () => {
  t.match(await forecast(), { status: 503, body: { error: { code: 'AIR_UNAVAILABLE' } } })
  const tracks = await data.tracks.find({ mode: 'day' })
  const entries = tracks
    .slice(0, 2)
    .map((track, i) => ({ entryId: `queued ${i}`, track: trackRef(track), orderType: null, tier: null }))
  const onAir = { phase: 'track', entry: entries[0]!, startedAtMs: ports.clock.nowMs() } as const
  await putOnAir(station, { onAir, playlist: { entries, index: 0, repeats: false } })
})

t.test('Q2a: the next hour is answered with its seed, and again for the same seed', async (t) => {
  const { status, body } = await forecast({ from: 'list' })
  t.equal(status, 200)
  const items: ForecastItem[] = body.items
  t.match(items[0], { type: 'song', isQueued: true, orderType: null, phrase: null, mode: 'day' })
  t.ok(items.length > 10)
  const [first, second] = items
  t.equal(second!.startsAt - first!.startsAt, (first as { duration: number }).duration * 1000)
  t.ok(items.at(-1)!.startsAt < ports.clock.nowMs() + 3_600_000)
  const again = (await forecast({ from: 'list', seed: body.seed })).body
  t.same(idsOf(again.items), idsOf(items))
  t.not(idsOf((await forecast({ from: 'list', seed: 5 })).body.items).join(), idsOf(items).join())
  t.same(await data.settings.find(), [])
  t.same(await auditLog(), [])
})

t.test('Q2d: what is queued comes first, unless the playlist is to be made now', async (t) => {
  const [, queued] = idsOf((await forecast()).body.items)
  t.equal(queued, (await data.tracks.find({ mode: 'day' }))[1]!.id)
  const isQueued = (await forecast({ from: 'list' })).body.items.map(
    (item: { isQueued: boolean }) => item.isQueued,
  )
  t.same(isQueued.slice(0, 3), [true, false, false])
})

t.test('the playlists are made by settings that are not saved', async (t) => {
  const generation = { GROUP_DEFS: { First: ['Ann'], Second: ['Bob'] }, GROUP_SECTIONS_ALGORYTM: true }
  const { body } = await forecast({ generation, from: 'list', seed: 3 })
  const [, ...made] = artistsOf(body.items)
  const isFirst = made.map((artist) => artist === 'Ann')
  for (let i = 0; i + 1 < isFirst.length; i += 2)
    t.not(isFirst[i], isFirst[i + 1], 'each section has a song of either group')
})

t.test('settings that could not be saved are refused with the reason', async (t) => {
  t.match(
    await forecast({ generation: { MAX_DAY_DURATION: 60 } }),
    refusal('generation.MAX_DAY_DURATION', 'out_of_range'),
  )
  t.match(await forecast({ generation: { GROUP_DEFS: [] } }), refusal('generation.GROUP_DEFS'))
})

t.test('it needs the right to the settings, and is asked for sixty times a minute at most', async (t) => {
  const anyone = await helper('anyone', 'settings_branding')
  t.equal((await anyone('POST', 'settings/forecast', {})).status, 403)
  const busy = await helper('busy', 'settings_algorithm')
  const answers = await Promise.all(Array.from({ length: 61 }, () => busy('POST', 'settings/forecast', {})))
  t.equal(answers.filter(({ status }) => status === 429).length, 1)
  t.equal((await forecast()).status, 200, 'each admin has an own allowance')
})
