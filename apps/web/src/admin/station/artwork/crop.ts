/** Width by height of an artist's image. */
export const PORTRAIT = 9 / 20
/** The most that listeners' screens make use of. */
const MAX_WIDTH = 900
export const MAX_ZOOM = 4

export interface Size {
  width: number
  height: number
}

/** What is taken of a picture: `zoom` 1 = as much as fits; `x` and `y` from 0 (left, top) to 1. */
export interface Framing {
  zoom: number
  x: number
  y: number
}

/** The part of a picture that a framing takes, in its pixels. */
export function cropOf(picture: Size, { zoom, x, y }: Framing): Size & { left: number; top: number } {
  const isWide = picture.width / picture.height > PORTRAIT
  const width = (isWide ? picture.height * PORTRAIT : picture.width) / zoom
  const height = width / PORTRAIT
  return { width, height, left: (picture.width - width) * x, top: (picture.height - height) * y }
}

/** The size in which a part is saved: as it is, but no larger than of use. */
export function savedSize(crop: Size): Size {
  const width = Math.max(1, Math.round(Math.min(MAX_WIDTH, crop.width)))
  return { width, height: Math.round(width / PORTRAIT) }
}

/** The framing after the picture was dragged by a part of the frame's width and height. */
export function dragged(picture: Size, framing: Framing, by: { x: number; y: number }): Framing {
  const { width, height } = cropOf(picture, framing)
  const moved = (at: number, part: number, shown: number, whole: number) =>
    whole - shown < 1 ? at : Math.min(1, Math.max(0, at - (part * shown) / (whole - shown)))
  return {
    ...framing,
    x: moved(framing.x, by.x, width, picture.width),
    y: moved(framing.y, by.y, height, picture.height),
  }
}
