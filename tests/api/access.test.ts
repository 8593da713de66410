import { createHmac, generateKeyPairSync } from 'node:crypto'
import {
  type Access,
  allRoutes,
  clipFamilyNames,
  type EventAccess,
  type FailureCode,
  failures,
  type Privilege,
  privileges,
  type Route,
  session,
} from '@solstice/contracts'
import { capabilitiesOf, clipMedia } from '@solstice/station'
import t, { type Test } from 'tap'
import { createAdminTokens } from '../../apps/api/src/auth/admin-tokens.ts'
import { judgeOf } from '../../apps/api/src/sockets/dispatch.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { useStores } from '../harness/stations/stores.ts'

useStores('sql+local')

const named = ({ method, path }: Route) => `${method} ${path}`
const forOthers: Access[] = ['public', 'art', 'art+audio', 'operator']
const adminRoutes = allRoutes.filter(({ access }) => !forOthers.includes(access))
const SECRET = 'a secret that only this test knows'
const HELPER_ID = 'a helper'
const everything = { STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true', ...SUPER_ADMIN, JWT_SECRET: SECRET }
const REFUSALS = new Set<number>([401, 403])

type Headers = Record<string, string>

/** A route's URL, its parameters filled with names of nothing that exists. */
function url({ path, query }: Route, asked: Record<string, string> = {}): string {
  const required = (query as { required?: string[] } | undefined)?.required ?? []
  const values = required.map((name) => [name, name === 'mode' ? 'day' : 'nothing'])
  const filled = path.replace(/:(\w+)/g, 'nothing')
  return `${filled}?${new URLSearchParams({ ...Object.fromEntries(values), ...asked })}`
}

function asker({ app }: OpenApp) {
  return async (route: Route, headers: Headers = {}, query: Record<string, string> = {}) => {
    const answer = await app.inject({ method: route.method, url: url(route, query), headers })
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    const body = isJson ? (answer.json() as { error?: { code: FailureCode; capability?: string } }) : {}
    return { status: answer.statusCode, code: body?.error?.code, capability: body?.error?.capability }
  }
}
type Asker = ReturnType<typeof asker>

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const cookie = (token: string): Headers => ({ cookie: `adminToken=${token}` })
const refusal = (code: FailureCode) => ({ status: failures[code].status, code })

async function passes(t: Test, ask: Asker, route: Route, headers: Headers, who: string) {
  const { status, code } = await ask(route, headers)
  t.notOk(REFUSALS.has(status), `${who} passes (${status} ${code ?? ''})`)
  const expected: FailureCode[] = [...route.failures, 'BAD_REQUEST', 'FEATURE_UNAVAILABLE']
  if (code === undefined) t.ok(status < 400, `${who} is answered (${status})`)
  else t.ok(expected.includes(code), `${who} is refused as the route says (${code})`)
  // No payment provider is configured.
  t.equal(code === 'FEATURE_UNAVAILABLE', route.capability === 'donations')
}

/** A JWT with any header and claims, signed with HMAC by default. */
function forge(
  header: object | string,
  claims: object | string,
  sign = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64url'),
): string {
  const encoded = [header, claims].map((part) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'),
  )
  return `${encoded.join('.')}.${sign(encoded.join('.'))}`
}
const HS256 = { alg: 'HS256', typ: 'JWT' }
const nowS = () => Math.floor(Date.now() / 1000)
/** Claims of the super admin's token. */
const claims = (more: object = {}) => ({
  role: 'super_admin',
  adminId: 'super',
  login: 'admin',
  privileges: [],
  authorized: true,
  iat: nowS(),
  exp: nowS() + 43_200,
  ...more,
})

t.test('every route for admins admits those whom its rule names, and nobody else', async (t) => {
  const station = await openApp(t, everything)
  const { app, ports } = station
  const ask = asker(station)
  const adminTokens = createAdminTokens(app.jwt, SECRET, ports.clock)
  const strangers = createAdminTokens(app.jwt, 'another secret', ports.clock)
  const { artToken, audioToken } = station.passes()
  const holding = async (held: readonly Privilege[]) => (await asAdmin(station, [...held])).token
  const superToken = (await asAdmin(station)).token
  t.match(
    await ask(session.verify, bearer(forge(HS256, claims()))),
    { status: 200 },
    'the forged tokens below differ only slightly',
  )

  const newcomer = { adminId: HELPER_ID, login: 'new', role: 'admin', privileges, authorized: false } as const
  const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
  const record = { ...newcomer, privileges: [...privileges], loginKey: 'new', passwordHash: '-', ...times }
  await ports.data.admins.put(record)
  const ended = adminTokens.issue({ ...newcomer, adminId: 'super', role: 'super_admin' })
  const out = await app.inject({ method: 'POST', url: session.logout.path, headers: bearer(ended) })
  t.equal(out.statusCode, 200)
  const unactivated = adminTokens.issue({ ...newcomer, authorized: true })
  const bad: Record<string, string> = {
    garbage: 'garbage',
    expired: forge(HS256, claims({ iat: nowS() - 50_000, exp: nowS() - 1 })),
    'alg none': forge({ alg: 'none', typ: 'JWT' }, claims(), () => ''),
    'wrong key': forge(HS256, claims(), (text) => createHmac('sha256', 'x').update(text).digest('base64url')),
    'an art token': artToken,
    'an audio token': audioToken,
    'a file token': adminTokens.issueForFile('jingles/day/nothing', ports.clock.nowMs()),
    'of a session that was ended': ended,
    'of an account that is gone': adminTokens.issue({ ...newcomer, adminId: 'gone' }),
  }

  for (const route of adminRoutes) {
    t.test(named(route), async (t) => {
      t.ok(app.hasRoute({ method: route.method, url: route.path }), 'is implemented')
      const { access } = route
      t.same(await ask(route), { ...refusal('UNAUTHORIZED'), capability: undefined }, 'no token')
      for (const [kind, token] of Object.entries(bad)) {
        t.match(await ask(route, bearer(token)), refusal('UNAUTHORIZED'), kind)
        const inCookie = { ...cookie(token), 'sec-fetch-site': 'same-origin' }
        t.match(await ask(route, inCookie), refusal('UNAUTHORIZED'), `${kind}, as a cookie`)
        if (access === 'file' && kind !== 'a file token')
          t.match(
            await ask(route, {}, { adminToken: token }),
            refusal('UNAUTHORIZED'),
            `${kind}, in the query`,
          )
      }

      const refused = refusal(access === 'super' ? 'SUPER_ADMIN_ONLY' : 'FORBIDDEN')
      if (access === 'session')
        await passes(t, ask, route, bearer(unactivated), 'an account that is not activated')
      else t.match(await ask(route, bearer(unactivated)), refused, 'an account that is not activated')

      const { all = [], any = [] } = typeof access === 'object' ? (access as Needed) : {}
      const others = privileges.filter((privilege) => ![...all, ...any].includes(privilege))
      const isRestricted = access === 'super' || all.length > 0 || any.length > 0
      if (isRestricted)
        t.match(await ask(route, bearer(await holding(others))), refused, 'a holder of all other privileges')
      else await passes(t, ask, route, bearer(await holding([])), 'a helper without privileges')

      for (const privilege of any) await passes(t, ask, route, bearer(await holding([privilege])), privilege)
      if (all.length > 0) await passes(t, ask, route, bearer(await holding(all)), all.join())
      if (all.length > 1)
        for (const one of all)
          t.match(
            await ask(route, bearer(await holding(all.filter((p) => p !== one)))),
            refused,
            `all but ${one}`,
          )
      await passes(t, ask, route, bearer(superToken), 'the super admin')
      // Tokens issued in the same second would belong to sessions that some of the routes have ended.
      await ports.data.sessionCuts.delete(() => true)
    })
  }

  t.test('a token for a file opens that file only, and only in the query', async (t) => {
    const nowMs = ports.clock.nowMs()
    await station.addTrack('day/x.mp3')
    const files = adminRoutes.filter(({ access }) => access === 'file')
    const keys = new Map<string, string>(
      clipFamilyNames.map((family) => [
        `/api/admin/${family}/file`,
        clipMedia({ family, mode: 'day', filename: 'nothing' }),
      ]),
    )
    keys.set('/api/audio/stream/admin', 'day/x.mp3')
    t.equal(files.length, keys.size)
    for (const route of files) {
      const key = keys.get(route.path)!
      const open = (adminToken: string, headers: Headers = {}) =>
        ask(route, headers, { adminToken, ...(route.path.includes('stream') && { track: 'day/x.mp3' }) })
      const token = adminTokens.issueForFile(key, nowMs)
      t.notOk(REFUSALS.has((await open(token)).status), `${named(route)}: its file`)
      t.notOk(REFUSALS.has((await open(token, bearer(unactivated))).status), 'with any other login')
      const wrong: Record<string, string> = {
        'for another file': adminTokens.issueForFile(`${key}x`, nowMs),
        'of ten minutes ago': adminTokens.issueForFile(key, nowMs - 600_000),
        'of a stranger': strangers.issueForFile(key, nowMs),
        'with a later end': token.replace(/\.\d/, '.9'),
        'cut short': token.slice(0, -1),
        doubled: `${token}.${token}`,
      }
      for (const [kind, adminToken] of Object.entries(wrong))
        t.match(await open(adminToken), refusal('UNAUTHORIZED'), `${named(route)}: one ${kind}`)
    }
    for (const route of adminRoutes.filter((other) => !files.includes(other))) {
      const adminToken = adminTokens.issueForFile('day/x.mp3', nowMs)
      t.match(await ask(route, {}, { adminToken }), refusal('UNAUTHORIZED'), named(route))
      t.match(await ask(route, {}, { adminToken: superToken }), refusal('UNAUTHORIZED'), named(route))
    }
    t.equal(adminTokens.readForFile(superToken, nowMs), null, 'an admin token is none for a file')
  })
})

interface Needed {
  all?: readonly Privilege[]
  any?: readonly Privilege[]
}

t.test('forged admin tokens are rejected', async (t) => {
  const station = await openApp(t, everything)
  const ask = asker(station)
  const good = forge(HS256, claims())
  const [head, body, signature] = good.split('.') as [string, string, string]
  const flipped = [0.02, 0.3, 0.6, 0.85, 0.97].map((place) => {
    const at = Math.floor(good.length * place)
    return good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1)
  })
  const hmac = (hash: string, key: string | Buffer) => (text: string) =>
    createHmac(hash, key).update(text).digest('base64url')
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const text = JSON.stringify(claims())
  const helper = { role: 'admin', adminId: 'nobody' }
  const forged: Record<string, string> = {
    ...Object.fromEntries(flipped.map((token, i) => [`bit flipped ${i}`, token])),
    'cut short': good.slice(0, -2),
    'no signature': `${head}.${body}.`,
    'two parts': `${head}.${body}`,
    'four parts': `${good}.${signature}`,
    'very long': forge(HS256, claims({ login: 'x'.repeat(5_000) })),
    'another signature': `${forge(HS256, claims({ login: 'x' })).replace(/[^.]*$/, '')}${signature}`,
    ...Object.fromEntries(
      ['none', 'None', 'NONE', 'nOnE', '', 'HS384', 'HS512', 'RS256', 'ES256', 'hs256'].flatMap((alg) => [
        [`alg ${alg}`, forge({ alg, typ: 'JWT' }, claims())],
        [`alg ${alg}, unsigned`, forge({ alg, typ: 'JWT' }, claims(), () => '')],
      ]),
    ),
    'no alg': forge({ typ: 'JWT' }, claims()),
    'two algs': forge('{"alg":"none","alg":"HS256","typ":"JWT"}', claims()),
    'HS384 with our key': forge({ alg: 'HS384', typ: 'JWT' }, claims(), hmac('sha384', SECRET)),
    'HS512 with our key': forge({ alg: 'HS512', typ: 'JWT' }, claims(), hmac('sha512', SECRET)),
    'a public key as HMAC key': forge(HS256, claims(), hmac('sha256', publicKey)),
    'an empty key': forge(HS256, claims(), hmac('sha256', '')),
    'kid that names a file': forge({ ...HS256, kid: '../../../../dev/null' }, claims(), hmac('sha256', '')),
    'kid, with our key': forge({ ...HS256, kid: 'x' }, claims()),
    'a key of its own': forge({ ...HS256, jwk: { kty: 'oct', k: 'eA' } }, claims(), hmac('sha256', 'x')),
    'a critical header': forge({ ...HS256, crit: ['exp'] }, claims()),
    'a claim twice': forge(HS256, text.replace('{', '{"adminId":"nobody",')),
    'a role twice': forge(HS256, text.replace('}', ',"role":"admin"}')),
    'from the future': forge(HS256, claims({ iat: nowS() + 120 })),
    'without an end': forge(HS256, claims({ exp: undefined })),
    'without a beginning': forge(HS256, claims({ iat: undefined })),
    'an end in words': forge(HS256, claims({ exp: 'tomorrow' })),
    'an end that was': forge(HS256, claims({ exp: nowS() - 1 })),
    'not yet': forge(HS256, claims({ nbf: nowS() + 120 })),
    'no admin': forge(HS256, claims({ adminId: undefined })),
    'a number for an admin': forge(HS256, claims({ adminId: 0 })),
    'a prototype for an admin': forge(HS256, claims({ role: 'admin', adminId: '__proto__' })),
    'a helper called super': forge(HS256, claims({ role: 'admin' })),
    'a super admin with another id': forge(HS256, claims({ adminId: 'nobody' })),
    'a listener': forge(HS256, claims({ role: 'listener' })),
    'a helper who is not there': forge(HS256, claims(helper)),
    'no claims': forge(HS256, {}),
    'claims that are a list': forge(HS256, []),
    'claims that are null': forge(HS256, 'null'),
    'claims that are no JSON': forge(HS256, '{'),
  }
  for (const [kind, token] of Object.entries(forged)) {
    t.match(await ask(session.verify, bearer(token)), refusal('UNAUTHORIZED'), kind)
    t.match(await ask(session.verify, cookie(token)), refusal('UNAUTHORIZED'), `${kind}, as a cookie`)
  }
  for (const authorization of [good, `bearer`, `Basic ${good}`, `Bearer ${good} x`, `Bearer ${good},${good}`])
    t.match(await ask(session.verify, { authorization }), refusal('UNAUTHORIZED'))
  t.match(await ask(session.verify, {}, { adminToken: good }), refusal('UNAUTHORIZED'), 'not in the query')
  for (const word of ['Bearer', 'bearer', 'BEARER'])
    t.match(await ask(session.verify, { authorization: `${word} ${good}` }), { status: 200 })
  t.match(
    await ask(session.verify, { ...cookie('bad'), ...bearer(good) }),
    { status: 200 },
    'the first good one',
  )
  t.match(await ask(session.verify, { ...cookie(good), ...bearer('bad') }), { status: 200 }, 'counts')
  const early = forge(HS256, claims({ iat: nowS() + 30 }))
  t.match(await ask(session.verify, bearer(early)), { status: 200 }, 'clocks may differ by a minute')
})

t.test('an unavailable feature is reported after 401 and 403, and before the body is read', async (t) => {
  const station = await openApp(t, { ...SUPER_ADMIN, EPHEMERAL_STORAGE: 'true' })
  const possible = capabilitiesOf(station.ports.config)
  t.notOk(Object.values(possible).some(Boolean), 'nothing is possible here')
  const ask = asker(station)
  const { token } = await asAdmin(station)
  const nobody = (await asAdmin(station, [])).token
  for (const route of adminRoutes) {
    const { capability, access } = route
    if (!capability) await passes(t, ask, route, bearer(token), named(route))
    else {
      const off = { ...refusal('FEATURE_UNAVAILABLE'), capability }
      t.same(await ask(route, bearer(token)), off, named(route))
      t.match(await ask(route), refusal('UNAUTHORIZED'))
      const isRestricted = access === 'super' || (typeof access === 'object' && !('perSection' in access))
      if (isRestricted) t.match(await ask(route, bearer(nobody)), { status: 403 })
    }
  }
  for (const route of allRoutes.filter(({ access, capability }) => access === 'public' && capability))
    t.match(await ask(route), { ...refusal('FEATURE_UNAVAILABLE'), capability: route.capability })
})

t.test('an event without an access rule is not registered', async (t) => {
  const rules: unknown[] = [
    undefined,
    null,
    '',
    'everyone',
    'public',
    {},
    { all: [] },
    { all: ['root'] },
    { any: [] },
  ]
  for (const rule of rules) t.throws(() => judgeOf(rule as EventAccess), JSON.stringify(rule))
  for (const rule of ['anyone', 'admin', 'live', 'host', { all: ['stats'] }] as EventAccess[])
    t.ok(judgeOf(rule))
})

t.test('a page of another origin changes nothing, even when its visitor is logged in', async (t) => {
  const OWN = 'https://radio.example'
  const LISTED = 'https://page.example'
  const station = await openApp(t, {
    ...everything,
    NODE_ENV: 'production',
    JWT_SECRET: SECRET,
    PUBLIC_SERVER_URL: OWN,
    CLIENT_ORIGIN: LISTED,
  })
  const ask = asker(station)
  const pages: [Headers, 'ours' | 'unknown' | 'foreign'][] = [
    [{ origin: OWN }, 'ours'],
    [{ origin: LISTED }, 'ours'],
    [{ 'sec-fetch-site': 'same-origin' }, 'ours'],
    [{}, 'unknown'],
    [{ 'sec-fetch-site': 'same-site' }, 'unknown'],
    [{ 'sec-fetch-site': 'cross-site' }, 'unknown'],
    [{ 'sec-fetch-site': 'none' }, 'unknown'],
    [{ referer: OWN }, 'unknown'],
    [{ origin: 'https://evil.example' }, 'foreign'],
    [{ origin: 'https://radio.example.evil.example' }, 'foreign'],
    [{ origin: 'http://radio.example' }, 'foreign'],
    [{ origin: 'https://radio.example:444' }, 'foreign'],
    [{ origin: 'null' }, 'foreign'],
    [{ origin: '' }, 'foreign'],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 'foreign'],
  ]
  const FORBIDDEN = refusal('FORBIDDEN')
  const met = new Set<string>()
  let turn = 0
  for (const route of allRoutes) {
    const isPublic = forOthers.includes(route.access)
    if (isPublic && !route.path.startsWith('/api/admin/')) continue
    const isWrite = route.method !== 'GET'
    // Each method under each rule is tried from all pages, every other route from one of each kind in turn.
    const rule = `${route.method} ${JSON.stringify(route.access)}`
    const isNew = !met.has(rule)
    met.add(rule)
    turn++
    const inTurn = (['ours', 'unknown', 'foreign'] as const).map((kind) => {
      const ofKind = pages.filter(([, from]) => from === kind)
      return ofKind[turn % ofKind.length]!
    })
    for (const [page, from] of isNew ? pages : inTurn) {
      const why = `${named(route)} ${JSON.stringify(page)}`
      // Uses a session of its own, because some of the routes end it.
      const { token } = await asAdmin(station)
      if (route.path.includes('sessions')) await station.ports.data.sessionCuts.delete(() => true)
      const byCookie = await ask(route, { ...page, ...cookie(token) })
      const byBearer = await ask(route, { ...page, ...bearer(token) })
      const byBoth = await ask(route, { ...page, ...cookie(token), ...bearer(token) })
      const byNothing = await ask(route, page)
      const isRefused = isWrite && from === 'foreign'
      const isCookieRefused = isWrite && (from === 'foreign' || (from === 'unknown' && !isPublic))
      const answers = { byCookie, byBearer, byBoth }
      const refused = { byCookie: isCookieRefused, byBearer: isRefused, byBoth: isRefused }
      for (const way of ['byCookie', 'byBearer', 'byBoth'] as const) {
        if (refused[way]) t.match(answers[way], FORBIDDEN, `${why} ${way} is refused`)
        else t.not(answers[way].status, 403, `${why} ${way} passes`)
      }
      if (isPublic) t.match(byNothing.status, isRefused ? 403 : /^(200|400|429)$/, why)
      else t.match(byNothing, refusal('UNAUTHORIZED'), `${why} without a token`)
    }
  }
  const headers = { ...cookie((await asAdmin(station)).token), origin: 'https://evil.example' }
  const head = await station.app.inject({ method: 'HEAD', url: session.verify.path, headers })
  t.equal(head.statusCode, 200, 'HEAD changes nothing either')
})

t.test('two replicas share their knowledge', async (t) => {
  const limited = { ...everything, LOGIN_ATTEMPTS_PER_15_MIN: '5' }
  const a = await openApp(t, limited)
  const b = await openApp(t, limited, undefined, a)

  t.test('a change of a helper’s privileges takes effect on both at once', async (t) => {
    const helper = await asAdmin(a, ['editor_meta'])
    const root = await asAdmin(a)
    const onB = asker(b)
    const editor = adminRoutes.find(({ path }) => path === '/api/admin/song-editor/download')!
    const groups = adminRoutes.find(
      ({ path, method }) => path === '/api/admin/song-groups' && method === 'POST',
    )!
    await passes(t, onB, editor, bearer(helper.token), 'a holder')
    t.match(await onB(groups, bearer(helper.token)), refusal('FORBIDDEN'))

    const path = `/api/admin/admins/${encodeURIComponent('helper with editor_meta')}`
    const changed = await root.ask(`PUT ${path}/privileges`, { privileges: ['settings_groups'] })
    t.equal(changed.status, 200)
    t.match(await onB(editor, bearer(helper.token)), refusal('FORBIDDEN'), 'taken away')
    await passes(t, onB, groups, bearer(helper.token), 'granted')

    t.equal((await root.ask(`PUT ${path}/reset-password`, { newPassword: 'Temporary1' })).status, 200)
    t.match(await onB(groups, bearer(helper.token)), refusal('UNAUTHORIZED'), 'to log in anew')
    t.equal((await root.ask(`DELETE ${path}`)).status, 200)
    t.match(await onB(groups, bearer(helper.token)), refusal('UNAUTHORIZED'), 'gone')
  })

  t.test('login attempts are counted together', async (t) => {
    const payload = { login: SUPER_ADMIN.ADMIN_LOGIN, password: SUPER_ADMIN.ADMIN_PASS }
    const attempts = Array.from({ length: 14 }, (_, i) =>
      [a, b][i % 2]!.app.inject({ method: 'POST', url: '/api/admin/login', payload }),
    )
    const statuses = (await Promise.all(attempts)).map(({ statusCode }) => statusCode)
    t.equal(statuses.filter((status) => status === 200).length, 5, 'exactly as many as are allowed')
    t.equal(statuses.filter((status) => status === 429).length, 9)
  })

  t.test('a login can be taken once', async (t) => {
    const body = { login: 'twin', password: 'Temporary1' }
    const [onA, onB] = [await asAdmin(a), await asAdmin(b)]
    const answers = await Promise.all(
      [onA, onB, onA, onB].map(({ ask }) => ask('POST /api/admin/admins', body)),
    )
    t.same(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
    t.equal((await a.ports.data.admins.find({ loginKey: 'twin' })).length, 1)
  })
})
