import t from 'tap'
import { type Look, lookOf, lookText, ownLook } from './look.ts'

t.test('a look is found again in its cookie, and nothing else is', async (t) => {
  const looks: Partial<Look>[] = [
    {},
    { isDark: true },
    { textSize: '150', isStill: true },
    { isDark: true, textSize: '200', isStill: true, accent: '#8a4b08' },
    { accent: '#125150' },
  ]
  for (const look of looks) t.same(lookOf(lookText({ ...ownLook, ...look })), { ...ownLook, ...look })
  t.equal(lookText(ownLook), '')
  for (const text of [undefined, '', 'x', '126', '}body{', 'fffffg', '......dark', `${'a.'.repeat(9)}dark`])
    t.same(lookOf(text), ownLook, String(text))
})
