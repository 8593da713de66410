import { draw } from '@solstice/playout'
import t from 'tap'
import { ByPlace } from './by-place.ts'

const SEED = 20_261_128

t.test('it is a Map in order of its numbers, whatever is set and deleted', async (t) => {
  let seed = SEED
  const below = (limit: number) => {
    const drawn = draw(seed)
    seed = drawn.seed
    return Math.floor(drawn.value * limit)
  }
  const here = new ByPlace<number>()
  const model = new Map<number, number>()
  const sorted = () => [...model].sort(([a], [b]) => a - b)
  for (let i = 0; i < 5_000; i++) {
    const place = 1 + below(300)
    if (below(10) < 4) {
      const few = below(20) > 0
      const places = new Set(few ? [place] : Array.from({ length: 40 }, () => 1 + below(300)))
      here.delete(places)
      for (const one of places) model.delete(one)
    } else {
      here.set(place, i)
      model.set(place, i)
    }
    const other = below(310)
    if (here.get(other) !== model.get(other) || here.has(other) !== model.has(other)) t.fail(`at ${other}`)
    if (i % 500 === 0) t.same([...here], sorted())
  }
  t.same([...here], sorted())
  t.same(
    here.values(),
    sorted().map(([, value]) => value),
  )
  t.equal(here.size, model.size)
})
