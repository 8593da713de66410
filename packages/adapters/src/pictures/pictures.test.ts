import { deflateSync } from 'node:zlib'
import t from 'tap'
import { makePicture, webpSize } from '../../../../tests/harness/audio/pictures.ts'
import { dominantColor } from './dominant-color.ts'
import { openPictures } from './pictures.ts'

const SIZES = [96, 256, 512, 1024]
const pictures = openPictures()
const small = await makePicture({ width: 300, height: 200, color: '0xc06030' })

t.test(
  'squares of all sizes up to the first that holds all of the picture; none is larger than it',
  async (t) => {
    const large = await makePicture({ width: 1200, height: 1100, color: 'testsrc', type: 'png' })
    for (const [picture, sides] of [
      [large, [96, 256, 512, 1024]],
      [small, [96, 200]],
    ] as const) {
      const shown = await pictures.show(picture, SIZES)
      t.same(
        shown?.squares.map(({ size }) => size),
        SIZES.slice(0, sides.length),
      )
      t.same(
        shown?.squares.map(({ bytes }) => webpSize(bytes)),
        sides.map((side) => [side, side]),
      )
    }
  },
)

t.test('JPEG, PNG and WebP are read, and their colour is found', async (t) => {
  for (const type of ['mjpeg', 'png', 'libwebp'] as const) {
    const picture = await makePicture({ width: 120, height: 90, color: '0x2060c0', type })
    const { color } = (await pictures.show(picture, []))!
    const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
    t.ok(Math.abs(channels[0]! - 0x20) < 8 && Math.abs(channels[2]! - 0xc0) < 8, `${type}: ${color}`)
  }
})

t.test('nothing else is a picture, and the next one is read', async (t) => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><image href="file:///etc/passwd"/></svg>'
  const [gif, tiff, bmp] = (await Promise.all(
    (['gif', 'tiff', 'bmp'] as const).map((type) =>
      makePicture({ width: 99, height: 99, color: 'red', type }),
    ),
  )) as [Buffer, Buffer, Buffer]
  const refused = {
    nothing: Buffer.alloc(0),
    text: Buffer.from('no picture'),
    svg: Buffer.from(svg),
    'svg behind a declaration': Buffer.from(`<?xml version="1.0"?>${svg}`),
    'half a JPEG': small.subarray(0, small.length / 2),
    'more than 10 MB': Buffer.concat([small, Buffer.alloc(10 * 1024 * 1024)]),
    'a PNG of 64 megapixels': pngOf(8_000, 8_000),
    'a PNG that claims more pixels than there are bytes in the world': pngOf(2 ** 31 - 1, 2 ** 31 - 1, ''),
    ...{ gif, tiff, bmp },
  }
  for (const [what, bytes] of Object.entries(refused)) t.equal(await pictures.show(bytes, SIZES), null, what)
  t.ok(await pictures.show(small, SIZES))
})

t.test('a picture that takes too long is given up', async (t) => {
  t.equal(await openPictures(0).show(small, SIZES), null)
  t.ok(await pictures.show(small, SIZES))
})

t.test('the colour of a picture is its most vivid hue; a grey one has its mean', (t) => {
  const of = (...counts: [count: number, rgb: number[]][]) =>
    dominantColor(Uint8Array.from(counts.flatMap(([count, rgb]) => Array(count).fill(rgb).flat())))
  t.equal(of([90, [250, 250, 250]], [10, [200, 40, 40]]), '#c82828', 'a mark on white paper')
  t.equal(of([60, [40, 40, 200]], [40, [200, 40, 40]]), '#2828c8')
  t.equal(of([50, [0, 0, 0]], [50, [100, 100, 100]]), '#323232')
  t.equal(of([99, [100, 100, 100]], [1, [255, 0, 0]]), '#666363', 'a speck is not what one remembers')
  t.equal(of(), '#808080')
  t.end()
})

/** A PNG of one bit per pixel, all black. */
function pngOf(width: number, height: number, data: string | null = null): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const pixels = data === null ? Buffer.alloc((1 + width / 8) * height) : Buffer.from(data)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(name), content])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** ISO 3309, as PNG has it. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
