import { ACCOUNT_CHANNEL, anotherConnection, SOCKET_CHANNEL } from '@solstice/adapters'
import { messages, privileges } from '@solstice/contracts'
import { purgeAccounts } from '@solstice/station'
import t from 'tap'
import { openStation, PASSWORD } from '../../../../../tests/harness/people/accounts.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { startJobs } from '../../../../../tests/harness/stations/workers.ts'
import { until } from '../../../../../tests/harness/until.ts'

useStores('sql+local')

const DAY_MS = 24 * 60 * 60 * 1000

t.test('the super admin manages accounts', async (t) => {
  const { ports, ask, token, logIn, addHelper, audited } = await openStation(t)
  const by = { adminId: 'super', adminLogin: 'Admin' }
  const news: unknown[] = []
  const told: string[] = []
  const subscriber = anotherConnection(ports.redis)
  t.teardown(() => subscriber.disconnect())
  await subscriber.subscribe(ACCOUNT_CHANNEL)
  await subscriber.psubscribe(`${SOCKET_CHANNEL}*`)
  subscriber.on('message', (_, text: string) => news.push(JSON.parse(text)))
  subscriber.on('pmessage', (_, channel: string, text: string) => told.push(`${channel} ${text}`))
  const heard = async () => {
    // Messages arrive in order, so everything published earlier has been received by then.
    await ports.redis.publish(ACCOUNT_CHANNEL, '"end"')
    await until('all news is heard', () => news.at(-1) === 'end', 1)
    return news.splice(0).slice(0, -1)
  }
  t.beforeEach(async () => {
    await ports.data.admins.delete({})
    await Promise.all([heard(), audited()])
  })

  t.test('a new helper has `stats` and the known privileges, and can only activate itself', async (t) => {
    const answer = await ask('POST admins', {
      token,
      body: {
        login: ' Olena ',
        password: 'Temporary1',
        privileges: ['editor_meta', 'queue_manage', 'root', 'queue_manage'],
      },
    })
    t.equal(answer.status, 200)
    const admin = {
      adminId: /^[0-9a-f-]{36}$/,
      login: 'Olena',
      privileges: ['queue_manage', 'editor_meta', 'stats'],
      authorized: false,
      createdAt: Number,
      updatedAt: Number,
    }
    t.match(answer.body, { ok: true, admin, message: messages.ADMIN_CREATED })
    const { adminId } = answer.body.admin as unknown as { adminId: string }
    t.match(await audited(), [{ ...by, operationType: 'admin_create', data: { login: 'Olena', adminId } }])

    const list = await ask('GET admins', { token })
    t.match(list.body, { ok: true, admins: [{ ...admin, adminId }], allPrivileges: privileges })
    t.same(
      Object.keys((list.body.admins as unknown as object[])[0]!).sort(),
      Object.keys(admin).sort(),
      'and no hash',
    )
    const bare = await ask('POST admins', { token, body: { login: 'bare', password: 'Temporary1' } })
    t.match(bare.body, { admin: { privileges: ['stats'] } }, 'privileges may be left out')
    await audited()

    const own = await logIn('oLENA', 'Temporary1')
    t.match((await ask('GET verify', { token: own })).body, { authorized: false, adminId })
    for (const route of ['GET audit', 'GET settings', 'PUT admins/self/password', 'PUT admins/self/login']) {
      const refused = await ask(route, { token: own, ...(route.startsWith('PUT') && { body: {} }) })
      t.match(refused, { status: 403, body: { error: { code: 'FORBIDDEN', reason: 'not_active' } } }, route)
    }
  })

  t.test("logins are unique ignoring case; the super admin's is taken too", async (t) => {
    const create = (login: unknown, password: unknown = 'Temporary1') =>
      ask('POST admins', { token, body: { login, password, privileges: [] } })
    await create('Olena')
    await audited()
    const refusals: [unknown, unknown, string, string][] = [
      ['OLENA', 'Temporary1', 'login', 'login_taken'],
      [' olena', 'Temporary1', 'login', 'login_taken'],
      ['ADMIN', 'Temporary1', 'login', 'login_taken'],
      ['', 'Temporary1', 'login', 'login_invalid'],
      ['   ', 'Temporary1', 'login', 'login_invalid'],
      ['x'.repeat(65), 'Temporary1', 'login', 'login_invalid'],
      ['a\u202eb', 'Temporary1', 'login', 'login_invalid'],
      ['a\nb', 'Temporary1', 'login', 'login_invalid'],
      ['weak', 'Short1a', 'password', 'password_weak'],
      ['weak', 'nouppercase1', 'password', 'password_weak'],
      ['weak', 'NOLOWERCASE1', 'password', 'password_weak'],
      ['weak', 'NoDigitsHere', 'password', 'password_weak'],
    ]
    for (const [login, password, field, reason] of refusals) {
      const answer = await create(login, password)
      t.match(
        answer,
        { status: 400, body: { error: { code: 'BAD_REQUEST', field, reason } } },
        `${login} ${password}`,
      )
    }
    t.match(await create({}), { status: 400, body: { error: { field: 'login' } } })
    t.match(await create('x', 'y'.repeat(201)), { status: 400, body: { error: { field: 'password' } } })
    t.equal((await create('Ганна О’Ніл 🌙', 'Пароль-12')).status, 200, 'any alphabet')
    t.same(await audited().then((entries) => entries.length), 1)
    const answers = await Promise.all(['twin', 'Twin', 'TWIN'].map((login) => create(login)))
    t.same(answers.map(({ status }) => status).sort(), [200, 400, 400], 'also when they come at once')
  })

  t.test(
    'changed privileges apply from the next request on, and the sockets of the helper are told',
    async (t) => {
      const helper = await addHelper('ivan', ['editor_lyrics'])
      await heard()
      await audited()
      const path = `PUT admins/${helper.adminId}/privileges`
      t.equal((await ask('GET audit', { token: helper.token })).status, 200)
      const answer = await ask(path, {
        token,
        body: { privileges: ['nothing', 'mode_switch', 'artist_arts'] },
      })
      const now = ['artist_arts', 'stats', 'mode_switch']
      t.same(answer.body, { ok: true, privileges: now, message: messages.PRIVILEGES_SAVED })
      t.match((await ask('GET verify', { token: helper.token })).body, { privileges: now })
      t.same(await heard(), [{ adminId: helper.adminId, kind: 'privileges' }])
      t.same(await audited(), [
        {
          ...by,
          operationType: 'admin_privileges',
          data: {
            targetAdminId: helper.adminId,
            login: 'ivan',
            privileges: now,
            details: {
              version: 1,
              changes: [{ field: 'privileges', before: ['editor_lyrics', 'stats'], after: now }],
              info: {},
            },
          },
        },
      ])
      for (const body of [{}, { privileges: {} }, { privileges: ['stats', {}] }])
        t.match(await ask(path, { token, body }), { status: 400, body: { error: { code: 'BAD_REQUEST' } } })
    },
  )

  t.test('after a password reset a helper has to activate again, and its old token is invalid', async (t) => {
    const helper = await addHelper('petro')
    await heard()
    await audited()
    const path = `PUT admins/${helper.adminId}/reset-password`
    t.match(await ask(path, { token, body: { newPassword: 'weak' } }), {
      status: 400,
      body: { error: { field: 'newPassword', reason: 'password_weak' } },
    })
    const answer = await ask(path, { token, body: { newPassword: 'Temporary2' } })
    t.same(answer.body, { ok: true, message: messages.PASSWORD_RESET })
    const { adminId } = helper
    t.same(await heard(), [
      { adminId, kind: 'password-reset' },
      { adminId, kind: 'sessions' },
    ])
    const data = { targetAdminId: helper.adminId, login: 'petro' }
    t.same(await audited(), [{ ...by, operationType: 'admin_password_reset', data }])
    t.equal((await ask('GET verify', { token: helper.token })).status, 401)
    t.equal((await ask('POST login', { body: { login: 'petro', password: 'Own password 1' } })).status, 401)
    t.ok(await logIn('petro', 'Temporary2'))
  })

  t.test('a deleted helper loses access at once', async (t) => {
    const helper = await addHelper('stepan')
    await heard()
    await audited()
    const answer = await ask(`DELETE admins/${helper.adminId}`, { token })
    t.same(answer.body, { ok: true, message: messages.ADMIN_DELETED })
    t.same(await heard(), [{ adminId: helper.adminId, kind: 'deleted' }])
    const data = { login: 'stepan', targetAdminId: helper.adminId }
    t.same(await audited(), [{ ...by, operationType: 'admin_delete', data }])
    t.equal((await ask('GET verify', { token: helper.token })).status, 401)
    t.equal((await ask('POST login', { body: { login: 'stepan', password: 'Own password 1' } })).status, 401)
    for (const [route, body] of [
      [`DELETE admins/${helper.adminId}`, undefined],
      [`PUT admins/${helper.adminId}/privileges`, { privileges: [] }],
      [`PUT admins/super/reset-password`, { newPassword: 'Temporary2' }],
      ['DELETE admins/super', undefined],
      ['DELETE admins/__proto__', undefined],
    ] as const)
      t.match(
        await ask(route, { token, body }),
        { status: 404, body: { error: { code: 'NOT_FOUND' } } },
        route,
      )
    t.same(await audited(), [])
  })

  t.test('a helper activates itself, once; the super admin is told', async (t) => {
    await ask('POST admins', { token, body: { login: 'nova', password: 'Temporary1' } })
    const own = await logIn('nova', 'Temporary1')
    const { adminId } = (await ask('GET verify', { token: own })).body
    await heard()
    await audited()
    const activate = (who: string, tempPassword: string, newPassword: string) =>
      ask('POST admins/self/activate', { token: who, body: { tempPassword, newPassword } })
    const refused = (field: string, reason: string) => ({
      status: 400,
      body: { error: { code: 'BAD_REQUEST', field, reason } },
    })
    t.match(await activate(token, PASSWORD, 'Own password 1'), refused('account', 'super_admin'))
    t.match(await activate(own, 'Temporary2', 'Own password 1'), refused('tempPassword', 'password_wrong'))
    t.match(await activate(own, 'Temporary1', 'weak'), refused('newPassword', 'password_weak'))
    t.same(await heard(), [])
    const answers = await Promise.all([1, 2, 3].map((n) => activate(own, 'Temporary1', `Own password ${n}`)))
    t.same(
      answers.map(({ status }) => status).sort(),
      [200, 400, 400],
      'also when asked several times at once',
    )
    const done = answers.findIndex(({ status }) => status === 200)
    t.same(answers[done]?.body, { ok: true, message: messages.ACCOUNT_ACTIVATED })
    t.match(await activate(own, 'Temporary1', 'Own password 1'), refused('account', 'already_active'))
    t.same(await heard(), [
      { adminId, kind: 'sessions' },
      { adminId, kind: 'privileges' },
    ])
    t.ok(told.some((line) => line.includes('super-admin') && /admin_authorized.*nova/s.test(line)))
    const me = { adminId, adminLogin: 'nova' }
    t.same(await audited(), [{ ...me, operationType: 'admin_activate', data: { login: 'nova' } }])
    t.match((await ask('GET verify', { token: own })).body, { authorized: true })
    t.ok(await logIn('nova', `Own password ${done + 1}`))
  })

  t.test('helpers change their own login and password; the token stays good', async (t) => {
    await ask('POST admins', { token, body: { login: 'olena', password: 'Temporary1' } })
    const { adminId, token: own } = await addHelper('maria')
    await audited()
    const login = (newLogin: string, currentPassword: string, who = own) =>
      ask('PUT admins/self/login', { token: who, body: { newLogin, currentPassword } })
    const password = (currentPassword: string, newPassword: string, who = own) =>
      ask('PUT admins/self/password', { token: who, body: { currentPassword, newPassword } })
    const wrong = { field: 'currentPassword', reason: 'password_wrong' }
    const refusals: [ReturnType<typeof login>, object][] = [
      [login('m', PASSWORD, token), { reason: 'super_admin' }],
      [password(PASSWORD, 'Own password 2', token), { reason: 'super_admin' }],
      [login('olena', 'wrong'), wrong],
      [password('wrong', 'weak'), wrong],
      [login('OLENA', 'Own password 1'), { field: 'newLogin', reason: 'login_taken' }],
      [login('admin', 'Own password 1'), { field: 'newLogin', reason: 'login_taken' }],
      [login('', 'Own password 1'), { field: 'newLogin', reason: 'login_invalid' }],
      [password('Own password 1', 'weak'), { field: 'newPassword', reason: 'password_weak' }],
    ]
    for (const [asked, error] of refusals) t.match(await asked, { status: 400, body: { error } })

    t.same((await login('Maria', 'Own password 1')).body, { ok: true, message: messages.LOGIN_CHANGED })
    t.same((await password('Own password 1', 'Own password 2')).body, {
      ok: true,
      message: messages.PASSWORD_CHANGED,
    })
    t.match((await ask('GET verify', { token: own })).body, { login: 'Maria', authorized: true })
    t.ok(await logIn('maria', 'Own password 2'))
    t.same(await audited(), [
      { adminId, adminLogin: 'maria', operationType: 'admin_login_change', data: { newLogin: 'Maria' } },
      { adminId, adminLogin: 'Maria', operationType: 'admin_password_change', data: {} },
    ])
    const twin = await addHelper('marta')
    const swap = { currentPassword: 'Own password 1', newLogin: 'same' }
    const third = await addHelper('darka')
    const answers = await Promise.all(
      [twin, third].map((who) => ask('PUT admins/self/login', { token: who.token, body: swap })),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, 400], 'one of two gets the same login')
    t.match(answers.find(({ status }) => status === 400)?.body, {
      error: { field: 'newLogin', reason: 'login_taken' },
    })
  })

  t.test('an account not activated within a day of its last password is deleted', async (t) => {
    const make = async (login: string) => {
      const body = { login, password: 'Temporary1' }
      const { admin } = (await ask('POST admins', { token, body })).body as unknown as {
        admin: { adminId: string }
      }
      return admin.adminId
    }
    const [late, again] = [await make('late'), await make('again')]
    const active = await addHelper('active')
    const madeMs = (await ports.data.admins.get(late))!.temporarySinceMs
    await ports.data.admins.update({ adminId: again }, { temporarySinceMs: madeMs - DAY_MS })
    await ask(`PUT admins/${again}/reset-password`, { token, body: { newPassword: 'Temporary2' } })
    const resetMs = (await ports.data.admins.get(again))!.temporarySinceMs
    await heard()
    t.equal(await purgeAccounts(ports, madeMs + DAY_MS - 1), 0)
    t.equal(await purgeAccounts(ports, Math.min(madeMs, resetMs) + DAY_MS), resetMs > madeMs ? 1 : 2)
    t.equal(await purgeAccounts(ports, resetMs + DAY_MS), resetMs > madeMs ? 1 : 0)
    t.same(
      await heard(),
      [late, again].map((adminId) => ({ adminId, kind: 'deleted' })),
    )
    t.equal((await ask('GET verify', { token: active.token })).status, 200)
    t.equal(await purgeAccounts(ports, resetMs + 100 * DAY_MS), 0, 'who is active stays')

    const forgotten = await make('forgotten')
    await ports.data.admins.update({ adminId: forgotten }, { temporarySinceMs: madeMs - DAY_MS })
    await startJobs(t, ports)
    await ports.jobs.perform('purge-accounts', {})
    t.same(await heard(), [{ adminId: forgotten, kind: 'deleted' }], 'also by the job')
  })
})
