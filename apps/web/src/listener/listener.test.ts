import t from 'tap'
import { air } from '../../../../tests/harness/air/radio-state.ts'
import { formatDuration } from './format.ts'
import { activeLine } from './sheets/lyrics/lyrics.ts'
import { artVisibility } from './stage/art-visibility.ts'
import { en } from './texts/en.ts'
import { counted } from './texts/plural.ts'
import { uk } from './texts/uk.ts'
import { troubleOf } from './trouble.ts'

t.test('every text exists in both languages; numbers get the right plural', async (t) => {
  const shape = (value: unknown): unknown =>
    typeof value === 'object' && value && !('many' in value)
      ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
      : typeof value
  t.same(shape(uk), shape(en))
  t.notOk([uk, en].some((table) => Object.values(table).includes('')))
  const cups = { one: 'чашка', few: 'чашки', many: 'чашок' }
  t.same(
    [1, 3, 11, 22].map((n) => counted(n, cups, 'uk')),
    ['1 чашка', '3 чашки', '11 чашок', '22 чашки'],
  )
  t.equal(counted(2, { one: 'cup', many: 'cups' }, 'en'), '2 cups')
})

t.test('one trouble is shown at a time, the most basic first', async (t) => {
  const retrying = { is: 'retrying', because: 'not-ready' } as const
  t.equal(troubleOf('offline', null, retrying), 'offline')
  t.equal(troubleOf('online', null, { is: 'off' }), 'connecting')
  t.equal(troubleOf('online', air({ isPreparing: true }), { is: 'starting' }), 'preparing')
  t.equal(troubleOf('online', air({}), { is: 'blocked' }), 'blocked')
  t.equal(troubleOf('online', air({}), retrying), 'not-ready')
  t.equal(troubleOf('online', air({}), { is: 'playing' }), null)
  t.equal(
    troubleOf('connecting', air({}), { is: 'off' }),
    null,
    'a page that was sent with the state shows it',
  )
})

t.test('the sung line is the last one whose time and offset have come', async (t) => {
  const lines = [5, 8, 12].map((time) => ({ time, text: '' }))
  t.same(
    [0, 5, 11.9, 99].map((at) => activeLine({ lines, offset: 0 }, at)),
    [-1, 0, 1, 2],
  )
  t.equal(activeLine({ lines, offset: 1.5 }, 9), 0)
  t.equal(activeLine({ lines, offset: -1.5 }, 11), 2)
})

t.test('the picture fades in over the first 15 s of a track and out over the last', async (t) => {
  t.same(
    [0, 7.5, 15, 100, 192.5, 200].map((at) => artVisibility(at, 200)),
    [0, 0.5, 1, 1, 0.5, 0],
  )
  t.equal(artVisibility(3, 0), 1, 'a track of unknown length has no end to fade before')
})

t.test('durations are shown as minutes and seconds', async (t) => {
  t.same([0, 7.9, 60, 187, 3725].map(formatDuration), ['0:00', '0:07', '1:00', '3:07', '62:05'])
})
