import t from 'tap'
import { readConfig } from './config.ts'

const secrets = { JWT_SECRET: 'a secret of this test', ART_TOKEN_SECRET: 'another secret, of listeners' }
const read = (env: Record<string, string>) => readConfig({ ...secrets, ...env })

t.test(
  'e-mail needs a server, a sender and somebody to tell, and no warning quotes a password',
  async (t) => {
    const whole = {
      SMTP_URL: 'smtps://me:pass%3Aword@mail.example',
      SMTP_FROM: 'Radio <radio@radio.example>',
      ALARM_EMAILS: 'a@radio.example, nobody, b@radio.example',
    }
    const { config, warnings } = read(whole)
    t.same(config.mail, {
      server: whole.SMTP_URL,
      from: whole.SMTP_FROM,
      to: ['a@radio.example', 'b@radio.example'],
    })
    t.same(warnings, ['ALARM_EMAILS: "nobody" ignored'])
    for (const broken of [
      { SMTP_URL: 'https://me:password@mail.example' },
      { SMTP_FROM: 'Radio\r\nBcc: x@y.example' },
      { ALARM_EMAILS: ' ' },
    ]) {
      const without = read({ ...whole, ...broken })
      t.equal(without.config.mail, null)
      t.match(without.warnings.join(), 'no e-mail is sent')
      t.notMatch(without.warnings.join(), /pass/)
    }
    t.equal(read({}).config.mail, null)
  },
)
