import t from 'tap'
import {
  addAfter,
  areAlike,
  type EditedLyrics,
  MAX_TIME_S,
  outOfOrder,
  remove,
  replaceWith,
  setTime,
  sortByTime,
  spreadBySecond,
  stamp,
  stripTimes,
  toEdited,
  toEntry,
} from './lines.ts'

const synced = (...times: number[]): EditedLyrics =>
  toEdited({ synced: true, lines: times.map((time, i) => ({ time, text: `Line ${i}` })) })
const timesOf = ({ lines }: EditedLyrics) => lines.map(({ time }) => time)
const idAt = ({ lines }: EditedLyrics, at: number) => lines[at]!.id

t.test('a stamp gives a line the time of the playhead and moves no other', async (t) => {
  const lyrics = synced(1, 2, 3)
  t.same(timesOf(stamp(lyrics, idAt(lyrics, 1), 61.2345)), [1, 61.23, 3])
  t.same(timesOf(stamp(lyrics, idAt(lyrics, 1), -5)), [1, 0, 3])
  t.same(timesOf(stamp(lyrics, idAt(lyrics, 1), 99_999)), [1, MAX_TIME_S, 3])
})

t.test('changing the minute carries to the lines that follow', async (t) => {
  const lyrics = synced(5, 6, 7.5)
  t.same(timesOf(setTime(lyrics, idAt(lyrics, 1), 71)), [5, 71, 67.5])
  t.same(timesOf(setTime(lyrics, idAt(lyrics, 1), 30)), [5, 30, 7.5], 'seconds carry nowhere')
  const later = synced(65, 66)
  t.same(timesOf(setTime(later, idAt(later, 0), 5)), [5, 6], 'back as well')
})

t.test('a paste of several lines splits, and the focus goes to the last', async (t) => {
  const lyrics = synced(1, 2, 3)
  const pasted = replaceWith(lyrics, idAt(lyrics, 1), ['a', 'b', 'c'])
  t.same(
    pasted.lyrics.lines.map(({ text }) => text),
    ['Line 0', 'a', 'b', 'c', 'Line 2'],
  )
  t.same(timesOf(pasted.lyrics), [1, 2, 2, 2, 3])
  t.equal(idAt(pasted.lyrics, 1), idAt(lyrics, 1))
  t.equal(pasted.lastId, idAt(pasted.lyrics, 3))
})

t.test('a line is added after another one, and removed', async (t) => {
  const lyrics = synced(1, 2)
  const added = addAfter(lyrics, idAt(lyrics, 0))
  t.same(timesOf(added.lyrics), [1, 1, 2])
  t.same(timesOf(addAfter(lyrics, null).lyrics), [0, 1, 2])
  t.same(timesOf(remove(added.lyrics, added.id)), [1, 2])
})

t.test('plain lyrics have no times; synced ones from plain begin a second apart', async (t) => {
  const plain = stripTimes(synced(4, 9))
  t.same(toEntry(plain), {
    synced: false,
    lines: [
      { time: 0, text: 'Line 0' },
      { time: 0, text: 'Line 1' },
    ],
  })
  const withBlank = toEdited({ synced: false, lines: ['a', '', 'b'].map((text) => ({ time: 0, text })) })
  t.same(toEntry(spreadBySecond(withBlank)).lines, [
    { time: 0, text: 'a' },
    { time: 1, text: 'b' },
  ])
})

t.test('lines that begin before the line above are named, and sorted on request', async (t) => {
  const lyrics = synced(1, 5, 3, 4)
  t.same([...outOfOrder(lyrics)], [idAt(lyrics, 2)])
  t.same(timesOf(sortByTime(lyrics)), [1, 3, 4, 5])
  t.equal(outOfOrder(stripTimes(lyrics)).size, 0)
})

t.test('lyrics are alike when they are stored alike', async (t) => {
  t.ok(areAlike(synced(1, 2), synced(1, 2)), 'ids do not count')
  t.notOk(areAlike(synced(1, 2), synced(1, 3)))
  const empty = addAfter(synced(1, 2), null).lyrics
  t.ok(areAlike(empty, synced(1, 2)), 'synced lines without text are not stored')
})
