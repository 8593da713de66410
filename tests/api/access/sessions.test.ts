import { messages, type Privilege } from '@solstice/contracts'
import { createSessions, endAllSessions, purgeSessions, type Session } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { openSocket } from '../../harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { refuseChanges } from '../../harness/stations/refuse-changes.ts'
import { useStores } from '../../harness/stations/stores.ts'

useStores('sql+local')

const PASSWORD = 'Correct horse 1'
const SUPER = { ADMIN_LOGIN: 'Admin', ADMIN_PASS: PASSWORD, LOGIN_ATTEMPTS_PER_15_MIN: '0' }
const OVER = { status: 401, body: { error: { code: 'UNAUTHORIZED' } } }
const HOUR_MS = 3_600_000

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Sends a request to a replica under `/api/admin/`. */
async function ask(
  { app }: OpenApp,
  request: string,
  token = '',
  payload?: object,
  headers: Record<string, string> = {},
) {
  const [method, path] = request.split(' ') as [Method, string]
  const answer = await app.inject({
    method,
    url: `/api/admin/${path}`,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(payload && { payload }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape it expects
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() as any }
}

/** Two replicas, a super admin, and helpers who have replaced `Temporary1` by `Own password 1`. */
async function openStation(t: Test, env: Record<string, string> = {}) {
  const a = await openApp(t, { ...SUPER, ...env })
  const b = await openApp(t, { ...SUPER, ...env }, undefined, a)
  const logIn = async (login: string, password: string, userAgent = 'a browser'): Promise<string> => {
    const { body } = await ask(a, 'POST login', '', { login, password }, { 'user-agent': userAgent })
    return body.token
  }
  const addHelper = async (login: string, privileges: Privilege[] = []) => {
    const body = { login, password: 'Temporary1', privileges }
    const { admin } = (await ask(a, 'POST admins', await logIn('Admin', PASSWORD), body)).body
    const passwords = { tempPassword: 'Temporary1', newPassword: 'Own password 1' }
    await ask(a, 'POST admins/self/activate', await logIn(login, 'Temporary1'), passwords)
    return admin.adminId as string
  }
  /** Replies of both replicas to a token. */
  const verify = async (token: string) => {
    const answers = await Promise.all([a, b].map((replica) => ask(replica, 'GET verify', token)))
    return answers.map(({ status }) => status)
  }
  const idOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).jti
  return { a, b, logIn, addHelper, verify, idOf }
}

const GOOD = [200, 200]
const ENDED = [401, 401]

for (const store of [{}, { DATA_PROVIDER: 'json' }] as Record<string, string>[])
  t.test(`sessions are listed and ended, in ${JSON.stringify(store)}`, async (t) => {
    const { a, b, logIn, addHelper, verify, idOf } = await openStation(t, store)
    const adminId = await addHelper('olena')
    const other = () => logIn('olena', 'Own password 1', 'Müller’s\nphone'.padEnd(500, '-'))
    /** The form that earlier versions issued. */
    const oldToken = (about: object, ageS = 0) => {
      const nowS = Math.floor(Date.now() / 1000)
      const claims = { role: 'admin', login: 'x', privileges: [], authorized: true, ...about }
      return a.app.jwt.sign({ ...claims, iat: nowS - ageS, exp: nowS - ageS + 43_200 })
    }

    /** Nobody's sessions have been ended as a whole yet. */
    const forgetCuts = () => a.ports.data.sessionCuts.delete(() => true)

    t.test('an account lists its own sessions and ends one of them', async (t) => {
      const [own, phone] = [await logIn('olena', 'Own password 1'), await other()]
      const { body } = await ask(b, 'GET self/sessions', own)
      const { sessions } = body
      t.same(sessions.map(({ id }: { id: string }) => id).slice(0, 2), [idOf(phone), idOf(own)])
      t.match(sessions[1], { address: '127.0.0.1', userAgent: 'a browser', current: true, createdAt: Number })
      t.match(sessions[0], { userAgent: 'Mllersphone'.padEnd(118, '-'), current: false })
      t.equal(sessions[0].userAgent.length, 120)

      const stranger = await logIn('Admin', PASSWORD)
      for (const [id, token] of [
        ['unknown', own],
        [idOf(stranger), own],
        [idOf(phone), stranger],
      ])
        t.equal((await ask(b, `DELETE self/sessions/${id}`, token)).status, 404, id)
      const ended = await ask(b, `DELETE self/sessions/${idOf(phone)}`, own)
      t.match(ended, { status: 200, body: { ok: true, message: messages.SESSION_ENDED } })
      t.same(await verify(phone), ENDED)
      t.match(await ask(a, 'GET self/sessions', phone), OVER)
      t.same(await verify(own), GOOD)
      t.equal((await ask(b, `DELETE self/sessions/${idOf(phone)}`, own)).status, 404, 'once')
      const last = await ask(a, `DELETE self/sessions/${idOf(own)}`, own)
      t.match(last.headers['set-cookie'], /^adminToken=; Max-Age=0/, 'the own one ends like a logout')
      t.same(await verify(own), ENDED)
    })

    t.test('a restored station ends all sessions, and lets logins go on by whatever clock', async (t) => {
      const [stored, unstored] = [await logIn('olena', 'Own password 1'), oldToken({ adminId })]
      t.same(await verify(stored), GOOD)
      // The machine that restored it was ahead.
      await endAllSessions(a.ports.data, a.ports.clock.nowMs() + HOUR_MS)
      t.same([await verify(stored), await verify(unstored)], [ENDED, ENDED])
      const later = await logIn('olena', 'Own password 1')
      t.same(await verify(later), GOOD)
      t.match((await ask(b, 'GET self/sessions', later)).body.sessions, [{ id: idOf(later) }])
      await forgetCuts()
    })

    t.test('an account ends all its other sessions, used or not; so does the super admin', async (t) => {
      for (const [login, password, about] of [
        ['olena', 'Own password 1', { adminId }],
        ['Admin', PASSWORD, { adminId: 'super', role: 'super_admin' }],
      ] as const) {
        const [own, phone] = [await logIn(login, password), await logIn(login, password)]
        const [used, unused] = [oldToken(about, 600), oldToken(about, 601)]
        await forgetCuts()
        t.same(await verify(used), GOOD)
        t.equal((await ask(b, 'DELETE self/sessions', own)).status, 200)
        for (const token of [phone, used, unused]) t.same(await verify(token), ENDED)
        t.same(await verify(own), GOOD)
        const { sessions } = (await ask(a, 'GET self/sessions', own)).body
        t.same(sessions.length, 1)
        t.same(await verify(await logIn(login, password)), GOOD, 'a later login works')
      }
    })

    t.test('logging out ends the session of every token that was sent', async (t) => {
      const [asCookie, asBearer, untouched] = [await other(), await other(), await other()]
      const origin = { cookie: `adminToken=${asCookie}` }
      const out = await ask(a, 'POST logout', asBearer, undefined, origin)
      t.match(out.headers['set-cookie'], /^adminToken=; Max-Age=0/)
      for (const token of [asCookie, asBearer]) t.same(await verify(token), ENDED)
      t.same(await verify(untouched), GOOD)
      t.equal((await ask(a, 'POST logout', asBearer)).status, 200, 'again')
      t.equal((await ask(a, 'POST logout', 'garbage')).status, 200)

      await forgetCuts()
      const old = oldToken({ adminId }, 5)
      t.equal((await ask(a, 'POST logout', old)).status, 200, 'never used before')
      const last = old.at(-1)!
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const respelt = alphabet[alphabet.indexOf(last) ^ 1]
      t.same(await verify(old), ENDED, 'a token of the version before')
      t.same(await verify(old.slice(0, -1) + respelt), ENDED, 'in another spelling of its signature')
    })

    t.test('a changed password ends all sessions but the one that changed it', async (t) => {
      await forgetCuts()
      const [own, thief, unseen] = [await other(), await other(), oldToken({ adminId }, 7)]
      const swap = { currentPassword: 'Own password 1', newPassword: 'Own password 2' }
      t.equal((await ask(b, 'PUT admins/self/password', own, swap)).status, 200)
      for (const token of [thief, unseen]) t.same(await verify(token), ENDED)
      t.same(await verify(own), GOOD)
      const back = { currentPassword: 'Own password 2', newPassword: 'Own password 1' }
      t.equal((await ask(b, 'PUT admins/self/password', own, back)).status, 200)
    })

    t.test('a reset password ends all sessions for good', async (t) => {
      const root = await logIn('Admin', PASSWORD)
      const [thief, unseen] = [await other(), oldToken({ adminId }, 8)]
      const reset = { newPassword: 'Temporary2' }
      t.equal((await ask(b, `PUT admins/${adminId}/reset-password`, root, reset)).status, 200)
      for (const token of [thief, unseen]) t.same(await verify(token), ENDED)
      const [own, second] = [await logIn('olena', 'Temporary2'), await logIn('olena', 'Temporary2')]
      const swap = { tempPassword: 'Temporary2', newPassword: 'Own password 1' }
      t.equal((await ask(a, 'POST admins/self/activate', own, swap)).status, 200)
      for (const token of [thief, unseen, second])
        t.same(await verify(token), ENDED, 'also when the account is active again')
      t.same(await verify(own), GOOD)
    })

    t.test('the super admin lists and ends sessions of a helper; helpers only their own', async (t) => {
      const root = await logIn('Admin', PASSWORD)
      const [own, phone, third] = [await other(), await other(), await other()]
      const path = `admins/${adminId}/sessions`
      const { sessions } = (await ask(b, `GET ${path}`, root)).body
      t.equal(sessions[0].id, idOf(third))
      t.notOk(sessions.some(({ current }: { current: boolean }) => current))
      t.equal((await ask(b, `DELETE ${path}/${idOf(phone)}`, root)).status, 200)
      t.same([await verify(phone), await verify(own)], [ENDED, GOOD])
      t.equal((await ask(b, `DELETE ${path}/${idOf(root)}`, root)).status, 404)
      t.equal((await ask(b, `DELETE ${path}`, root)).status, 200)
      t.same([await verify(own), await verify(third), await verify(root)], [ENDED, ENDED, GOOD])
      t.same((await ask(b, `GET ${path}`, root)).body.sessions, [])
      for (const request of ['GET', 'DELETE'])
        t.equal((await ask(b, `${request} admins/nobody/sessions`, root)).status, 404)
      const log = await a.ports.data.audit.find({ operationType: 'admin_session_end' })
      t.match(log.at(-1), {
        adminId: 'super',
        data: { ended: 'all', targetAdminId: adminId, login: 'olena' },
      })
    })

    t.test('an ended session stays ended when Redis is emptied and replicas restart', async (t) => {
      const [ended, good] = [await other(), await other()]
      await ask(a, 'POST logout', ended)
      await a.ports.redis.flushall()
      const anew = await openApp(t, { ...SUPER, ...store }, undefined, a)
      t.equal((await ask(anew, 'GET verify', ended)).status, 401)
      t.equal((await ask(anew, 'GET verify', good)).status, 200)
      t.same(await verify(ended), ENDED)
    })

    t.test('sockets end with their session on every replica, others stay', async (t) => {
      const urls = await Promise.all([a, b].map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
      const join = async (url: string) => {
        const client = openSocket(t, url)
        await client.first('radio_hosts_mode')
        return client
      }
      const joinAs = async (url: string, token: string, joining = join(url)) => {
        const client = await joining
        client.socket.emit('admin_active', token)
        await client.first('admin_confirmed')
        return client
      }
      await forgetCuts()
      const [own, phone] = [await other(), await other()]
      const early = await join(urls[0]!)
      const soon = a.app.jwt.sign(
        { role: 'admin', adminId, login: 'x', privileges: [], authorized: true },
        { expiresIn: 4 },
      )
      const dying = await joinAs(urls[0]!, soon, Promise.resolve(early))
      const ending = [await joinAs(urls[0]!, phone), await joinAs(urls[1]!, phone)]
      const staying = await joinAs(urls[1]!, own)
      t.equal((await ask(b, 'POST logout', phone)).status, 200)
      const isRefused = (text: string) => /ADMIN_INVALID_SESSION/.test(text)
      for (const client of [...ending, dying]) {
        await client.first('admin_error', isRefused)
        client.forget()
        client.socket.emit('admin_active', client === dying ? soon : phone)
        await client.first('admin_error', isRefused)
      }
      t.type(await staying.ask('get_queue'), 'object')
      t.equal((await ask(a, 'DELETE self/sessions', await other())).status, 200)
      await staying.first('admin_error', isRefused)
    })
  })

t.test('a read-only store prevents no login, and revives no ended session', async (t) => {
  const { a, logIn, verify } = await openStation(t, { DATA_PROVIDER: 'json' })
  const [ended, own] = [await logIn('Admin', PASSWORD), await logIn('Admin', PASSWORD)]
  await ask(a, 'POST logout', ended)
  t.same(await verify(ended), ENDED)
  const take = await refuseChanges(a.ports, 'sessions')
  const late = await logIn('Admin', PASSWORD)
  t.same([await verify(late), await verify(own), await verify(ended)], [GOOD, GOOD, ENDED])
  const out = await ask(a, 'POST logout', own)
  t.ok(out.status >= 500, 'a failed logout is reported')
  t.match(out.headers['set-cookie'], /^adminToken=; Max-Age=0/)
  await take()
  t.equal((await ask(a, 'POST logout', own)).status, 200)
  t.same([await verify(own), await verify(late)], [ENDED, GOOD])
})

t.test('sessions are noted a minute apart, fifty an account, until their tokens are long gone', async (t) => {
  const { ports } = await openApp(t, SUPER)
  const { data, announcer } = ports
  let nowMs = 1_790_000_000_000
  const clock = { nowMs: () => nowMs, aheadMs: () => 0 }
  const sessions = createSessions({ data, announcer, clock, log: pino({ level: 'silent' }) })
  const make = (id: string): Session => ({
    id,
    adminId: 'x',
    begunAtMs: nowMs,
    expiresAtMs: nowMs + 12 * HOUR_MS,
  })
  const from = { address: '192.0.2.1', userAgent: 'x' }
  const first = make('first')
  const seen = async () => {
    t.ok(await sessions.resume(first, from))
    await sessions.settled()
    return (await data.sessions.get('first'))?.lastSeenAt
  }
  t.equal(await seen(), nowMs, 'one that nothing is known of is remembered')
  nowMs += 59_999
  t.equal(await seen(), nowMs - 59_999)
  nowMs += 1
  t.equal(await seen(), nowMs)

  for (let i = 0; i < 50; i++) {
    nowMs += 1
    await sessions.begin(make(`${i}`), from, nowMs)
  }
  t.ok(await sessions.isOver(first), 'the one that was used longest ago')
  t.equal((await sessions.list('x')).length, 50)
  t.notOk(await sessions.isOver(make('0')))
  await sessions.endAll('x', '7')
  t.same(await sessions.list('x'), [{ ...(await sessions.list('x', ''))[0], id: '7' }])

  const endMs = nowMs + 12 * HOUR_MS
  t.equal(await purgeSessions(data, endMs + 24 * HOUR_MS), 50, 'all whose token expired a day ago')
  t.equal(await purgeSessions(data, endMs + 24 * HOUR_MS + 1), 1)
  t.same([await data.sessions.find(), await data.sessionCuts.find()], [[], []])
})
