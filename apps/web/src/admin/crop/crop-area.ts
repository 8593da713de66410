/** The part of an image that is kept, in its own pixels. */
export interface Area {
  x: number
  y: number
  width: number
  height: number
}

/** Width by height: artists' images stand behind the page of a phone. */
export const PORTRAIT = 9 / 20
/** The most that is sent; more would be seen by nobody. */
const MOST_HEIGHT_PX = 1_600

interface Size {
  width: number
  height: number
}

/** The area around a centre (0 to 1 of the image), as large as fits and divided by `zoom`; never beyond the edges. */
export function cropArea(image: Size, centre: { x: number; y: number }, zoom: number): Area {
  const height = Math.min(image.height, image.width / PORTRAIT) / Math.max(1, zoom)
  const width = height * PORTRAIT
  const within = (at: number, span: number, whole: number) =>
    Math.min(whole - span, Math.max(0, at * whole - span / 2))
  return {
    x: within(centre.x, width, image.width),
    y: within(centre.y, height, image.height),
    width,
    height,
  }
}

/** The size of the image that is sent for an area, in whole pixels. */
export function sentSize({ height }: Area): Size {
  const sent = Math.max(20, Math.round(Math.min(height, MOST_HEIGHT_PX)))
  return { width: Math.max(9, Math.round(sent * PORTRAIT)), height: sent }
}
