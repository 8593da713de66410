import t from 'tap'
import { createQueries } from './queries.ts'

/** Questions that the test answers. */
function station() {
  const asked: { key: string; answer: (data: unknown) => void; fail: (error: unknown) => void }[] = []
  const queries = createQueries((key) => new Promise((answer, fail) => asked.push({ key, answer, fail })))
  return { asked, queries }
}
const settled = () => new Promise(setImmediate)

t.test('an answer is asked for once, however many use it', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs', { query: { mode: 'day' } })
  t.equal(queries.entry('GET /api/admin/songs', { query: { mode: 'day' } }), entry)
  t.not(queries.entry('GET /api/admin/songs', { query: { mode: 'night' } }), entry)
  entry.load()
  entry.load()
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
    entry.users = 1
    entry.load()
    asked[0]!.answer('old')
    await settled()
    queries.invalidate('/api/admin/jingles')
    t.equal(asked.length, 1, 'another route')
    queries.invalidate('/api/admin/songs')
    t.same(entry.state.value, { is: 'ready', data: 'old', isStale: true })
    t.equal(asked.length, 2)
    asked[1]!.answer('new')
    await settled()
    t.same(entry.state.value, { is: 'ready', data: 'new', isStale: false })
  },
)

t.test('what nobody looks at is asked for when it is next used', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.load()
  asked[0]!.answer('old')
  await settled()
  queries.invalidate('')
  t.equal(asked.length, 1)
  entry.load()
  t.equal(asked.length, 2)
})

t.test('an answer that was overtaken by a newer question is dropped', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.users = 1
  entry.load()
  entry.invalidate()
  asked[1]!.answer('new')
  asked[0]!.answer('old')
  await settled()
  t.match(entry.state.value, { data: 'new' })
})

t.test('a failure can be retried; it never takes away what is known', async (t) => {
  const { asked, queries } = station()
  const entry = queries.entry('GET /api/admin/songs')
  entry.users = 1
  entry.load()
  asked[0]!.fail('away')
  await settled()
  t.same(entry.state.value, { is: 'failed', error: 'away' })
  entry.load()
  t.same(entry.state.value, { is: 'loading' })
  asked[1]!.answer('known')
  await settled()
  entry.invalidate()
  asked[2]!.fail('away again')
  await settled()
  t.same(entry.state.value, { is: 'ready', data: 'known', isStale: true })
})
