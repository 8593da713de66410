import { readFile } from 'node:fs/promises'
import t from 'tap'
import { themes } from './theme.ts'

t.test('text has a contrast of at least 4.5 : 1 on sky and ground, focus rings 3 : 1', async (t) => {
  for (const [mode, theme] of Object.entries(themes)) {
    for (const ground of [theme.sky, theme.horizon]) {
      for (const text of [theme.ink, theme.inkSoft, theme.live])
        t.ok(
          contrast(text, ground) >= 4.5,
          `${mode}: ${text} on ${ground} ${contrast(text, ground).toFixed(2)}`,
        )
      t.ok(contrast(theme.focus, ground) >= 3, `${mode}: focus on ${ground}`)
    }
    t.ok(contrast(theme.onLight, theme.light) >= 4.5, `${mode}: text on the light`)
    t.ok(contrast(theme.sky, theme.live) >= 4.5, `${mode}: text on what is on the air`)
  }
})

t.test(
  'the style sheet has the colours of both modes, so that the first paint needs no script',
  async (t) => {
    const css = await readFile(new URL('../styles/tokens.css', import.meta.url), 'utf8')
    for (const [mode, selector] of [
      ['day', ':root {'],
      ['night', ':root[data-mode="night"] {'],
    ] as const) {
      const start = css.indexOf(`\n${selector}`)
      const rules = css.slice(start, css.indexOf('}', start))
      for (const [name, colour] of Object.entries(themes[mode]))
        t.match(
          rules,
          `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${colour};`,
          mode,
        )
    }
  },
)

/** Contrast ratio of two colours (WCAG 2.2, 1.4.3). */
function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
