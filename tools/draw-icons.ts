/**
 * Draws `favicon.ico` and `apple-touch-icon.png` from `favicon.svg`. To be run after that changed:
 * `node --import tsx tools/draw-icons.ts`
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-js'

const folder = join(import.meta.dirname, '../apps/web/public')
const svg = await readFile(join(folder, 'favicon.svg'), 'utf8')
const draw = (size: number) => new Resvg(svg, { fitTo: { mode: 'width', value: size } }).render().asPng()

await writeFile(join(folder, 'apple-touch-icon.png'), draw(180))
await writeFile(join(folder, 'favicon.ico'), asIcon([16, 32, 48]))

/** An ICO file: a directory of images, then each of them as PNG. */
function asIcon(sizes: number[]): Buffer {
  const images = sizes.map((size) => ({ size, png: draw(size) }))
  const head = Buffer.alloc(6 + 16 * images.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(images.length, 4)
  let at = head.length
  for (const [i, { size, png }] of images.entries()) {
    const entry = 6 + 16 * i
    head.writeUInt8(size, entry)
    head.writeUInt8(size, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(at, entry + 12)
    at += png.length
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)])
}
