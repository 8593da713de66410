import { createHmac, generateKeyPairSync } from 'node:crypto'
import { allRoutes, session } from '@solstice/contracts'
import t from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import {
  adminRoutes,
  asker,
  bearer,
  claims,
  cookie,
  everything,
  forge,
  forOthers,
  type Headers,
  HS256,
  named,
  nowS,
  passes,
  refusal,
  SECRET,
} from '../../harness/people/admin-routes.ts'
import { openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir } from '../../harness/stations/workers.ts'

useStores('sql+local')

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
  // Answers commands, which would be waited for without it.
  await startAir(t, station.ports)
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
