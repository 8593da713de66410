import t from 'tap'
import { cropArea, PORTRAIT, sentSize } from './crop-area.ts'

const WIDE = { width: 1600, height: 900 }
const TALL = { width: 900, height: 4000 }
const MIDDLE = { x: 0.5, y: 0.5 }

t.test('a crop is 9:20 and as large as the image allows', async (t) => {
  t.same(cropArea(WIDE, MIDDLE, 1), { x: 597.5, y: 0, width: 405, height: 900 })
  t.same(cropArea(TALL, MIDDLE, 1), { x: 0, y: 1000, width: 900, height: 2000 })
  t.equal(cropArea(WIDE, MIDDLE, 2).height, 450)
})

t.test('a crop never leaves the image', async (t) => {
  for (const centre of [
    { x: -1, y: -1 },
    { x: 2, y: 2 },
  ]) {
    const { x, y, width, height } = cropArea(WIDE, centre, 3)
    t.ok(x >= 0 && y >= 0 && x + width <= 1600 && y + height <= 900)
  }
})

t.test('what is sent is taller than wide and bounded', async (t) => {
  t.same(sentSize(cropArea(TALL, MIDDLE, 1)), { width: 720, height: 1600 })
  const small = sentSize(cropArea({ width: 10, height: 10 }, MIDDLE, 4))
  t.ok(small.height > small.width && small.width > 0)
  t.ok(Math.abs(720 / 1600 - PORTRAIT) < 0.001)
})
