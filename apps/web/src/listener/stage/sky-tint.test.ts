import t from 'tap'
import { skyTint } from './sky-tint.ts'

// As in styles: the colours of the letters on the sky.
const inks = { day: ['#1d1a16', '#5f5749'], night: ['#ece8df', '#9a9db0'] } as const

t.test('text on the sky stays legible, whatever the picture', (t) => {
  const steps = ['00', '33', '80', 'cc', 'ff']
  for (const mode of ['day', 'night'] as const) {
    let least = Number.POSITIVE_INFINITY
    for (const red of steps)
      for (const green of steps)
        for (const blue of steps)
          for (const ink of inks[mode])
            least = Math.min(
              least,
              contrast(luminanceOf(skyTint(`#${red}${green}${blue}`, mode)), luminanceOfHex(ink)),
            )
    t.ok(least >= 4.5, `${mode}: ${least.toFixed(2)}`)
  }
  t.end()
})

t.test('a coloured picture colours the sky, a grey one does not', (t) => {
  const chromaOf = (color: string) => Number(skyTint(color, 'day').split(' ')[1])
  t.ok(chromaOf('#c03020') >= 0.03)
  t.ok(chromaOf('#808080') < 0.002)
  t.not(skyTint('#c03020', 'day').split(' ')[2], skyTint('#2030c0', 'day').split(' ')[2])
  t.end()
})

t.test('a warm picture makes no mud of the night', (t) => {
  const tint = (color: string) => skyTint(color, 'night').slice(0, -1).split(' ').map(Number)
  for (const warm of ['#c06020', '#804010', '#e0b060', '#d04040']) {
    const [, chroma, hue] = tint(warm)
    t.notOk(hue! > 20 && hue! < 120 && chroma! > 0.01, `${warm}: brown`)
  }
  t.ok(tint('#2050c0')[1]! > 0.025, 'a blue one is welcome')
  t.end()
})

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

/** Relative luminance of `oklch(…)`, as a browser shows it: parts outside of sRGB are cut off. */
function luminanceOf(oklch: string): number {
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

function luminanceOfHex(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return luminance(channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)))
}

function luminance(linear: number[]): number {
  const [red, green, blue] = linear.map((c) => Math.min(1, Math.max(0, c))) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
