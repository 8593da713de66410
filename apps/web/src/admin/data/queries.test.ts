import t from 'tap'
import { createQueries } from './queries.ts'

/** Questions that the test answers. */
function station() {
  const asked: { key: string; answer: (data: unknown) => void; fail: (error: unknown) => void }[] = []
  const clock = { nowMs: 0 }
  const queries = createQueries(
    (key) => new Promise((answer, fail) => asked.push({ key, answer, fail })),
    () => clock.nowMs,
  )
  return { asked, queries, clock }
}
const settled = () => new Promise(setImmediate)

t.test('an answer is asked for once, however many use it', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs', { query: { mode: 'day' } })
  t.equal(queries.entry('GET /api/admin/songs', { query: { mode: 'day' } }), entry)
  t.not(queries.entry('GET /api/admin/songs', { query: { mode: 'night' } }), entry)
  entry.use()
  entry.use()
  t.equal(asked.length, 1)
  asked[0]!.answer(['x'])
  await settled()
  t.same(entry.state.value, { is: 'ready', data: ['x'], isStale: false })
})

t.test(
  'what somebody looks at is asked for again when it gets old, and stays in view meanwhile',
  async (t) => {
    const { asked, queries } = station()
    const entry = queries.entry('GET /api/admin/songs')
    entry.use()
    asked[0]!.answer('old')
    await settled()
    queries.invalidate('/api/admin/jingles')
    t.equal(asked.length, 1, 'another route')
    queries.invalidate('/api/admin/songs')
    t.same(entry.state.value, { is: 'ready', data: 'old', isStale: false, isRenewing: true })
    t.equal(asked.length, 2)
    asked[1]!.answer('new')
    await settled()
    t.same(entry.state.value, { is: 'ready', data: 'new', isStale: false })
  },
)

t.test('what nobody looks at is asked for when it is next used', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  const leave = entry.use()
  asked[0]!.answer('old')
  await settled()
  leave()
  queries.invalidate('')
  t.equal(asked.length, 1)
  entry.use()
  t.equal(asked.length, 2)
})

t.test('an answer that was overtaken by a newer question is dropped', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.use()
  entry.invalidate()
  asked[1]!.answer('new')
  asked[0]!.answer('old')
  await settled()
  t.match(entry.state.value, { data: 'new' })
})

t.test('a failure can be retried; it never takes away what is known', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.use()
  asked[0]!.fail('away')
  await settled()
  t.same(entry.state.value, { is: 'failed', error: 'away' })
  entry.retry()
  t.same(entry.state.value, { is: 'loading' })
  asked[1]!.answer('known')
  await settled()
  entry.invalidate()
  asked[2]!.fail('away again')
  await settled()
  t.same(entry.state.value, { is: 'ready', data: 'known', isStale: true })
})

t.test('an answer is stale from a failure until it is renewed', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.use()
  asked[0]!.answer('known')
  await settled()
  entry.invalidate()
  asked[1]!.fail('away')
  await settled()
  entry.invalidate()
  t.match(entry.state.value, { isStale: true, isRenewing: true })
  asked[2]!.answer('new')
  await settled()
  t.same(entry.state.value, { is: 'ready', data: 'new', isStale: false })
})

t.test('a retry asks again for a fresh answer too', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.use()
  asked[0]!.answer('known')
  await settled()
  entry.retry()
  t.equal(asked.length, 2)
})

t.test('what nobody has looked at for five minutes is forgotten', (t) => {
  const { queries, clock } = station()
  const entryOf = (mode: 'day' | 'night') => queries.entry('GET /api/admin/songs', { query: { mode } })
  const [day, night] = [entryOf('day'), entryOf('night')]
  day.use()
  night.use()()
  clock.nowMs = 299_999
  t.equal(entryOf('night'), night)
  clock.nowMs = 300_000
  t.not(entryOf('night'), night)
  t.equal(entryOf('day'), day, 'somebody looks at it')
  t.end()
})

t.test('of the answers that nobody looks at the last hundred are kept', (t) => {
  const { asked, queries } = station()
  const entryOf = (offset: number) =>
    queries.entry('GET /api/admin/songs/page', { query: { offset, limit: 1 } as never })
  const seen = entryOf(-1)
  seen.use()
  const [first, second] = [entryOf(0), entryOf(1)]
  for (const entry of [first, second]) entry.use()()
  for (let offset = 2; offset <= 100; offset++) entryOf(offset).use()()
  t.equal(asked.length, 102)
  t.equal(entryOf(1), second)
  t.equal(entryOf(-1), seen)
  t.not(entryOf(0), first)
  t.end()
})
