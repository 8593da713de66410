import t from 'tap'
import { contrast, luminanceOf, luminanceOfHex } from '../../../../../tests/harness/browser/luminance.ts'
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
