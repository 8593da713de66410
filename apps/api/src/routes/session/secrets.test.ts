import { pino } from 'pino'
import t from 'tap'
import { asker, PASSWORD, SUPER } from '../../../../../tests/harness/people/accounts.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'

useStores('sql+local')

t.test('passwords, hashes and tokens stay out of the log, the audit and the answers', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const { app, ports } = await openApp(t, SUPER, log)
  const ask = asker(app)
  const answers: unknown[] = []
  const body = { login: 'Admin', password: PASSWORD }
  const { token } = (await ask('POST login', { body })).body
  const cookie = { cookie: `adminToken=${token}` }
  answers.push((await ask('POST admins', { token, body: { login: 'olena', password: 'Temporary1' } })).body)
  const helper = await ask('POST login', { body: { login: 'olena', password: 'Temporary1' } })
  const swap = { tempPassword: 'Temporary1', newPassword: 'Own password 1' }
  answers.push((await ask('POST admins/self/activate', { token: helper.body.token, body: swap })).body)
  answers.push((await ask('GET admins', { headers: cookie })).body)
  answers.push((await ask(`GET verify?adminToken=${token}`)).body)
  answers.push(
    (await ask(`GET jingles/file?mode=day&filename=x&ADMINTOKEN=${token}&adminToken=${token}`)).body,
  )
  answers.push((await ask('POST login', { body: { ...body, password: `${PASSWORD}x` } })).body)
  answers.push((await ask('POST login', { body: `{"login":"Admin","password":"${PASSWORD}"` })).body)
  await app.close()

  const records = await ports.data.admins.find()
  const secrets = [
    PASSWORD,
    'Temporary1',
    'Own password 1',
    '$argon2id',
    token,
    helper.body.token,
    ...records.map(({ passwordHash }) => passwordHash),
  ]
  const seen = {
    log: lines.join(''),
    answers: JSON.stringify(answers),
    audit: JSON.stringify(await ports.data.audit.find()),
  }
  t.match(seen.log, /admins\/self\/activate/)
  for (const [place, text] of Object.entries(seen))
    for (const secret of secrets) t.notOk(text.includes(secret), `${secret.slice(0, 12)}… in the ${place}`)
})
