import { privileges } from '@solstice/contracts'
import t, { type Test } from 'tap'
import { asker, openStation, PASSWORD, SUPER } from '../../../../../tests/harness/people/accounts.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { until } from '../../../../../tests/harness/until.ts'

useStores('sql+local')

const HASHES = {
  bcrypt: '$2b$06$b4TC4EnqF94IsIDwmN5fC.HxP80N93WWAlpPM.PE5iVSp7VhhOOxC',
  argon2id:
    '$argon2id$v=19$m=19456,t=2,p=1$R2f8dy6TaI4jzZ5FgML5jQ$hYKWukRxfQx5zEMXE9jps0+9krYqf46wLaKdj1Hr0Zk',
}

t.test('logging in', async (t) => {
  const refusesStrangers = async (t: Test, ask: ReturnType<typeof asker>, pass: string) => {
    for (const [login, password] of [
      ['Admin', 'wrong'],
      ['Admin', pass === PASSWORD ? `${PASSWORD} ` : pass],
      ['nobody', PASSWORD],
      ['super', PASSWORD],
      ['a'.repeat(200), 'b'.repeat(200)],
    ]) {
      const refused = await ask('POST login', { body: { login, password } })
      t.match(
        refused,
        { status: 401, body: { error: { code: 'INVALID_CREDENTIALS' } } },
        `${login} ${password}`,
      )
      t.equal(refused.cookie, undefined)
    }
  }

  t.test('with a plain ADMIN_PASS, outside production, the token is also in the body', async (t) => {
    const { ask, token, addHelper } = await openStation(t)
    const good = await ask('POST login', { body: { login: ' ADMIN ', password: PASSWORD } })
    t.equal(good.status, 200)
    t.same(Object.keys(good.body), ['ok', 'token'])
    t.equal(good.cookie, `adminToken=${good.body.token}; Max-Age=43200; Path=/; HttpOnly; SameSite=Lax`)
    await refusesStrangers(t, ask, PASSWORD)
    for (const [field, body] of Object.entries({
      login: { login: ' ', password: 'x' },
      password: { login: 'x' },
    }))
      t.match(await ask('POST login', { body }), {
        status: 400,
        body: { error: { code: 'BAD_REQUEST', field, reason: 'missing' } },
      })

    const helper = await addHelper('olena', ['editor_meta'])
    const both = await ask('GET verify', { token, headers: { cookie: `adminToken=${helper.token}` } })
    const own = { adminId: helper.adminId, login: 'olena', privileges: ['editor_meta', 'stats'] }
    t.same(
      both.body,
      { ok: true, role: 'admin', ...own, authorized: true, token: helper.token },
      'verify reports which of two tokens was used, and its account',
    )
    t.equal(both.headers['cache-control'], 'no-store')
    const second = await ask('GET verify', { token, headers: { cookie: 'adminToken=gone' } })
    t.match(second.body, { adminId: 'super', token, privileges })
    t.equal((await ask('GET verify')).status, 401)
  })

  t.test('with a bcrypt ADMIN_PASS', async (t) => {
    const { ask, token } = await openStation(t, { ADMIN_PASS: HASHES.bcrypt })
    t.ok(token)
    await refusesStrangers(t, ask, HASHES.bcrypt)
  })

  t.test('with an argon2id ADMIN_PASS, in production, the token is in the cookie alone', async (t) => {
    const env = {
      ...SUPER,
      ADMIN_PASS: HASHES.argon2id,
      NODE_ENV: 'production',
      JWT_SECRET: 'a secret that only this test knows',
    }
    const address = 'https://radio.station.example'
    const sibling = 'https://admin.station.example'
    // The cookie travels no further than it has to; where that is, the browser knows best.
    const elsewhere = { 'sec-fetch-site': 'cross-site' }
    const cases: [string, [headers: Record<string, string>, sameSite: string][]][] = [
      [
        sibling,
        [
          [{}, 'Lax'],
          [elsewhere, 'None'],
        ],
      ],
      [`${sibling},https://other.example`, [[{}, 'None']]],
    ]
    for (const [origins, requests] of cases) {
      const { app } = await openApp(t, { ...env, PUBLIC_SERVER_URL: address, CLIENT_ORIGIN: origins })
      const ask = asker(app)
      for (const [headers, sameSite] of requests) {
        const body = { login: 'Admin', password: PASSWORD }
        const good = await ask('POST login', { body, headers })
        const attributes = `Path=/; HttpOnly; Secure; SameSite=${sameSite}`
        t.match(good.cookie, new RegExp(`^adminToken=\\S+; Max-Age=43200; ${attributes}$`))
        t.same(good.body, { ok: true })
        const cookie = good.cookie?.split(';')[0] ?? ''
        const verified = await ask('GET verify', { headers: { cookie } })
        t.match(verified.body, { ok: true, role: 'super_admin', adminId: 'super', login: 'Admin' })
        t.notOk('token' in verified.body)
        const out = await ask('POST logout', { headers: { ...headers, cookie } })
        t.same(out.body, { ok: true })
        const past = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'
        t.equal(out.cookie, `adminToken=; Max-Age=0; ${attributes.replace('/;', `/; ${past};`)}`)
      }
      await refusesStrangers(t, ask, HASHES.argon2id)
      await app.close()
    }
  })

  t.test('without ADMIN_LOGIN there is no super admin', async (t) => {
    const { app } = await openApp(t)
    for (const login of ['admin', 'super', 'null', 'undefined'])
      t.equal((await asker(app)('POST login', { body: { login, password: login } })).status, 401)
  })
})

t.test('attempts to log in', async (t) => {
  const { app, ports, redis } = await openApp(t, {
    ...SUPER,
    LOGIN_ATTEMPTS_PER_15_MIN: '3',
    TRUST_PROXY_HOPS: '1',
  })
  const ask = asker(app)
  const from = (address: string, body: unknown) =>
    ask('POST login', { body, headers: { 'x-forwarded-for': address } })
  const right = { login: 'Admin', password: PASSWORD }
  t.beforeEach(() => ports.redis.flushall())

  t.test('successful, failed and malformed attempts all count, and the headers show it', async (t) => {
    const attempts: [unknown, number][] = [
      [right, 200],
      ['{', 400],
      [{ ...right, password: 'wrong' }, 401],
      [right, 429],
      ['{', 429],
    ]
    for (const [i, [body, status]] of attempts.entries()) {
      const answer = await from('192.0.2.1', body)
      t.equal(answer.status, status, `attempt ${i + 1}`)
      t.match(answer.headers, {
        'ratelimit-limit': '3',
        'ratelimit-remaining': String(Math.max(0, 2 - i)),
        'ratelimit-reset': /^(9\d\d|8\d\d)$/,
        'ratelimit-policy': '3;w=900',
      })
      if (status !== 429) continue
      t.match(answer.body, { error: { code: 'RATE_LIMITED', retryAfterSecs: Number } })
      t.equal(answer.headers['retry-after'], answer.headers['ratelimit-reset'])
      t.notOk(answer.cookie)
    }
  })

  t.test('are limited per address, and per network for IPv6', async (t) => {
    t.equal((await from('192.0.2.2', right)).status, 200)
    for (const end of ['1', '2', 'ffff']) await from(`2001:db8:1:2::${end}`, right)
    t.equal((await from('2001:db8:1:2:3::4', right)).status, 429)
    t.equal((await from('2001:db8:1:3::1', right)).status, 200)
  })

  t.test("from another site's page are refused and not counted", async (t) => {
    const headers = { 'x-forwarded-for': '192.0.2.3', origin: 'https://evil.example' }
    for (let i = 0; i < 5; i++) t.equal((await ask('POST login', { body: right, headers })).status, 403)
    t.equal((await ask('POST logout', { headers })).status, 403)
    t.equal((await from('192.0.2.3', right)).status, 200)
  })

  t.test('on one login are limited across addresses; its owner gets in from a known network', async (t) => {
    const guess = (address: string, password: string) => from(address, { login: 'Admin', password })
    t.equal((await guess('198.51.100.1', PASSWORD)).status, 200)
    const statuses: number[] = []
    for (let i = 0; i < 40 && statuses.at(-1) !== 429; i++)
      statuses.push((await guess(`203.0.${i}.1`, 'wrong')).status)
    t.equal(statuses.at(-1), 429)
    t.ok(statuses.length > 10 && statuses.slice(0, -1).every((status) => status === 401))
    t.match((await guess('203.1.1.1', PASSWORD)).headers, { 'retry-after': /^\d+$/ })
    t.equal((await guess('198.51.100.1', PASSWORD)).status, 200)
  })

  t.test('are limited across all addresses of one provider', async (t) => {
    const statuses: number[] = []
    for (let i = 0; i < 13; i++) statuses.push((await from(`2001:db8:9:${i}::1`, '{')).status)
    t.same(statuses, [...Array<number>(12).fill(400), 429])
  })

  t.test('include those for the current password with a token', async (t) => {
    const { token } = (await from('198.51.100.1', right)).body
    const swap = { currentPassword: 'wrong', newPassword: 'Own password 9' }
    const statuses: number[] = []
    for (let i = 0; i < 4; i++)
      statuses.push((await ask('PUT admins/self/password', { token, body: swap })).status)
    t.same(statuses, [400, 400, 400, 429])
  })

  t.test('while Redis is away nobody logs in, and everything else goes on', async (t) => {
    const { token } = (await from('192.0.2.2', right)).body
    t.teardown(async () => {
      await redis.restart()
      await until('Redis is found again', () => ports.bus.isConnected())
    })
    await redis.process.end()
    const answer = await from('192.0.2.2', right)
    t.equal(answer.status, 503)
    t.equal(answer.body.error.code, 'AIR_UNAVAILABLE')
    t.equal((await ask('GET verify', { token })).status, 200)
  })
})

t.test('attempts from all unknown networks together are limited to twenty in ten seconds', async (t) => {
  const { app } = await openApp(t, { ...SUPER, LOGIN_ATTEMPTS_PER_15_MIN: '10000', TRUST_PROXY_HOPS: '1' })
  const ask = asker(app)
  const from = (address: string, login: string, password = PASSWORD) =>
    ask('POST login', { body: { login, password }, headers: { 'x-forwarded-for': address } })
  t.equal((await from('198.51.100.1', 'Admin')).status, 200)
  let guesses = 0
  // Each of a login, an address and a provider of its own.
  const guess = () => from(`10.${guesses}.0.1`, `login ${guesses++}`)
  // A machine that hashes slowly gets into the next ten seconds.
  let refused = 0
  for (let batch = 0; batch < 5 && refused === 0; batch++) {
    const answers = await Promise.all(Array.from({ length: 40 }, guess))
    const late = answers.filter(({ status }) => status === 429)
    for (const { headers } of late) t.equal(headers['ratelimit-policy'], '20;w=10')
    refused = late.length
  }
  t.ok(refused > 0)
  t.equal((await from('198.51.100.1', 'Admin')).status, 200, 'who was here before gets in meanwhile')
})
