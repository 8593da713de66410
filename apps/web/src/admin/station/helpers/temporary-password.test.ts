import t from 'tap'
import { isStrong } from '../../me/password-rules.ts'
import { temporaryPassword } from './temporary-password.ts'

t.test('a temporary password follows the rules, and no two are alike', async (t) => {
  const made = Array.from({ length: 200 }, temporaryPassword)
  t.ok(made.every(isStrong))
  t.equal(new Set(made).size, made.length)
  t.notMatch(made.join(''), /[IOl01]/)
})
