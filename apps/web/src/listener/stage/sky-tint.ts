import type { Mode } from '@solstice/contracts'

/** Lightness of the sky, and how much colour it bears before the letters on it suffer. */
const skies = {
  day: { lightness: 0.945, share: 0.3, maxChroma: 0.03 },
  night: { lightness: 0.2, share: 0.5, maxChroma: 0.05 },
} as const satisfies Record<Mode, object>

/**
 * The sky in the hue of a picture: as light as the sky of the mode always is, so that text on it stays as legible.
 *
 * @param color `#rrggbb`.
 */
export function skyTint(color: string, mode: Mode): string {
  const { lightness, share, maxChroma } = skies[mode]
  const { chroma, hue } = hueOf(color)
  return `oklch(${lightness} ${Math.min(maxChroma, chroma * share).toFixed(4)} ${hue.toFixed(1)})`
}

/** Chroma and hue (degrees) in OKLCH (bottosson.github.io/posts/oklab). */
function hueOf(color: string): { chroma: number; hue: number } {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(color.slice(at, at + 2), 16) / 255),
  ) as [number, number, number]
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { chroma: Math.hypot(a, b), hue: ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360 }
}

const linear = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
