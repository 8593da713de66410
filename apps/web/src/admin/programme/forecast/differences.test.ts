import type { ForecastItem } from '@solstice/contracts'
import t from 'tap'
import { differences } from './differences.ts'

/** Songs as letters, jingles as digits. */
const programme = (letters: string): ForecastItem[] =>
  [...letters].map((id, i) =>
    /\d/.test(id)
      ? { type: 'jingle', startsAt: i, mode: 'day', id, filename: id, duration: 5 }
      : {
          type: 'song',
          startsAt: i,
          mode: 'day',
          id,
          title: id,
          artist: id,
          duration: 60,
          orderType: null,
          tier: null,
          isQueued: false,
          phrase: null,
        },
  )

const marked = (letters: string, other: string) => {
  const found = differences(programme(letters), programme(other))
  return [...letters].filter((_, i) => found.has(i)).join('')
}

t.test('what both programmes have in the same order is no difference', async (t) => {
  t.equal(marked('abcd', 'abcd'), '')
  t.equal(marked('ab1cd2', 'abcd'), '12')
  t.equal(marked('abcd', 'ab1cd2'), '')
  t.equal(marked('abxd', 'abcd'), 'x')
  t.equal(marked('xyz', 'abc'), 'xyz')
  t.equal(marked('ab', ''), 'ab')
})

t.test('another phrase over the same song is one', async (t) => {
  const [song] = programme('a')
  const phrase = { id: 'p', filename: 'p.mp3', startsAt: 0 }
  t.same([...differences([{ ...song!, phrase } as ForecastItem], [song!])], [0])
})
