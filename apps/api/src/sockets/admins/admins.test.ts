import { coded, type EventAccess, type RadioState } from '@solstice/contracts'
import { initialState, type PlayoutState } from '@solstice/playout'
import { type Admin, SUPER_ADMIN_ID } from '@solstice/station'
import t from 'tap'
import {
  addHelper,
  adminTokensOf,
  answerTo,
  isAdmin,
  joinAs,
  replica,
} from '../../../../../tests/harness/people/admin-sockets.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { ADMIN_TOKEN_TTL_S } from '../../auth/admin-tokens.ts'
import { judgeOf } from '../dispatch.ts'

useStores('sql+local')

const invalidSession = JSON.stringify(coded('ADMIN_INVALID_SESSION'))

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
