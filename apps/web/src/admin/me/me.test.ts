import t from 'tap'
import { browserName } from './browser-names.ts'
import { isStrong, passwordRules } from './password-rules.ts'

const met = (password: string) => passwordRules.filter(({ isMet }) => isMet(password)).map(({ id }) => id)

t.test('a password has eight characters, both cases and a digit, in any script', async (t) => {
  t.same(met('abc'), ['lower'])
  t.same(met('ЇЖАК1234'), ['length', 'upper', 'digit'])
  t.ok(isStrong('Їжак1234'))
  t.notOk(isStrong('Їжак123'))
})

t.test('a session is named as people name the browser', async (t) => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
  t.equal(browserName(chrome), 'Chrome, Windows')
  t.equal(browserName(`${chrome} Edg/140.0`), 'Edge, Windows')
  t.equal(
    browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1'),
    'Safari, iPhone',
  )
  t.equal(
    browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
    'Firefox, Linux',
  )
})

t.test('a program is named as it names itself', async (t) => {
  t.equal(browserName('curl/8.5.0'), 'curl')
  t.equal(browserName(''), '')
})
