import { createHmac } from 'node:crypto'
import {
  allRoutes,
  clipFamilyNames,
  type EventAccess,
  type Privilege,
  privileges,
  session,
} from '@solstice/contracts'
import { capabilitiesOf, clipMedia } from '@solstice/station'
import t from 'tap'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import { judgeOf } from '../../../apps/api/src/sockets/dispatch.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import {
  adminRoutes,
  asker,
  bearer,
  claims,
  cookie,
  everything,
  forge,
  type Headers,
  HS256,
  named,
  nowS,
  passes,
  REFUSALS,
  refusal,
  SECRET,
} from '../../harness/people/admin-routes.ts'
import { openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir } from '../../harness/stations/workers.ts'

useStores('sql+local')

const HELPER_ID = 'a helper'

interface Needed {
  all?: readonly Privilege[]
  any?: readonly Privilege[]
}

t.test('every route for admins admits those whom its rule names, and nobody else', async (t) => {
  const station = await openApp(t, everything)
  // Answers commands, which would be waited for without it.
  await startAir(t, station.ports)
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
