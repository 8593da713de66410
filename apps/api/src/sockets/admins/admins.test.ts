import { randomUUID } from 'node:crypto'
import {
  type AuditEntry,
  coded,
  type EventAccess,
  type Privilege,
  type RadioState,
  type User,
} from '@solstice/contracts'
import { initialState, type PlayoutState } from '@solstice/playout'
import { type Admin, defaultSettings, type SettingsRecord, SUPER_ADMIN_ID } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../../../../tests/harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../../../../tests/harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../../../../tests/harness/stations/app.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { ADMIN_TOKEN_TTL_S, createAdminTokens } from '../../auth/admin-tokens.ts'
import { judgeOf } from '../dispatch.ts'
import { aliases, superAdminAlias } from '../presence/aliases.ts'

useStores('sql+local')

const log = pino({ level: 'silent' })
const invalidSession = JSON.stringify(coded('ADMIN_INVALID_SESSION'))

interface Replica extends OpenApp {
  /** A socket that has heard all that a new one is told. */
  join(headers?: Record<string, string>): Promise<SocketClient>
  tokenOf(admin: Admin): string
}

async function replica(t: Test, env: Record<string, string> = {}, beside?: OpenApp): Promise<Replica> {
  const open = await openApp(t, env, log, beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  return {
    ...open,
    async join(headers = {}) {
      const client = openSocket(t, url, { headers })
      await client.first('radio_hosts_mode')
      return client
    },
    tokenOf: (admin) => adminTokensOf(open).issue(admin),
  }
}

const adminTokensOf = ({ app, ports }: OpenApp) =>
  createAdminTokens(app.jwt, ports.config.jwtSecret, ports.clock)

/** Puts an account into the store, activated unless told otherwise. */
async function addHelper(
  { data }: OpenApp['ports'],
  privileges: Privilege[],
  isActivated = true,
): Promise<Admin> {
  const adminId = randomUUID()
  const account = { adminId, login: adminId, privileges, authorized: isActivated }
  const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
  await data.admins.put({ ...account, ...times, loginKey: adminId, passwordHash: '-' })
  return { ...account, role: 'admin' }
}

async function twoReplicas(t: Test, env: Record<string, string> = {}): Promise<[Replica, Replica]> {
  const one = await replica(t, env)
  return [one, await replica(t, env, one)]
}

/** A socket that was confirmed as the admin; all that it heard before that is forgotten. */
async function joinAs(replica: Replica, admin: Admin): Promise<SocketClient> {
  const client = await replica.join()
  client.socket.emit('admin_active', replica.tokenOf(admin))
  await client.first('admin_confirmed')
  client.forget()
  return client
}

/** Resolves with the answer to an event, or null when a later question is answered first. */
async function answerTo(client: SocketClient, event: string, ...args: unknown[]): Promise<unknown> {
  let answer: unknown = null
  client.socket.emit(event, ...args, (given: unknown) => {
    answer = given
  })
  await client.ask('stream_ping', 1)
  return answer
}

const isAdmin = async (client: SocketClient) => (await answerTo(client, 'get_queue')) !== null

t.test('an event without an access rule, or with an unknown one, is not registered', async (t) => {
  for (const access of [undefined, null, '', 'admins', {}, { any: [] }, { all: [] }, { all: ['fly'] }]) {
    t.throws(() => judgeOf(access as EventAccess), JSON.stringify(access))
  }
  const judgeAll = judgeOf({ all: ['queue_manage', 'settings_groups'] })
  const judge = (admin: Admin | null) => judgeAll({ admin, liveRole: null })
  const admin: Admin = { adminId: 'x', login: 'x', role: 'admin', privileges: [], authorized: true }
  const both: Admin['privileges'] = ['settings_groups', 'queue_manage']
  t.equal(judge(null), 'ignore')
  t.equal(judge({ ...admin, privileges: ['queue_manage'] }), 'refuse', 'one of two')
  t.equal(judge({ ...admin, privileges: both }), 'pass')
  t.equal(judge({ ...admin, privileges: both, authorized: false }), 'refuse', 'not activated')
  const judgeAny = judgeOf({ any: ['settings_groups', 'queue_manage'] })
  t.equal(judgeAny({ admin, liveRole: 'host' }), 'refuse', 'none of two')
  t.equal(judgeAny({ admin: { ...admin, privileges: ['queue_manage'] }, liveRole: null }), 'pass')
  t.equal(judgeOf('host')({ admin, liveRole: 'guest' }), 'not-live')
  t.equal(judgeOf('host')({ admin: null, liveRole: 'guest' }), 'ignore')
  t.equal(judgeOf('live')({ admin: null, liveRole: 'guest' }), 'pass')
})

t.test('a socket becomes an admin socket with a token of an existing account', async (t) => {
  const here = await replica(t)
  const { ports, app, join, tokenOf } = here
  const helper = await addHelper(ports, ['stats', 'queue_manage'])
  const gone = await addHelper(ports, ['stats'])
  await ports.data.admins.delete({ adminId: gone.adminId })
  const { adminId } = helper
  const tokens = adminTokensOf(here)
  const life = { expiresIn: ADMIN_TOKEN_TTL_S }
  const unsigned = (header: object) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const nowS = Math.floor(Date.now() / 1000)
    return `${part(header)}.${part({ role: 'admin', adminId, iat: nowS, exp: nowS + 60 })}.`
  }
  const bad: Record<string, string> = {
    garbage: 'garbage',
    'a word more': `${tokenOf(helper)} x`,
    'cut short': tokenOf(helper).slice(0, -2),
    expired: app.jwt.sign({ role: 'admin', adminId, iat: 1_000_000_000 }, life),
    'without an end': app.jwt.sign({ role: 'admin', adminId }),
    'without an algorithm': unsigned({ alg: 'none', typ: 'JWT' }),
    'of another role': app.jwt.sign({ role: 'super_admin', adminId }, life),
    'of a super admin where there is none': app.jwt.sign(
      { role: 'super_admin', adminId: SUPER_ADMIN_ID },
      life,
    ),
    'of a listener': here.passes().artToken,
    'of a file': tokens.issueForFile('day/one.mp3', ports.clock.nowMs()),
    'of a deleted account': tokenOf(gone),
    'far too long': 'x'.repeat(50_000),
  }
  for (const [why, token] of Object.entries(bad)) {
    const client = await join()
    t.equal(await answerTo(client, 'get_queue', {}), null, 'silence before')
    client.socket.emit('admin_active', token)
    t.equal(await client.first('admin_error'), invalidSession, why)
    t.equal(await isAdmin(client), false, 'silence after')
    t.same(client.all('admin_confirmed'), [])
  }
  const bare = await join()
  bare.socket.emit('admin_active')
  t.equal(await bare.first('admin_error'), invalidSession, 'no token at all')
  for (const payload of [42, true, [], [tokenOf(helper)]]) {
    bare.socket.emit('admin_active', payload)
  }
  t.equal(await isAdmin(bare), false)
  t.equal(bare.all('admin_error').length, 1, 'what is no text is not answered')

  const client = await join()
  t.equal(await isAdmin(client), false)
  client.socket.emit('admin_active', tokenOf(helper))
  const confirmed = await client.first('admin_confirmed')
  t.same(confirmed, { role: 'admin', privileges: ['stats', 'queue_manage'], authorized: true })
  t.same(await client.first('suggestions_update'), [])
  t.equal(await client.first('admin_online', (isOnline) => isOnline === true), true)
  const order = client.heard.map(({ event }) => event).filter((event) => event !== 'sync')
  t.ok(order.lastIndexOf('admin_confirmed') < order.indexOf('suggestions_update'))
  t.equal(await isAdmin(client), true)
  client.forget()
  client.socket.emit('admin_active', tokenOf(helper))
  await client.first('admin_confirmed')
  t.equal(await isAdmin(client), true, 'asking again changes nothing')
  client.socket.emit('admin_active', bad.expired)
  await client.first('admin_error')
  t.equal(await isAdmin(client), false, 'a bad session is none')

  const other = await addHelper(ports, [])
  client.forget()
  for (const admin of [helper, other]) client.socket.emit('admin_active', tokenOf(admin))
  await client.first<{ privileges: string[] }>('admin_confirmed', ({ privileges }) => !privileges.length)
  t.equal(await isAdmin(client), true, 'as another account')
  const again = await joinAs(here, helper)
  t.same([await isAdmin(client), await isAdmin(again)], [true, true], 'the first account has another place')
})

t.test("without a token the handshake's cookie is used, and only from our own pages", async (t) => {
  const { ports, join, tokenOf, app } = await replica(t, { CLIENT_ORIGIN: 'http://page.example' })
  const helper = await addHelper(ports, ['stats'])
  const cookie = `theme="dark; x"; adminToken=${encodeURIComponent(tokenOf(helper))}; adminTokens=x; a=1`
  for (const args of [[], [null], [{}], ['']]) {
    const client = await join({ cookie, origin: 'http://page.example' })
    client.socket.emit('admin_active', ...args)
    t.match(await client.first('admin_confirmed'), { privileges: ['stats'] })
    client.socket.disconnect()
  }
  const withoutAsking = await join({ cookie })
  t.equal(await isAdmin(withoutAsking), false, 'a cookie alone makes nobody an admin')
  withoutAsking.socket.emit('admin_active', 'garbage')
  t.equal(await withoutAsking.first('admin_error'), invalidSession, 'what is given counts before the cookie')
  await t.rejects(join({ cookie, origin: 'http://other.example' }), 'a page elsewhere has no socket at all')
  const { port } = app.server.address() as { port: number }
  const handshake = `http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`
  const refused = await fetch(handshake, { headers: { cookie, origin: 'http://other.example' } })
  t.equal(refused.status, 403)
})

t.test('the queue is for activated admins, in pages and by words', async (t) => {
  const here = await replica(t)
  const { ports } = here
  const client = await joinAs(here, await addHelper(ports, []))
  const nothing = { items: [], total: 0 }
  t.same(await client.ask('get_queue'), nothing, 'nothing before any air')
  t.same(await client.ask('search_queue'), nothing)

  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const lease = await ports.bus.acquireLease(ending.signal)
  await lease.save(playing(150, ports.clock.nowMs()))
  await client.first<RadioState>('sync', ({ track }) => track !== null)
  type Page = { items: { id: string; position?: number }[]; total: number }
  const page = async (...args: unknown[]) => {
    const { items, total } = (await client.ask('get_queue', ...args)) as Page
    return [items[0]?.id, items.length, total]
  }
  for (const args of [[], [{}], [null]]) t.same(await page(...args), ['day/1.mp3', 10, 149])
  t.same(await page({ offset: 3, limit: 2 }), ['day/4.mp3', 2, 149])
  t.same(await page({ offset: -3, limit: 0 }), ['day/1.mp3', 1, 149])
  t.same(await page({ limit: 1e9 }), ['day/1.mp3', 100, 149])
  t.same(await page({ offset: 1e9 }), [undefined, 0, 149])
  const found = (await client.ask('search_queue', { query: ' ANN | 12' })) as Page
  t.same(
    found.items.map(({ position }) => position),
    [12, 112, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129],
  )
  for (const args of [[], [{}], [null]]) t.match(await client.ask('search_queue', ...args), { total: 149 })

  const malformed = { error: { code: 'BAD_REQUEST', uk: String, en: String } }
  for (const payload of [5, 'x', [], true, { offset: '1' }, { limit: 1.5 }, { limit: {} }]) {
    t.match(await client.ask('get_queue', payload), malformed, JSON.stringify(payload))
  }
  for (const query of [5, null, {}, 'x'.repeat(301)]) {
    t.match(await client.ask('search_queue', { query }), malformed)
  }
  const idle = await addHelper(ports, ['queue_manage'], false)
  const waiting = await here.join()
  waiting.socket.emit('admin_active', here.tokenOf(idle))
  t.match(await waiting.first('admin_confirmed'), { authorized: false })
  const missing = { error: coded('INSUFFICIENT_PRIVILEGES') }
  t.same(await waiting.ask('get_queue'), missing)
  t.same(await waiting.ask('get_queue', 'x'), missing, 'whatever is asked')
  t.same(waiting.all('suggestions_update'), [], 'not told what listeners ask for')
})

t.test('an account has at most eight admin sockets across all replicas: the oldest is closed', async (t) => {
  const [one, two] = await twoReplicas(t)
  const helper = await addHelper(one.ports, ['queue_manage'])
  const windows: SocketClient[] = []
  for (let i = 0; i < 8; i++) windows.push(await joinAs(i % 2 ? two : one, helper))
  const [first, second, third] = windows as [SocketClient, SocketClient, SocketClient]
  t.same(
    await Promise.all(windows.map(isAdmin)),
    windows.map(() => true),
    'each window counts separately',
  )
  const shown = await shownAdmins(one)
  t.equal(shown.length, 1, 'the roster shows the account once')

  windows.push(await joinAs(two, helper))
  t.equal(await first.first('admin_error'), JSON.stringify(coded('ADMIN_SESSION_REPLACED')))
  t.notOk(await isAdmin(first), 'the oldest, on the other replica')
  t.ok(first.socket.connected, 'as a listener it stays')
  t.equal(first.all('admin_error').length, 1, 'it is told once')
  t.same(
    await Promise.all(windows.slice(1).map(isAdmin)),
    windows.slice(1).map(() => true),
  )
  for (const client of windows) t.same(client.all('force_logout'), [])
  t.same(second.all('admin_online'), [], 'somebody was online all the time')

  first.socket.emit('admin_active', one.tokenOf(helper))
  t.equal(await second.first('admin_error'), JSON.stringify(coded('ADMIN_SESSION_REPLACED')))
  t.ok(await isAdmin(first), 'who asks again is the newest')
  third.forget()
  third.socket.emit('admin_active', two.tokenOf(helper))
  await third.first('admin_confirmed')
  t.same(
    await Promise.all(windows.map(isAdmin)),
    windows.map((client) => client !== second),
  )

  const many = await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 ? two : one).join()))
  for (const [i, { socket }] of many.entries())
    socket.emit('admin_active', (i % 2 ? two : one).tokenOf(helper))
  await Promise.all(many.map((client) => client.first('admin_confirmed')))
  const everybody = [...windows, ...many]
  await until('of many that come at the same moment eight stay', async () => {
    return (await Promise.all(everybody.map(isAdmin))).filter(Boolean).length === 8
  })
  t.same(
    await Promise.all(many.map(isAdmin)),
    many.map(() => true),
    'the newest',
  )
  for (const { socket } of everybody) if (socket !== many[0]!.socket) socket.disconnect()
  t.same(await shownAdmins(one), shown, 'and the same all the time')
})

/** The admins that a newcomer is shown. */
async function shownAdmins({ join }: Replica): Promise<User[]> {
  const list = await (await join()).first<User[]>('usersUpdate')
  return list.filter(({ isAdmin }) => isAdmin)
}

t.test('changes to an account reach its sockets on every replica', async (t) => {
  const [one, two] = await twoReplicas(t)
  const { data, announcer } = two.ports
  const helper = await addHelper(one.ports, ['queue_manage', 'stats'])
  const { adminId } = helper
  const admin = await joinAs(one, helper)
  const listener = await two.join()
  await listener.first('admin_online', (isOnline) => isOnline === true)
  listener.forget()

  await data.admins.update({ adminId }, { privileges: ['stats', 'editor_meta'] })
  announcer.accountChanged({ adminId, kind: 'privileges' })
  const updated = { privileges: ['stats', 'editor_meta'], authorized: true }
  t.same(await admin.first('privileges_updated'), updated)
  t.equal(await listener.first('admin_online'), false, 'nobody may answer any more')
  announcer.accountChanged({ adminId, kind: 'privileges' })
  announcer.tell({ privilege: 'queue_manage' }, 'jingles_updated')
  announcer.tell({ privilege: 'editor_meta' }, 'queue_updated', {})
  await admin.first('queue_updated')
  t.same(admin.all('jingles_updated'), [], 'hears nothing more of what it may not do')
  t.equal(admin.all('privileges_updated').length, 1, 'news that changes nothing is not told')

  admin.forget()
  listener.forget()
  await data.admins.update({ adminId }, { privileges: ['queue_manage'], authorized: false })
  announcer.accountChanged({ adminId, kind: 'password-reset' })
  t.same(await admin.first('force_logout'), { reason: 'password_reset' })
  t.notOk(await isAdmin(admin))
  announcer.tell('admins', 'audit_new_entry', entry)

  admin.forget()
  admin.socket.emit('admin_active', one.tokenOf(helper))
  t.match(await admin.first('admin_confirmed'), { authorized: false })
  announcer.tell('admins', 'audit_new_entry', entry)
  await data.admins.update({ adminId }, { authorized: true })
  announcer.accountChanged({ adminId, kind: 'privileges' })
  t.same(await admin.first('privileges_updated'), { privileges: ['queue_manage'], authorized: true })
  t.equal(await listener.first('admin_online'), true, 'with its activation')
  await admin.ask('stream_ping', 1)
  t.equal(admin.all('library_updated').length, 1, 'it reads the library that it could not see')
  t.same(listener.all('library_updated'), [], 'nobody else does')
  t.same(admin.all('audit_new_entry'), [], 'nothing of admins before that')
  t.ok(await isAdmin(admin))

  listener.forget()
  await data.admins.delete({ adminId })
  announcer.accountChanged({ adminId, kind: 'deleted' })
  t.same(await admin.first('force_logout'), { reason: 'admin_deleted' })
  t.equal(await listener.first('admin_online'), false)
  t.notOk(await isAdmin(admin))
  t.ok(admin.socket.connected, 'as a listener it stays')
  const nobody = (list: User[]) => !list.some((user) => user.isAdmin)
  await listener.first<User[]>('usersUpdate', nobody)
})

t.test('changes missed while Redis was away are applied when it is back', async (t) => {
  const [one, two] = await twoReplicas(t)
  const { data } = one.ports
  const [changed, deleted, twice] = await Promise.all([
    addHelper(one.ports, ['stats']),
    addHelper(one.ports, ['stats']),
    addHelper(one.ports, ['queue_manage']),
  ])
  const clients = [await joinAs(one, changed), await joinAs(two, deleted)] as const
  const older = await joinAs(one, twice)
  await one.redis.process.end()
  await data.admins.update({ adminId: changed.adminId }, { privileges: ['jingles_uploader'] })
  await data.admins.delete({ adminId: deleted.adminId })
  const newer = await joinAs(two, twice)
  t.ok(await isAdmin(newer), 'admins can come while Redis is away')
  t.ok(await isAdmin(older))
  await one.redis.restart()
  t.match(await clients[0].first('privileges_updated'), { privileges: ['jingles_uploader'] })
  t.same(await clients[1].first('force_logout'), { reason: 'admin_deleted' })
  t.same([await isAdmin(older), await isAdmin(newer)], [true, true])
})

t.test('events reach their audience on every replica, and nobody else', async (t) => {
  const [one, two] = await twoReplicas(t, SUPER_ADMIN)
  const { announcer } = one.ports
  const boss = await joinAs(two, {
    adminId: SUPER_ADMIN_ID,
    login: 'admin',
    role: 'super_admin',
    privileges: [],
    authorized: true,
  })
  const worker = await addHelper(one.ports, ['stats'])
  const helper = await joinAs(two, worker)
  const idle = await joinAs(one, await addHelper(one.ports, ['stats'], false))
  const listener = await two.join()
  const clients = [boss, helper, idle, listener]
  const authorized = { adminId: 'x', login: 'x', authorized: true } as const
  announcer.tell('admins', 'audit_new_entry', entry)
  announcer.tell('super-admin', 'admin_authorized', authorized)
  announcer.tell({ privilege: 'donations_manage' }, 'queue_updated', {})
  announcer.announce('library_updated')
  await Promise.all(clients.map((client) => client.first('library_updated')))
  const heard = (event: string) => clients.map((client) => client.all(event).length)
  t.same(heard('audit_new_entry'), [1, 1, 0, 0])
  t.same(heard('admin_authorized'), [1, 0, 0, 0])
  t.same(heard('queue_updated'), [1, 0, 0, 0], 'the super admin holds every privilege')

  listener.socket.emit('listener_init')
  const { uid } = await listener.first<{ uid: string }>('listener_uid')
  announcer.tell({ uid }, 'suggestions_update', [])
  announcer.tell({ uid: uid.replace(/./g, '0') }, 'queue_updated', {})
  await listener.first('suggestions_update')
  t.same(heard('queue_updated'), [1, 0, 0, 0], 'one listener is not the other')

  const newcomer = await one.join()
  t.equal(newcomer.all('admin_online')[0], true)
  const list = await newcomer.first<User[]>('usersUpdate', (list) => list.length === 5)
  t.match(list[0], { isAdmin: true })
  const bossUser = list.find((user) => user.isSuperAdmin)
  t.match(bossUser, { name: superAdminAlias.name, img: superAdminAlias.img, isAdmin: true })
  const helpers = list.filter((user) => user.isAdmin && !user.isSuperAdmin)
  t.equal(helpers.length, 2)
  for (const { name, img } of helpers) {
    const worn = aliases.find((alias) => alias.img === img)
    t.same(name, { uk: `Адмін ${worn?.name.uk}`, en: `Admin ${worn?.name.en}` })
  }
  for (const user of list.slice(3)) {
    t.same(Object.keys(user).sort(), ['color', 'img', 'name'])
    t.notMatch(user.name.en, /^Admin/)
  }
  t.same(await answerTo(newcomer, 'suggest_song', { id: 'day/one.mp3' }), { error: 'no_uid' })

  const { ask } = await asAdmin(one)
  const account = `/api/admin/admins/${worker.adminId}`
  t.equal((await ask(`PUT ${account}/privileges`, { privileges: ['stats', 'radio_host'] })).status, 200)
  t.match(await helper.first('privileges_updated'), { authorized: true })
  t.equal((await ask(`DELETE ${account}`)).status, 200)
  t.same(await helper.first('force_logout'), { reason: 'admin_deleted' }, 'asked on the other replica')
  await boss.first<AuditEntry>('audit_new_entry', ({ id }) => id !== entry.id)

  newcomer.forget()
  boss.socket.disconnect()
  t.equal(await newcomer.first('admin_online'), false, 'the only one who could answer has left')
  await newcomer.first<User[]>('usersUpdate', (list) => !list.some((user) => user.isSuperAdmin))
})

t.test('listeners see saved settings at once, from every replica', async (t) => {
  const [one, two] = await twoReplicas(t)
  const listener = await two.join()
  const { branding } = structuredClone(defaultSettings)
  branding.byLang.en.dayRadioName = 'Another name'
  const record: SettingsRecord = { section: 'branding', value: branding, revision: 1 }
  await one.ports.data.settings.put(record)
  one.ports.announcer.settingsChanged()
  await listener.first<RadioState>('sync', ({ uiSettings }) => {
    return uiSettings.byLang.en.dayRadioName === 'Another name'
  })
  t.pass('told')
})

const entry: AuditEntry = {
  id: 1_000_000,
  adminId: SUPER_ADMIN_ID,
  adminLogin: 'admin',
  operationType: 'login',
  createdAt: 1,
  data: {},
}

/** An air that plays the first of so many tracks of an hour each, all by Ann. */
function playing(count: number, startedAtMs: number): PlayoutState {
  const state = initialState(1, 'sound', { natural: 'day', changes: [] }, startedAtMs)
  const entries = Array.from({ length: count }, (_, i) => ({
    entryId: `${i}`,
    track: {
      id: `day/${i}.mp3`,
      title: `${i}`,
      artist: 'Ann',
      album: '',
      year: null,
      durationMs: 3_600_000,
    },
    orderType: null,
    tier: null,
  }))
  return {
    ...state,
    onAir: { phase: 'track', entry: entries[0]!, startedAtMs },
    playlist: { ...state.playlist, entries },
  }
}
