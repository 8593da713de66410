import type { QueueItem } from '@solstice/contracts'
import t from 'tap'
import { placesFor, placesForNew, travelPx, yieldPx } from './places.ts'

const kinds = { p: 'donated', r: 'lastinline', g: null } as const
/** A queue by the kinds and ids of its entries: p = paid, r = requested, g = generated. */
const queue = (text: string, more: { airId?: string; left?: number } = {}) => {
  const items = text.split(' ').map((id) => ({ id, orderType: kinds[id[0] as 'p' | 'r' | 'g'] }) as QueueItem)
  return { items, airId: 'on air', left: items.length, ...more }
}

t.test('A11b: an entry is offered places among its own kind only', async (t) => {
  const mixed = queue('p1 p2 r1 r2 r3 g1 g2 g3')
  t.same(placesFor(mixed, 3), [4, 5])
  t.same(placesFor(mixed, 4), [3, 5])
  t.same(placesFor(mixed, 8), [6, 7])
  t.same(placesFor(queue('g1 g2 r1 g3'), 4), [], 'a request is not passed')
})

t.test('A11b: the place of the next entry can be taken', async (t) => {
  t.same(placesFor(queue('g1 g2 g3'), 3), [1, 2])
})

t.test('A11c: donated and locked entries are offered no place', async (t) => {
  t.same(placesFor(queue('r1 p1 p2 p3'), 3), [], 'donated')
  t.same(placesFor(queue('g1 g2 g3'), 1), [], 'the next one')
  t.same(placesFor(queue('g1 g2 g3 g1'), 4), [], 'the track that is next, once more')
  t.same(placesFor(queue('g1 g2 g3', { airId: 'g2' }), 2), [], 'the track on air, once more')
  t.same(placesFor(queue('g1 g2'), 3), [], 'nothing is there')
})

t.test('A11c: no place is offered in the prepared playlist, nor to its entries', async (t) => {
  const ending = queue('g1 g2 g3 g4 g5', { left: 3 })
  t.same(placesFor(ending, 2), [1, 3])
  t.same(placesFor(ending, 4), [])
})

t.test('A11c: no place is offered where a track would follow itself', async (t) => {
  t.same(placesFor(queue('g0 g1 g2 g1 g3'), 3), [], 'nor where it leaves two of the same side by side')
  t.same(placesFor(queue('g0 g1 g2 g3 g1'), 5), [1, 4])
})

t.test('a row travels over the rows that it passes, and these make way by its height', async (t) => {
  const heights = [40, 50, 60, 70]
  t.equal(travelPx(heights, 2, 4), 130)
  t.equal(travelPx(heights, 4, 2), -110)
  t.equal(travelPx(heights, 3, 3), 0)
  t.same(
    [1, 2, 3, 4].map((position) => yieldPx(heights, { from: 2, to: 4 }, position)),
    [0, 0, -50, -50],
  )
  t.same(
    [1, 2, 3, 4].map((position) => yieldPx(heights, { from: 4, to: 2 }, position)),
    [0, 70, 70, 0],
  )
})

t.test(
  'A12: a new track stands behind the donated ones, among the requested ones, not beside itself',
  async (t) => {
    const entry = (id: string, orderType: 'donated' | 'lastinline' | null = null) => ({ id, orderType })
    const items = [entry('p', 'donated'), entry('a', 'lastinline'), entry('b', 'lastinline'), entry('x')]
    const places = (id: string, left = 4) => placesForNew({ items, airId: 'air', left }, id)
    t.same(places('new'), [2, 3, 4])
    t.same(places('a'), [4])
    t.same(places('x'), [2, 3])
    t.same(placesForNew({ items: [entry('x')], airId: 'air', left: 1 }, 'air'), [])
    t.same(placesForNew({ items: [], airId: null, left: 0 }, 'new'), [1])
    t.same(placesForNew({ items: [entry('q', 'lastinline')], airId: 'air', left: 0 }, 'new'), [1])
  },
)
