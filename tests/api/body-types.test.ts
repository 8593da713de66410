import { administration, allRoutes, type Route, Settings } from '@solstice/contracts'
import { collectionNames, contentsOf, digestOf } from '@solstice/station'
import t from 'tap'
import type { TSchema } from 'typebox'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'

const env = {
  STREAM_MODE: 'true',
  RADIO_HOSTS_MODE: 'true',
  ...SUPER_ADMIN,
  LOGIN_ATTEMPTS_PER_15_MIN: '0',
  TRUST_PROXY_HOPS: '1',
  DONATIONS_ENABLED: 'true',
  DONATIONS_PROVIDER: 'kofi',
  KOFI_VERIFICATION_TOKEN: 'only for this test',
  KOFI_PAGE_URL: 'https://ko-fi.example/solstice',
}

/** One value of each JSON type, and texts that look like another type. */
const samples: unknown[] = ['x', '7', 'true', 7, true, ['x'], { x: 1 }]

/** Fields whose schema accepts any type, because the handler parses them. */
const readAsSent = [
  'POST /api/admin/settings songGroups',
  'POST /api/admin/donations/settings pricingMode',
  'POST /api/admin/donations/settings tiersEnabled',
  'POST /api/admin/donations/settings blockDonationsWhileChatting',
]

type Path = readonly (string | number)[]

interface Shape {
  type?: string
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  items?: TSchema
}

const variantsOf = (shape: TSchema): Shape[] =>
  ((shape as Shape).anyOf ?? [shape]).flatMap((variant) =>
    'anyOf' in variant ? variantsOf(variant) : [variant as Shape],
  )

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)

/** Every place in a body, with values that its schema rejects there. */
function* wrongValues(shape: TSchema, path: Path = []): Generator<[Path, wrong: unknown[]]> {
  const variants = variantsOf(shape)
  const types = variants.map(({ type }) => (type === 'integer' ? 'number' : type))
  if (path.length > 0)
    yield [path, types.includes(undefined) ? [] : samples.filter((value) => !types.includes(typeOf(value)))]
  for (const { properties = {}, items } of variants) {
    for (const [name, inner] of Object.entries(properties)) yield* wrongValues(inner, [...path, name])
    if (items) yield* wrongValues(items, [...path, 0])
  }
}

/** A copy with another value at a path, creating the path. */
function withValue(body: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  const isList = typeof step === 'number'
  const copy = structuredClone(body ?? (isList ? [] : {})) as Record<string | number, unknown>
  copy[step] = withValue(copy[step], rest, value)
  return copy
}

/** Everything that a request could have changed. */
async function everythingOf({ ports }: OpenApp): Promise<unknown> {
  // Session activity is recorded whatever the outcome of the request.
  const compared = collectionNames.filter((name) => name !== 'sessions')
  const digests = compared.map(async (name) => [name, digestOf(await contentsOf(ports.data, name))])
  // The replica renews its heartbeat all the time.
  const others = /^solstice:(limit:|replica)/
  const keys = (await ports.redis.keys('*')).filter((key) => !others.test(key))
  return [await Promise.all(digests), keys.sort()]
}

t.test('JSON bodies are not coerced: a value of the wrong type is refused and changes nothing', async (t) => {
  const station = await openApp(t, env)
  const { ask } = await asAdmin(station)
  const before = await everythingOf(station)
  const unread: string[] = []
  let asked = 0
  for (const route of allRoutes as readonly Route[]) {
    const { method, path, body, example } = route
    if (!body || 'upload' in body) continue
    // Sections of settings are parsed one by one, against the stored ones.
    const shapes = route === administration.saveSettings ? [body, Settings] : [body]
    const url = path.replace(/:\w+/g, 'nothing')
    // Orders per address are limited.
    const send = (sent: unknown) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${asked++ % 250}` }
      return ask(`${method} ${url}`, Buffer.from(JSON.stringify(sent)), headers)
    }
    const taken: string[] = []
    for (const [place, wrong] of shapes.flatMap((shape) => [...wrongValues(shape)])) {
      const at = place.join('.')
      if (wrong.length === 0) unread.push(`${method} ${path} ${at}`)
      for (const value of wrong) {
        const { status, body } = await send(withValue(example?.body, place, value))
        const { code, field } = body.error ?? {}
        const isOfPlace = field?.split('.')[0] === place[0]
        if (status !== 400 || code !== 'BAD_REQUEST' || !isOfPlace)
          taken.push(`${at} = ${JSON.stringify(value)}: ${status} ${code} ${field}`)
      }
    }
    for (const whole of ['x', 7, true, ['x']])
      if ((await send(whole)).status !== 400) taken.push(JSON.stringify(whole))
    t.same(taken, [], `${method} ${path}`)
  }
  t.ok(asked > 500, `${asked} wrong values`)
  const sections = Object.keys(Settings.properties).map((name) => `POST /api/admin/settings ${name}`)
  t.same(
    unread.filter((name) => !sections.some((section) => name.startsWith(section))).sort(),
    [...readAsSent].sort(),
  )
  t.same(await everythingOf(station), before)
})

t.test('a `limit` above its maximum is capped; query text is parsed as its type', async (t) => {
  const station = await openApp(t, env)
  const { ask } = await asAdmin(station)
  const isPaged = ({ query }: Route) => Object.hasOwn((query as Shape | undefined)?.properties ?? {}, 'limit')
  const paged = (allRoutes as readonly Route[]).filter(isPaged)
  t.ok(paged.length > 6)
  const { id: songId } = await station.addTrack('day/one.mp3')
  const { jobs } = station.ports
  const asked: number[] = []
  const board = jobs.board.bind(jobs)
  jobs.board = (page) => {
    asked.push(page.limit)
    return board(page)
  }
  for (const { method, path, query, example } of paged) {
    const isOfTrack = Object.hasOwn((query as Shape).properties ?? {}, 'songId')
    const withLimit = (limit: string) => {
      const sent = { ...(example?.query as Record<string, string>), ...(isOfTrack && { songId }), limit }
      return ask(`${method} ${path}?${new URLSearchParams(sent)}`)
    }
    const answer = await withLimit('100000')
    // A page about something that there is not.
    t.equal(answer.status, path.includes('/:') ? 404 : 200, path)
    if ('limit' in answer.body) t.ok(answer.body.limit <= 200, `${path}: ${answer.body.limit}`)
    t.equal((await withLimit('many')).status, 400, path)
  }
  t.same(asked, [100], 'the board of jobs, whose answer does not say it')
})

t.test('a body with too many values or levels is refused before it is parsed', async (t) => {
  const station = await openApp(t, env)
  const { ask } = await asAdmin(station)
  const send = (json: string) =>
    ask('POST /api/admin/settings', Buffer.from(json), { 'content-type': 'application/json' })
  const names = (count: number) => Array.from({ length: count }, (_, i) => `"${i}":0`).join()
  t.equal((await send(`{"songGroups":{${names(40_000)}}}`)).status, 200)
  for (const json of [
    `{"songGroups":{${names(40_002)}}}`,
    `{"songGroups":${'['.repeat(16)}${']'.repeat(16)}}`,
  ])
    t.match(await send(json), { status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } })
  t.equal(
    (await send(`{"songGroups":"${'[{,\\"'.repeat(50_000)}"}`)).status,
    200,
    'brackets within a string do not count',
  )
})
