import type { Mode } from '@solstice/contracts'

/**
 * Lightness of the sky, how much colour it bears before the letters on it suffer, and what it keeps of its own: a dark sky in a warm
 * hue alone would be mud.
 */
const skies = {
  day: { lightness: 0.945, share: 0.3, maxChroma: 0.03, own: { share: 0, a: 0, b: 0 } },
  night: { lightness: 0.2, share: 0.5, maxChroma: 0.05, own: { share: 0.75, a: 0.0013, b: -0.0249 } },
} as const satisfies Record<Mode, object>

/**
 * The sky in the hue of a picture: as light as the sky of the mode always is, so that text on it stays as legible.
 *
 * @param color `#rrggbb`.
 */
export function skyTint(color: string, mode: Mode): string {
  const { lightness, share, maxChroma, own } = skies[mode]
  const picture = colourOf(color)
  const kept = Math.min(share, maxChroma / Math.hypot(picture.a, picture.b)) * (1 - own.share)
  const a = picture.a * kept + own.a * own.share
  const b = picture.b * kept + own.b * own.share
  const hue = ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360
  return `oklch(${lightness} ${Math.hypot(a, b).toFixed(4)} ${hue.toFixed(1)})`
}

/** The colour without its lightness, in OKLab (bottosson.github.io/posts/oklab). */
function colourOf(color: string): { a: number; b: number } {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  ) as [number, number, number]
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { a, b }
}

const linear = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
