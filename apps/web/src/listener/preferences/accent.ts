import type { Mode } from '@solstice/contracts'
import { themes } from '../../ui/theme.ts'

/** As for texts (WCAG 2.2, 1.4.3): the accent draws letters and thin lines. */
export const MIN_CONTRAST = 4.5
const STEPS = 100

type Rgb = readonly [number, number, number]

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

const rgbOf = (colour: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb

const colourOf = (rgb: Rgb): string =>
  `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`

function luminanceOf(colour: string): number {
  const [red, green, blue] = rgbOf(colour).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast ratio of two colours, 1 to 21. */
export function contrastOf(a: string, b: string): number {
  const [light, dark] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => y - x)
  return (light! + 0.05) / (dark! + 0.05)
}

/** The colour, as much darker by day or lighter by night as it needs to be legible on sky and ground. */
export function legibleAccent(colour: string, mode: Mode): string {
  const { sky, horizon } = themes[mode]
  const end: Rgb = mode === 'day' ? [0, 0, 0] : [255, 255, 255]
  const from = rgbOf(colour)
  for (let step = 0; step < STEPS; step++) {
    const mixed = colourOf(
      from.map((value, i) => value + ((end[i]! - value) * step) / STEPS) as unknown as Rgb,
    )
    if ([sky, horizon].every((ground) => contrastOf(mixed, ground) >= MIN_CONTRAST)) return mixed
  }
  return colourOf(end)
}

/** What style sheets know an accent by, in both modes. */
export const accentProperties = (colour: string): Record<`--accent-${Mode}`, string> => ({
  '--accent-day': colour && legibleAccent(colour, 'day'),
  '--accent-night': colour && legibleAccent(colour, 'night'),
})

/** A rule with these for the page as it is sent; '' without an accent. */
export function accentStyle(colour: string): string {
  if (!colour) return ''
  const lines = Object.entries(accentProperties(colour)).map(([name, value]) => `${name}:${value}`)
  return `:root{${lines.join(';')}}`
}
