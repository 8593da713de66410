import t from 'tap'
import { cropOf, dragged, savedSize } from './crop.ts'

t.test('as much as fits is taken of a wide and of a tall picture', async (t) => {
  const centred = { zoom: 1, x: 0.5, y: 0.5 }
  t.same(cropOf({ width: 2000, height: 1000 }, centred), { width: 450, height: 1000, left: 775, top: 0 })
  t.same(cropOf({ width: 450, height: 2000 }, centred), { width: 450, height: 1000, left: 0, top: 500 })
})

t.test('twice as near shows half as much', async (t) => {
  const { width, height } = cropOf({ width: 2000, height: 1000 }, { zoom: 2, x: 0, y: 0 })
  t.same([width, height], [225, 500])
})

t.test('what is saved is a portrait, and never larger than of use', async (t) => {
  t.same(savedSize({ width: 450, height: 1000 }), { width: 450, height: 1000 })
  t.same(savedSize({ width: 4500, height: 10_000 }), { width: 900, height: 2000 })
})

t.test('a picture follows the finger, and stops at its edge', async (t) => {
  const picture = { width: 900, height: 1000 }
  const framing = { zoom: 1, x: 0.5, y: 0.5 }
  t.same(dragged(picture, framing, { x: 0.5, y: 0 }), { ...framing, x: 0 })
  t.same(dragged(picture, framing, { x: -0.25, y: 0.5 }), { ...framing, x: 0.75 })
  t.same(dragged(picture, framing, { x: 9, y: 9 }), { ...framing, x: 0 })
})
