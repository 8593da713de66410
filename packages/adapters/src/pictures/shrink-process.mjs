// The process of pictures.ts. Plain JavaScript, which starts without the loader that TypeScript needs.
import sharp from 'sharp'

/** Decoded, a picture takes four bytes per pixel. */
const MAX_PIXELS = 40_000_000
/** Side of the small copy that colours are counted in. */
const SAMPLE = 48

// The types of these bytes alone; everything else, above all SVG and what it may load, has no reader.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp'].map((type) => `VipsForeignLoad${type}Buffer`),
})
sharp.cache(false)
sharp.concurrency(1)

process.on('message', async ({ picture, sizes }) => {
  const answer = await shrink(picture, sizes).catch(() => null)
  process.send?.(answer)
})
process.send?.('ready')

async function shrink(picture, sizes) {
  const open = () =>
    sharp(picture, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient().toColourspace('srgb')
  const { autoOrient } = await open().metadata()
  const side = Math.min(autoOrient.width, autoOrient.height)
  const { data: sample } = await open()
    .flatten({ background: '#808080' })
    .resize(SAMPLE, SAMPLE, { fit: 'cover' })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const squares = []
  for (const size of sizes) {
    const shown = Math.min(size, side)
    const bytes = await open()
      .flatten({ background: '#808080' })
      .resize(shown, shown, { fit: 'cover', position: 'centre' })
      .webp({ quality: 82, effort: 4, smartSubsample: true })
      .toBuffer()
    squares.push({ size, bytes })
    // A larger one would be this one again.
    if (size >= side) break
  }
  return { sample, squares }
}
