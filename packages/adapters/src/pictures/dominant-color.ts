/** Hues are counted in steps of this many degrees. */
const HUE_STEP = 24
/** Colours with less chroma (0 to 255) than this are taken for grey. */
const GREY_BELOW = 24
/** A picture with fewer coloured pixels than this share is grey as a whole. */
const COLOURED_SHARE = 0.06

type Rgb = [red: number, green: number, blue: number]

/**
 * The colour that a picture is remembered by, as `#rrggbb`: the mean of its most vivid hue, or of all pixels when hardly any of
 * them has one.
 *
 * @param pixels red, green and blue by turns.
 */
export function dominantColor(pixels: Uint8Array): string {
  const hues = Array.from({ length: 360 / HUE_STEP }, () => newSum())
  const all = newSum()
  let coloured = 0
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const rgb: Rgb = [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!]
    add(all, rgb, 1)
    const chroma = Math.max(...rgb) - Math.min(...rgb)
    if (chroma < GREY_BELOW) continue
    coloured++
    add(hues[Math.floor(hueOf(rgb, chroma) / HUE_STEP) % hues.length]!, rgb, chroma)
  }
  const isGrey = coloured < COLOURED_SHARE * (pixels.length / 3)
  const best = isGrey ? all : hues.reduce((one, other) => (other.weight > one.weight ? other : one))
  return `#${best.rgb.map((sum) => hex(best.weight === 0 ? 128 : sum / best.weight)).join('')}`
}

interface Sum {
  rgb: Rgb
  weight: number
}

const newSum = (): Sum => ({ rgb: [0, 0, 0], weight: 0 })

function add(sum: Sum, rgb: Rgb, weight: number): void {
  for (const c of [0, 1, 2] as const) sum.rgb[c] += rgb[c] * weight
  sum.weight += weight
}

/** In degrees, 0 to 360. */
function hueOf([red, green, blue]: Rgb, chroma: number): number {
  const highest = Math.max(red, green, blue)
  const sixth =
    highest === red
      ? (green - blue) / chroma + 6
      : highest === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4
  return (sixth * 60) % 360
}

const hex = (value: number) => Math.round(value).toString(16).padStart(2, '0')
