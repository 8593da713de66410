import t from 'tap'
import { createTrackCovers } from './track-covers.ts'

/** A station where only tracks named `plain` have no cover. */
function lookUp(failures = 0) {
  const asked: string[][] = []
  const covers = createTrackCovers(async (tracks) => {
    asked.push(tracks)
    if (asked.length <= failures) throw new Error('offline')
    return tracks.map((track) => (track === 'plain' ? null : `cover of ${track}`))
  })
  return { asked, covers, known: new Promise((resolve) => covers.known.subscribe(resolve)) }
}

t.test('rows that appear together are asked for together, and each track once', async (t) => {
  const { asked, covers, known } = lookUp()
  for (const track of ['a', 'plain', 'a']) covers.want(track, 0)
  t.equal(covers.hasAny.value, false)
  await known
  covers.want('plain', 0)
  t.same(asked, [['a', 'plain']])
  t.same(
    [...covers.known.value],
    [
      ['a', 'cover of a'],
      ['plain', null],
    ],
  )
  t.equal(covers.hasAny.value, true)
})

t.test('rows that have time wait for no longer than those that have none', async (t) => {
  const { asked, covers, known } = lookUp()
  covers.want('later', 1e9)
  covers.want('now', 0)
  covers.want('whenever', 1e9)
  await known
  t.same(asked, [['later', 'now', 'whenever']])
})

t.test('a request asks for as many as the station answers', async (t) => {
  const { asked, covers } = lookUp()
  for (let i = 0; i < 45; i++) covers.want(`track ${i}`, 0)
  await new Promise<void>((resolve) => {
    covers.known.subscribe(({ size }) => size === 45 && resolve())
  })
  t.same(
    asked.map(({ length }) => length),
    [20, 20, 5],
  )
})

t.test('what could not be asked is asked when it is wanted again', async (t) => {
  const { asked, covers, known } = lookUp(1)
  covers.want('a', 0)
  const again = setInterval(() => covers.want('a', 0), 1)
  await known
  clearInterval(again)
  t.ok(asked.length >= 2)
  t.equal(covers.known.value.get('a'), 'cover of a')
})

t.test('a station without covers has none to show', async (t) => {
  const { covers, known } = lookUp()
  covers.want('plain', 0)
  await known
  t.equal(covers.hasAny.value, false)
})
