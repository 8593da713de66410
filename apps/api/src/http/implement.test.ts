import { connect as connectTo } from 'node:net'
import { type Access, defineRoute, failureBody } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import Fastify, { type FastifyInstance } from 'fastify'
import t from 'tap'
import { Type } from 'typebox'
import { openGate } from '../../../../tests/harness/stations/gate.ts'
import { useContract } from './contract.ts'
import { refuse, refuseConnection } from './errors.ts'
import { implement } from './implement.ts'
import { refuseOtherMethods } from './method-not-allowed.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

const saveThing = defineRoute({
  method: 'POST',
  path: '/api/things/:id',
  summary: 'Saves a thing',
  access: 'public',
  params: Type.Object({ id: Type.Integer() }),
  query: Type.Object({ dry: Type.Optional(Type.Boolean({ default: false })) }),
  body: Type.Object({ name: Type.String({ maxLength: 20 }), inner: Type.Object({ size: Type.Number() }) }),
  reply: Type.Object({ id: Type.Integer(), dry: Type.Boolean() }),
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
})

async function openApp(): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: 1000,
    frameworkErrors: refuse,
    clientErrorHandler: refuseConnection,
    http: { headersTimeout: 2_000, connectionsCheckingInterval: 50 },
  })
  t.teardown(() => app.close())
  useContract(app, await openGate(app))
  return app
}

t.test('every refusal of a malformed request has the form of the contract', async (t) => {
  const app = await openApp()
  implement(app, saveThing, ({ params, query, body }) => {
    if (body.name === 'absent') throw new Failure('NOT_FOUND')
    if (body.name === 'limited') throw new Failure('RATE_LIMITED', { retryAfterSecs: 7 })
    if (body.name === 'broken') throw new Error('the password is hunter2')
    if (body.name === 'full')
      throw new Error('nothing was changed', { cause: Object.assign(new Error(), { code: 'ENOSPC' }) })
    return { id: params.id, dry: query.dry!, secret: 'undeclared' }
  })
  refuseOtherMethods(app, [saveThing])
  const post = (payload: string | object, headers = {}, url = '/api/things/5') =>
    app.inject({ method: 'POST', url, payload, headers })
  const good = { name: 'x', inner: { size: 1 } }

  t.test('a valid request gets the reply that the route declares', async (t) => {
    const answer = await post(good)
    t.equal(answer.statusCode, 200)
    t.same(answer.json(), { id: 5, dry: false })
    t.same((await post(good, {}, '/api/things/5?dry=true')).json(), { id: 5, dry: true })
  })

  t.test('a wrong value is named in the refusal', async (t) => {
    const missing: [unknown, string][] = [
      [{ name: 'x' }, 'inner'],
      [{ name: 'x', inner: {} }, 'inner.size'],
      [{ ...good, name: null }, 'name'],
      [null, 'name'],
    ]
    for (const [body, field] of missing) {
      const answer = await post(JSON.stringify(body), JSON_TYPE)
      t.same(answer.json(), failureBody('BAD_REQUEST', { field, reason: 'missing' }), JSON.stringify(body))
    }
    const wrong: [unknown, string][] = [
      [{ name: 'x'.repeat(21), inner: { size: 1 } }, 'name'],
      [{ name: 'x', inner: { size: 'big' } }, 'inner.size'],
      [[], 'body'],
    ]
    for (const [body, field] of wrong) {
      const answer = await post(JSON.stringify(body), JSON_TYPE)
      t.equal(answer.statusCode, 400)
      t.same(answer.json(), failureBody('BAD_REQUEST', { field }))
    }
    t.match((await post(good, {}, '/api/things/five')).json(), { error: { field: 'id' } })
    t.match((await post(good, {}, '/api/things/5?dry=perhaps')).json(), { error: { field: 'dry' } })
  })

  t.test('bodies that are not JSON, too large, or of another type', async (t) => {
    for (const payload of ['{', '{"name":', 'null,', '{"__proto__":{"a":1}}']) {
      const answer = await post(payload, JSON_TYPE)
      t.same(answer.json(), failureBody('MALFORMED_JSON'), payload)
      t.equal(answer.statusCode, 400)
    }
    t.same(
      (await post('', JSON_TYPE)).json(),
      failureBody('BAD_REQUEST', { field: 'name', reason: 'missing' }),
    )
    const large = await post({ ...good, more: 'x'.repeat(1000) })
    t.equal(large.statusCode, 413)
    t.same(large.json(), failureBody('PAYLOAD_TOO_LARGE'))
    const nested = (depth: number) =>
      `{"more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"a":"[[[[\\"[[[["}`
    t.equal((await post(nested(16), JSON_TYPE)).statusCode, 400)
    t.same((await post(nested(17), JSON_TYPE)).json(), failureBody('PAYLOAD_TOO_LARGE'), 'nested')
    const xml = await post('<name/>', { 'content-type': 'text/xml' })
    t.equal(xml.statusCode, 415)
    t.same(xml.json(), failureBody('UNSUPPORTED_MEDIA_TYPE'))
  })

  t.test('a failure is translated; the text of an internal error stays in the log', async (t) => {
    const absent = await post({ ...good, name: 'absent' })
    t.equal(absent.statusCode, 404)
    t.same(absent.json(), failureBody('NOT_FOUND'))
    const limited = await post({ ...good, name: 'limited' })
    t.equal(limited.statusCode, 429)
    t.equal(limited.headers['retry-after'], '7')
    t.same(limited.json(), failureBody('RATE_LIMITED', { retryAfterSecs: 7 }))
    const broken = await post({ ...good, name: 'broken' })
    t.equal(broken.statusCode, 500)
    t.same(broken.json(), failureBody('INTERNAL'))
    t.notMatch(broken.body, /hunter2|stack|implement\.test/)
    const full = await post({ ...good, name: 'full' })
    t.equal(full.statusCode, 503)
    t.same(full.json(), failureBody('DATA_UNAVAILABLE', { retryAfterSecs: 5, reason: 'disk_full' }))
  })

  t.test('another method of a known path gets 405 with Allow, before its body is read', async (t) => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const) {
      const answer = await app.inject({
        method,
        url: '/api/things/5',
        headers: JSON_TYPE,
        ...(method !== 'GET' && method !== 'HEAD' && { payload: '{' }),
      })
      t.equal(answer.statusCode, 405, method)
      t.equal(answer.headers.allow, 'POST, OPTIONS')
      if (method !== 'HEAD') t.same(answer.json(), failureBody('METHOD_NOT_ALLOWED'))
    }
    const options = await app.inject({ method: 'OPTIONS', url: '/api/things/5' })
    t.equal(options.statusCode, 204)
    t.equal(options.headers.allow, 'POST, OPTIONS')
    for (const url of ['/api/%74hings/5?x=/', '/api/things/5%2F6#x'])
      t.equal((await app.inject({ method: 'PUT', url })).headers.allow, 'POST, OPTIONS', url)
    for (const url of ['/api/things', '/api/things/5/6', '/v/api/things/5'])
      t.equal((await app.inject({ method: 'PUT', url })).statusCode, 404, url)
  })
})

t.test('an address that two paths share has the methods of both', async (t) => {
  const app = await openApp()
  const list = { ...saveThing, method: 'GET', path: '/api/things/list', body: undefined } as const
  implement(app, saveThing, ({ params }) => ({ id: params.id, dry: false }))
  implement(app, list, () => ({ id: 1, dry: true }))
  refuseOtherMethods(app, [saveThing, list])
  const refused = await app.inject({ method: 'PUT', url: '/api/things/list' })
  t.equal(refused.statusCode, 405)
  t.equal(refused.headers.allow, 'GET, POST, HEAD, OPTIONS')
  const asId = await app.inject({ method: 'POST', url: '/api/things/list', payload: {} })
  t.match(asId.json(), { error: { field: 'id' } })
})

t.test('a route without an access rule is not registered', async (t) => {
  const app = await openApp()
  const rules: unknown[] = [
    undefined,
    null,
    '',
    'toString',
    'everyone',
    ['public'],
    {},
    { all: [] },
    { any: [] },
    { any: ['everything'] },
    { all: 'stats' },
    { all: ['stats', 'constructor'] },
    { all: ['stats'], any: ['stats'] },
    { none: ['stats'] },
  ]
  for (const access of rules) {
    const route = { ...saveThing, path: '/api/unguarded', access: access as Access }
    t.throws(
      () => implement(app, route, () => ({}) as never),
      { message: /declares no access rule/ },
      JSON.stringify(access),
    )
  }
  t.notOk(app.hasRoute({ method: 'POST', url: '/api/unguarded' }))
  t.throws(() => app.get('/api/backdoor', () => 'open'), { message: /was not registered by implement/ })
  t.throws(() => app.get('/api/docsuper', () => 'open'), { message: /was not registered by implement/ })
  await t.rejects(
    async () =>
      app.register(async (inner) => {
        inner.post('/api/hidden', () => 'open')
      }),
    { message: /was not registered by implement/ },
  )
})

t.test('an admitted request counts before its body is read, a refused one never', async (t) => {
  const app = await openApp()
  let turns = 2
  const limit = async () => {
    if (turns-- === 0) throw new Failure('RATE_LIMITED', { retryAfterSecs: 9 })
  }
  implement(app, saveThing, () => ({ id: 1, dry: false }), { limit })
  const guarded = { ...saveThing, path: '/api/guarded/:id', access: 'admin' } as const
  implement(app, guarded, () => ({ id: 1, dry: false }), { limit })
  const post = (url: string) => app.inject({ method: 'POST', url, payload: '{', headers: JSON_TYPE })
  t.equal((await post('/api/guarded/1')).statusCode, 401)
  t.equal((await post('/api/things/1')).statusCode, 400)
  t.equal((await post('/api/things/1')).statusCode, 400)
  const limited = await post('/api/things/1')
  t.equal(limited.statusCode, 429)
  t.equal(limited.headers['retry-after'], '9')
})

t.test('a connection that never becomes a request gets an error reply and is closed', async (t) => {
  const app = await openApp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const say = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let heard = ''
      const socket = connectTo(port, '127.0.0.1', () => socket.write(text))
      socket.setEncoding('utf8').on('data', (part: string) => {
        heard += part
      })
      socket.on('error', reject).on('close', () => resolve(heard))
    })
  const refusals = [
    ['this is not HTTP\r\n\r\n', failureBody('BAD_REQUEST', { field: 'request' })],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, failureBody('HEADERS_TOO_LARGE')],
    ['GET / HTTP/1.1\r\nHost: x\r\nX-Slow', failureBody('REQUEST_TIMEOUT')],
    ['', failureBody('REQUEST_TIMEOUT')],
  ] as const
  const answers = await Promise.all(refusals.map(([text]) => say(text)))
  for (const [i, [, body]] of refusals.entries()) {
    const [head, text] = answers[i]!.split('\r\n\r\n')
    t.match(head, /^HTTP\/1\.1 4\d\d .+\r\nContent-Type: application\/json/)
    t.match(head, /\r\nConnection: close/)
    t.same(JSON.parse(text!), body)
  }
})
