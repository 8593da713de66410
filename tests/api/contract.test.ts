import type { AddressInfo } from 'node:net'
import {
  allRoutes,
  type ClientEventName,
  clientEvents,
  type FailureCode,
  failureBody,
  failures,
  locales,
  type Route,
} from '@solstice/contracts'
import { connect, type Socket } from 'socket.io-client'
import t, { type Test } from 'tap'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { judgeOf } from '../../apps/api/src/sockets/dispatch.ts'
import { named, TRACK } from '../harness/people/listener-routes.ts'
import { openApp } from '../harness/stations/app.ts'

function once<T>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve) => socket.once(event, resolve))
}

interface Reference {
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, unknown> }
}

interface Operation {
  summary: string
  security?: Record<string, string[]>[]
  parameters?: { in: string; name: string; required?: boolean; example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { example?: unknown }> }>
}

t.test('every route of the contract is implemented', async (t) => {
  const { app } = await openApp(t)
  for (const { method, path } of allRoutes) t.ok(app.hasRoute({ method, url: path }), `${method} ${path}`)
})

t.test('the reference documents every route: its access, replies and failures', async (t) => {
  const { app } = await openApp(t)
  const page = await app.inject('/api/docs/')
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], /^default-src 'self'/)
  t.notMatch(page.body, /<script(?![^>]*\bsrc=)/, 'no inline script, which the policy would block')

  const reference = (await app.inject('/api/docs/json')).json() as Reference
  const documented = Object.entries(reference.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const declared = allRoutes.map((route) => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
  t.same(documented.sort(), declared.sort(), 'the contract, no more and no less')

  for (const route of allRoutes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const operation = reference.paths[path]![route.method.toLowerCase()]!
    t.equal(operation.summary, route.summary)
    const ways = { public: 0, file: 3, operator: 1 }[route.access as string] ?? 2
    t.equal(operation.security?.length ?? 0, ways, `${named(route)}: its tokens`)
    for (const alternative of operation.security ?? []) {
      t.equal(Object.keys(alternative).length, route.access === 'art+audio' ? 2 : 1)
      for (const name of Object.keys(alternative)) t.ok(reference.components.securitySchemes[name], name)
    }
    t.ok(operation.responses['200'], `${named(route)}: its reply`)
    const hasRanges = 'hasRanges' in route.reply && route.reply.hasRanges === true
    t.equal('206' in operation.responses, hasRanges, `${named(route)}: its ranges`)
    const headers = (operation.parameters ?? []).filter((parameter) => parameter.in === 'header')
    t.same(
      headers.map(({ name }) => name),
      Object.keys((route.headers as { properties?: object } | undefined)?.properties ?? {}),
      `${named(route)}: its headers`,
    )
    for (const code of route.failures) {
      const refusal = operation.responses[String(failures[code].status)]
      t.match(refusal?.description, `\`${code}\``, `${named(route)}: ${code}`)
    }
  }
})

t.test('the reference shows the request and reply of every JSON route', async (t) => {
  const { app } = await openApp(t)
  const reference = (await app.inject('/api/docs/json')).json() as Reference
  const fits = (t: Test, shape: TSchema, example: unknown, what: string) => {
    const sent = Value.Default(shape, structuredClone(example))
    t.ok(Value.Check(shape, sent), `${what} has its shape: ${JSON.stringify(Value.Errors(shape, sent)[0])}`)
  }

  for (const route of allRoutes) {
    const { body, query, reply, example = {} } = route as Route
    const operation = reference.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method.toLowerCase()]!
    t.test(named(route), async (t) => {
      if (!('bytes' in reply)) {
        fits(t, reply, example.reply, 'its reply')
        t.same(Value.Clean(reply, structuredClone(example.reply)), example.reply, 'nothing else is answered')
        t.same(operation.responses['200']?.content?.['application/json']?.example, example.reply)
      }
      if (query && example.query) fits(t, query, example.query, 'its query')
      const needed = (query as { required?: string[] } | undefined)?.required ?? []
      for (const parameter of (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')) {
        t.equal(parameter.example, example.query?.[parameter.name], parameter.name)
        const shape = (query as { properties: Record<string, object> }).properties[parameter.name]!
        t.equal(parameter.required, needed.includes(parameter.name) && !('default' in shape), parameter.name)
        if (parameter.required) t.not(parameter.example, undefined, parameter.name)
      }
      const sent = operation.requestBody?.content
      if (body && 'upload' in body)
        t.same(Object.keys(sent ?? {}), body.upload === '*' ? ['*/*'] : body.upload, 'the types of its bytes')
      else if (body) {
        fits(t, body, example.body, 'its body')
        t.same(sent?.['application/json']?.example, example.body)
      } else t.equal(sent, undefined, 'no body')
    })
  }
})

t.test('every event declares an access rule, and answers those that the rule names', async (t) => {
  for (const [name, { access, summary }] of Object.entries(clientEvents)) {
    t.ok(judgeOf(access), name)
    t.ok(summary, name)
  }

  const { app, tokens } = await openApp(t, { STREAM_MODE: 'true' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(`http://127.0.0.1:${port}`, { transports: ['websocket'], forceNew: true })
  t.teardown(() => socket.disconnect())
  const payloads: Partial<Record<ClientEventName, unknown>> = {
    suggest_song: { id: TRACK },
    stream_get_seek: 5,
    stream_ping: 5,
  }
  const listener = once<{ uid: string; artToken: string }>(socket, 'listener_uid')
  for (const [name, { access, ack }] of Object.entries(clientEvents)) {
    const payload = payloads[name as ClientEventName]
    if (access !== 'anyone') socket.emit(name, payload, () => t.fail(`${name} is for admins`))
    else if (ack === null) socket.emit(name, payload)
    else t.type(await socket.emitWithAck(name, payload), 'object', name)
  }
  const { uid, artToken } = await listener
  t.equal(uid, tokens.uidOf('127.0.0.1'))
  const headers = { 'x-art-token': artToken, 'x-listener-uid': uid }
  const key = await app.inject({ url: '/api/audio-key', headers, remoteAddress: '127.0.0.1' })
  t.equal(key.statusCode, 200, 'a key from a socket is valid for HTTP')
})

t.test('every failure has a text in every language and the form of the contract', async (t) => {
  for (const [name, { status, text }] of Object.entries(failures)) {
    t.ok(status >= 400 && status < 600, `${name}: status`)
    const gaps = locales.map((locale) => text[locale].match(/\{\w+\}/g) ?? [])
    t.same(gaps[0], gaps[1], `${name}: the same details in every language`)
    for (const locale of locales) t.ok(text[locale].trim(), `${name}: ${locale}`)
    t.match(text.uk, /[а-яіїєґ]/i, `${name}: Ukrainian`)
    t.notMatch(text.en, /[а-яіїєґ]/i, `${name}: English`)
    const body = failureBody(name as FailureCode, { field: 'x' })
    if (name === 'FETCH_FAILED') t.same(body, { error: 'fetch_failed' })
    else
      t.match(body, {
        error: { code: name, field: 'x', uk: String, en: String },
        message: { uk: String, en: String },
      })
    const isConflict = name === 'TRACK_LOCKED' || name === 'FILENAME_EXISTS'
    if (isConflict) t.match(body, { ok: false, error: { localized: text }, localized: text }, name)
  }
})
