import t from 'tap'
import { compareLyrics } from './compare.ts'

const lines = (...texts: string[]) => texts.map((text, i) => ({ time: i, text }))
const told = (a: string[], b: string[]) =>
  compareLyrics(lines(...a), lines(...b)).map(({ is, mine, found }) => [is, mine?.text, found?.text])

t.test('lines with the same words meet, whatever stands between them', async (t) => {
  t.same(told(['One', 'Two', 'Three'], ['One', 'New', 'Two', 'Three']), [
    ['same', 'One', 'One'],
    ['added', undefined, 'New'],
    ['retimed', 'Two', 'Two'],
    ['retimed', 'Three', 'Three'],
  ])
})

t.test('a line in the place of another one is changed', async (t) => {
  t.same(told(['One', 'Tow', 'Three'], ['One', 'Two', 'Three']), [
    ['same', 'One', 'One'],
    ['changed', 'Tow', 'Two'],
    ['same', 'Three', 'Three'],
  ])
})

t.test('case and punctuation meet, but count as a change', async (t) => {
  t.same(told(['one, two'], ['One two!']), [['changed', 'one, two', 'One two!']])
})

t.test('nothing is lost when one of both is empty', async (t) => {
  t.same(told([], ['One']), [['added', undefined, 'One']])
  t.same(told(['One', 'Two'], []), [
    ['removed', 'One', undefined],
    ['removed', 'Two', undefined],
  ])
})

t.test('very long lyrics are compared in bounded time', async (t) => {
  const many = Array.from({ length: 5_000 }, (_, i) => ({ time: i, text: `Line ${i}` }))
  const startMs = performance.now()
  t.equal(compareLyrics(many, many.toReversed()).length, 5_000)
  t.ok(performance.now() - startMs < 1_000)
})
