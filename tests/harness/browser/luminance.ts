/** Contrast ratio of two luminances, 1 to 21. */
export function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

/** Relative luminance of `oklch(…)`, as a browser shows it: parts outside of sRGB are cut off. */
export function luminanceOf(oklch: string): number {
  const [lightness, chroma, hue] = oklch.slice('oklch('.length, -1).split(' ').map(Number) as [
    number,
    number,
    number,
  ]
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return luminance([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ])
}

/** Relative luminance of `#rrggbb`. */
export function luminanceOfHex(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return luminance(channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)))
}

function luminance(linear: number[]): number {
  const [red, green, blue] = linear.map((c) => Math.min(1, Math.max(0, c))) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
