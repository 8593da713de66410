import type { AuditEntry } from '@solstice/contracts'
import { createLoginLog } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { openSocket } from '../../harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { refuseChanges } from '../../harness/stations/refuse-changes.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { inTime, until } from '../../harness/until.ts'

useStores('sql+local')

const PASSWORD = 'Correct horse 1'
const TYPED_BY_MISTAKE = 'My secret password 1'
const HOUR_MS = 3_600_000
const env = {
  ADMIN_LOGIN: 'Admin',
  ADMIN_PASS: PASSWORD,
  LOGIN_ATTEMPTS_PER_15_MIN: '0',
  TRUST_PROXY_HOPS: '1',
}

/** Log entries of logins and logouts, with the `ip` and `count` of each. */
async function entriesOf({ ports }: OpenApp, operationType: string) {
  const entries: readonly (AuditEntry & { data: Record<string, unknown> })[] = await ports.data.audit.find({
    operationType,
  })
  return entries.map(({ adminId, adminLogin, data: { ip, count } }) => ({ adminId, adminLogin, ip, count }))
}

/** True when the entries of an operation are these, in any order. */
const are = async (station: OpenApp, operationType: string, expected: object[]) => {
  const sorted = (entries: object[]) => entries.map((entry) => JSON.stringify(entry)).sort()
  const told = (await entriesOf(station, operationType)) as object[]
  return JSON.stringify(sorted(told)) === JSON.stringify(sorted(expected))
}

for (const store of [{}, { DATA_PROVIDER: 'json' }] as Record<string, string>[])
  t.test(
    `logins and logouts are in the audit log of two replicas, in ${JSON.stringify(store)}`,
    async (t) => {
      const lines: string[] = []
      const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
      const a = await openApp(t, { ...env, ...store }, log)
      const b = await openApp(t, { ...env, ...store }, undefined, a)
      const post = ({ app }: OpenApp, path: string, address: string, payload: object, token = '') =>
        app.inject({
          method: 'POST',
          url: `/api/admin/${path}`,
          headers: { 'x-forwarded-for': address, ...(token && { authorization: `Bearer ${token}` }) },
          payload,
        })
      const logIn = (replica: OpenApp, address: string, login: string, password: string) =>
        post(replica, 'login', address, { login, password })
      const boss = { adminId: 'super', adminLogin: 'Admin' }

      const good = await logIn(a, '192.0.2.1', ' ADMIN ', PASSWORD)
      const { token } = good.json() as { token: string }
      await until('the login is noted', () => are(a, 'admin_login', [{ ...boss, ip: '192.0.2.1', count: 1 }]))
      const url = await a.app.listen({ port: 0, host: '127.0.0.1' })
      const client = openSocket(t, url)
      await client.first('radio_hosts_mode')
      client.socket.emit('admin_active', token)
      await client.first('admin_confirmed')

      const attempts = [a, b].flatMap((replica) => [
        ...Array.from({ length: 5 }, () => logIn(replica, '203.0.113.1', 'admin', 'wrong')),
        ...Array.from({ length: 3 }, (_, i) => logIn(replica, `2001:db8::${i}`, 'Admin', 'wrong')),
        ...Array.from({ length: 3 }, (_, i) => logIn(replica, '203.0.113.1', `${TYPED_BY_MISTAKE}${i}`, 'x')),
      ])
      for (const answer of await Promise.all(attempts)) t.equal(answer.statusCode, 401)
      const failed = async () => {
        const byWhom = new Map<string, number>()
        for (const { adminId, ip, count } of await entriesOf(a, 'admin_login_failed')) {
          const who = `${adminId} ${String(ip).replace(/::\d$/, '::')}`
          byWhom.set(who, (byWhom.get(who) ?? 0) + Number(count))
        }
        return Object.fromEntries(byWhom)
      }
      const expected = { 'super 203.0.113.1': 10, 'super 2001:db8::': 6, 'unknown 203.0.113.1': 6 }
      await until('all are counted', async () => {
        const sum = Object.values(await failed()).reduce((all, count) => all + count, 0)
        return sum === 22
      })
      t.same(await failed(), expected, 'by account and network')
      t.ok((await entriesOf(a, 'admin_login_failed')).length <= 6, 'each replica begins an entry at most')
      await client.first<AuditEntry>('audit_new_entry', (told) => told.operationType === 'admin_login_failed')

      await post(b, 'logout', '192.0.2.7', {}, token)
      await post(a, 'logout', '192.0.2.7', {}, token)
      const second = (await logIn(b, '192.0.2.1', 'Admin', PASSWORD)).json() as { token: string }
      await post(b, 'logout', '192.0.2.7', {}, second.token)
      await until('logouts are noted, each once', () =>
        are(a, 'admin_logout', [{ ...boss, ip: '192.0.2.7', count: 2 }]),
      )
      await until('so is another login', () =>
        are(a, 'admin_login', [{ ...boss, ip: '192.0.2.1', count: 2 }]),
      )

      const root = (await logIn(b, '192.0.2.1', 'Admin', PASSWORD)).json() as { token: string }
      const shown = await a.app.inject({
        url: '/api/admin/audit',
        headers: { authorization: `Bearer ${root.token}` },
      })
      const { entries } = shown.json() as { entries: { operationType: string; data: object }[] }
      const shownLogin = entries.find(({ operationType }) => operationType === 'admin_login')
      t.match(shownLogin, { ...boss, data: { ip: '192.0.2.1', count: Number, lastAt: Number } })
      t.notOk('revision' in shownLogin!)

      const kept = JSON.stringify(await a.ports.data.audit.find()) + lines.join('') + shown.body
      t.notMatch(kept, TYPED_BY_MISTAKE, 'the mistyped input is stored nowhere')
      const requests = lines
        .map((line) => JSON.parse(line))
        .filter(({ req }) => req?.url === '/api/admin/login')
      const accounts = requests.map(({ account, req, res }) => `${account} ${req.address} ${res.statusCode}`)
      for (const line of ['super 192.0.2.1 200', 'super 203.0.113.1 401', 'unknown 203.0.113.1 401'])
        t.ok(accounts.includes(line), `the log of requests has ${line}`)
    },
  )

t.test('a login is logged once the store accepts writes again', async (t) => {
  const { app, ports } = await openApp(t, { ...env, DATA_PROVIDER: 'json' })
  await ports.data.audit.insert({ adminId: 'x', adminLogin: 'x', operationType: 'x', createdAt: 1, data: {} })
  const take = await refuseChanges(ports, 'audit')
  const payload = { login: 'Admin', password: PASSWORD }
  for (let i = 0; i < 2; i++)
    t.equal((await app.inject({ method: 'POST', url: '/api/admin/login', payload })).statusCode, 200)
  t.same(await ports.data.audit.find({ operationType: 'admin_login' }), [])
  await take()
  await until('both are there', async () => {
    const [entry] = await ports.data.audit.find({ operationType: 'admin_login' })
    return (entry?.data as { count?: number } | undefined)?.count === 2
  })
})

t.test('simultaneous counts by two replicas add up', async (t) => {
  const station = await openApp(t, env)
  const { data, announcer, clock } = station.ports
  let looked = 0
  let haveLooked = () => {}
  const bothLooked = new Promise<void>((resolve) => {
    haveLooked = resolve
  })
  const find: typeof data.audit.find = async (where) => {
    const found = await data.audit.find(where)
    if (++looked === 3) haveLooked()
    if (looked > 1) await inTime('both looked', bothLooked)
    return found
  }
  const audit = Object.assign(Object.create(data.audit) as typeof data.audit, {
    find,
    update: data.audit.update.bind(data.audit),
    insert: data.audit.insert.bind(data.audit),
  })
  const log = pino({ level: 'silent' })
  const deps = { data: { admins: data.admins, audit }, announcer, clock, log, superAdmin: null, isOn: true }
  const [one, other] = [createLoginLog(deps), createLoginLog(deps)]
  one.note('admin_login_failed', null, '192.0.2.1')
  await one.close()
  for (const replica of [one, other]) replica.note('admin_login_failed', null, '192.0.2.1')
  await Promise.all([one.close(), other.close()])
  t.match(await entriesOf(station, 'admin_login_failed'), [{ adminId: 'unknown', ip: '192.0.2.1', count: 3 }])
})

t.test('a flood from many networks leaves the log readable', async (t) => {
  const station = await openApp(t, { ...env, DATA_PROVIDER: 'json' })
  const { data, announcer } = station.ports
  let nowMs = 1_790_000_000_000
  const clock = { nowMs: () => nowMs, aheadMs: () => 0 }
  const deps = { data, announcer, clock, superAdmin: { login: 'Admin' }, log: pino({ level: 'silent' }) }
  const flood = async (networks: number) => {
    const log = createLoginLog({ ...deps, isOn: true })
    for (let i = 0; i < networks; i++) {
      log.note('admin_login_failed', i % 2 ? 'super' : null, `10.0.${i}.1`)
      if (i % 3 === 0) await data.audit.find()
    }
    await log.close()
  }
  const counted = async () => {
    const entries = await entriesOf(station, 'admin_login_failed')
    return {
      entries: entries.length,
      ofMany: entries.filter(({ ip }) => ip === null).length,
      attempts: entries.reduce((sum, { count }) => sum + Number(count), 0),
    }
  }
  await flood(200)
  t.same(await counted(), { entries: 42, ofMany: 2, attempts: 200 }, 'an entry more for each account')
  nowMs += HOUR_MS - 1
  await flood(50)
  t.same(await counted(), { entries: 42, ofMany: 2, attempts: 250 })
  nowMs += 1
  await flood(1)
  t.same(await counted(), { entries: 43, ofMany: 2, attempts: 251 }, 'an hour later it begins anew')

  const off = createLoginLog({ ...deps, isOn: false })
  off.note('admin_login', 'super', '192.0.2.1')
  await off.close()
  t.same(await entriesOf(station, 'admin_login'), [], 'nothing where there is no audit log')
})
