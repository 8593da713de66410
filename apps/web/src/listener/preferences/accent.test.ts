import t from 'tap'
import { themes } from '../../ui/theme.ts'
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
