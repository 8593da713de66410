import type { Page } from 'playwright-core'

/** A part of a page with a text in it, in CSS pixels. */
export interface Region {
  name: string
  x: number
  y: number
  width: number
  height: number
}

export interface Legibility {
  name: string
  /** The piece of the region, from the left. */
  piece: number
  contrast: number
}

/**
 * The contrast between the letters and the ground under them, as a picture shows them. Each region is cut into pieces twice
 * as wide as it is high, because the ground may differ within it; pieces on which a change of the ground falls are left
 * out, as are those without a letter.
 *
 * @param paper any page, which decodes the picture.
 * @param scale pixels of the picture per CSS pixel: with few of them, thin letters are paler than their colour.
 */
export async function legibility(
  paper: Page,
  picture: Buffer,
  regions: Region[],
  scale: number,
): Promise<Legibility[]> {
  const inPixels = regions.map(({ name, x, y, width, height }) => ({
    name,
    x: Math.round(x * scale),
    y: Math.round(y * scale),
    width: Math.round(width * scale),
    height: Math.round(height * scale),
  }))
  return paper.evaluate(
    async ({ data, regions }) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')!
      context.drawImage(image, 0, 0)
      const channel = (value: number) =>
        value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4
      const luminance = (colour: number) =>
        0.2126 * channel(colour >> 16) +
        0.7152 * channel((colour >> 8) & 255) +
        0.0722 * channel(colour & 255)
      const contrastOf = (a: number, b: number) => {
        const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y)
        return (light! + 0.05) / (dark! + 0.05)
      }
      const found = []
      for (const { name, x, y, width, height } of regions) {
        const pieces = Math.max(1, Math.floor(width / (2 * height)))
        for (let piece = 0; piece < pieces; piece++) {
          const { data } = context.getImageData(x + (piece * width) / pieces, y, width / pieces, height)
          const counts = new Map<number, number>()
          for (let i = 0; i < data.length; i += 4) {
            const colour = (data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!
            counts.set(colour, (counts.get(colour) ?? 0) + 1)
          }
          const [ground, second] = [...counts].sort(([, a], [, b]) => b - a)
          const pixels = data.length / 4
          const furthest = Math.max(...[...counts.keys()].map((colour) => contrastOf(colour, ground![0])))
          // Two large areas are two grounds; without any other colour there is no letter.
          const isCrossed = second !== undefined && second[1] > pixels / 5
          if (!isCrossed && furthest > 1.05)
            found.push({ name, piece, contrast: Math.round(furthest * 10) / 10 })
        }
      }
      return found
    },
    { data: picture.toString('base64'), regions: inPixels },
  )
}
