import t from 'tap'
import { contrast, luminanceOf, luminanceOfHex } from '../../../../../tests/harness/browser/luminance.ts'
import { themes } from '../../ui/theme.ts'
import { skyTint } from '../stage/sky-tint.ts'
import { contrastOf, isColour, legibleAccent, MIN_CONTRAST } from './accent.ts'

t.test('every accent is legible on sky and ground, and what stands on it too', async (t) => {
  const levels = ['00', '55', 'aa', 'ff']
  const colours = levels.flatMap((r) => levels.flatMap((g) => levels.map((b) => `#${r}${g}${b}`)))
  for (const mode of ['day', 'night'] as const)
    for (const colour of colours) {
      const accent = legibleAccent(colour, mode)
      const { sky, horizon } = themes[mode]
      const least = Math.min(contrastOf(accent, sky), contrastOf(accent, horizon))
      t.ok(least >= MIN_CONTRAST, `${mode}: ${colour} as ${accent} has ${least.toFixed(2)}`)
    }
})

t.test('a colour that is legible stays as it was chosen', async (t) => {
  t.equal(legibleAccent('#8a4b08', 'day'), '#8a4b08')
  t.equal(legibleAccent('#c9d4ff', 'night'), '#c9d4ff')
  t.equal(contrastOf('#000000', '#ffffff'), 21)
  t.ok(isColour('#AABB00'))
  t.notOk(isColour('red') || isColour('#fff') || isColour('#gggggg'))
})

t.test('the colours of covers of all hues are legible, also before the sky that they tint', async (t) => {
  for (const mode of ['day', 'night'] as const) {
    const { sky, horizon } = themes[mode]
    let [least, leastTinted] = [21, 21]
    for (let hue = 0; hue < 360; hue += 5)
      for (const saturation of [10, 40, 70, 100])
        for (const lightness of [5, 20, 35, 50, 65, 80, 95]) {
          const cover = hexOf(hue, saturation / 100, lightness / 100)
          const accent = legibleAccent(cover, mode)
          least = Math.min(least, contrastOf(accent, sky), contrastOf(accent, horizon))
          const tinted = contrast(luminanceOfHex(accent), luminanceOf(skyTint(cover, mode)))
          leastTinted = Math.min(leastTinted, tinted)
        }
    t.ok(least >= MIN_CONTRAST, `${mode}: ${least.toFixed(2)} on sky and ground`)
    t.ok(leastTinted >= MIN_CONTRAST, `${mode}: ${leastTinted.toFixed(2)} before the tinted sky`)
  }
})

t.test('an accent keeps the hue of its cover', async (t) => {
  for (let hue = 0; hue < 360; hue += 15)
    for (const mode of ['day', 'night'] as const) {
      const found = hueOf(legibleAccent(hexOf(hue, 0.8, 0.5), mode))
      const apart = Math.abs(found - hue)
      t.ok(Math.min(apart, 360 - apart) <= 3, `${mode}: ${hue}° as ${found.toFixed()}°`)
    }
})

/** `#rrggbb` of a colour in HSL. @param hue degrees */
function hexOf(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))
  }
  return `#${[0, 8, 4]
    .map((n) =>
      Math.round(channel(n) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

function hueOf(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  const [top, range] = [Math.max(r, g, b), Math.max(r, g, b) - Math.min(r, g, b)]
  const sixth = top === r ? (g - b) / range : top === g ? 2 + (b - r) / range : 4 + (r - g) / range
  return (sixth * 60 + 360) % 360
}
