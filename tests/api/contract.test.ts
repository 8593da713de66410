import type { AddressInfo } from 'node:net'
import {
  type Access,
  allRoutes,
  type ClientEventName,
  clientEvents,
  type FailureCode,
  failureBody,
  failures,
  listening,
  locales,
  type Route,
} from '@solstice/contracts'
import { connect, type Socket } from 'socket.io-client'
import t, { type Test } from 'tap'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { createTokens, type Tokens } from '../../apps/api/src/auth/tokens.ts'
import { judgeOf } from '../../apps/api/src/sockets/dispatch.ts'
import { openApp } from '../harness/stations/app.ts'

/** Access to the other routes is tested in access.test.ts. */
const listenerRoutes = Object.values(listening).filter((route: Route) =>
  ['public', 'art', 'art+audio'].includes(route.access as string),
) as Route[]
const named = (route: Route) => `${route.method} ${route.path}`
const TRACK = 'day/Тиха вода & more.mp3'
const HOUR_MS = 3_600_000

/** A valid request to a route, except perhaps for its tokens. */
function url(route: Route, query: Record<string, string> = {}): string {
  const path = route.path.replace(':artist', 'somebody').replace(':filename', 'nobody.png')
  const asked: Record<string, string> = {}
  const shape = route.query as
    | { properties?: Record<string, { type?: string }>; required?: string[] }
    | undefined
  for (const name of shape?.required ?? []) asked[name] = name === 'track' ? TRACK : `some ${name}`
  return `${path}?${new URLSearchParams({ ...asked, ...query })}`
}

t.test('every route of the contract is implemented', async (t) => {
  const { app } = await openApp(t)
  for (const { method, path } of allRoutes) t.ok(app.hasRoute({ method, url: path }), `${method} ${path}`)
})

t.test('the guards', async (t) => {
  const { app, ports, tokens, addTrack, passes } = await openApp(t)
  await addTrack(TRACK)
  const good = passes()
  const other = passes(tokens.uidOf('192.0.2.7'))
  const bad = wrongTokens(tokens, good, () => ports.clock.nowMs())

  const refused = async (t: Test, route: Route, code: FailureCode, request: Sent, why: string) => {
    const answer = await app.inject({
      method: route.method,
      url: url(route, request.query),
      headers: request.headers,
    })
    t.equal(answer.statusCode, 401, `${why}: status`)
    t.same(answer.json(), failureBody(code), `${why}: body`)
  }

  for (const route of listenerRoutes) {
    t.test(`${named(route)} is for ${route.access}`, async (t) => {
      for (const { headers, query } of ways(route.access, good)) {
        const answer = await app.inject({ method: route.method, url: url(route, query), headers })
        t.not(answer.statusCode, 401, `good tokens pass (${Object.keys(query).join() || 'headers'})`)
      }
      if (route.access === 'public') return

      await refused(t, route, 'ART_TOKEN_INVALID', { headers: {}, query: {} }, 'no token')
      for (const [why, artToken] of Object.entries(bad.art)) {
        for (const sent of ways(route.access, { ...good, artToken })) {
          await refused(t, route, 'ART_TOKEN_INVALID', sent, `art token: ${why}`)
        }
      }
      if (route.access !== 'art+audio') return

      const [inHeaders] = ways('art', good)
      await refused(t, route, 'AUDIO_TOKEN_INVALID', inHeaders!, 'no audio token')
      for (const [why, audioToken] of Object.entries({ ...bad.audio, 'of another uid': other.audioToken })) {
        for (const sent of ways(route.access, { ...good, audioToken })) {
          await refused(t, route, 'AUDIO_TOKEN_INVALID', sent, `audio token: ${why}`)
        }
      }
    })
  }

  t.test('a token in the wrong place is ignored', async (t) => {
    const query = { token: good.artToken, audioToken: good.audioToken }
    await refused(
      t,
      listening.getAudio,
      'ART_TOKEN_INVALID',
      { headers: {}, query },
      'token= beside audioToken=',
    )
    const twice = { 'x-art-token': `${good.artToken}, ${good.artToken}` }
    await refused(
      t,
      listening.getArtUrl,
      'ART_TOKEN_INVALID',
      { headers: twice, query: {} },
      'a header sent twice',
    )
  })

  t.test('an audio key works only for the uid of its art token', async (t) => {
    const ask = (uid?: string) =>
      app.inject({
        url: '/api/audio-key',
        headers: { 'x-art-token': good.artToken, ...(uid !== undefined && { 'x-listener-uid': uid }) },
      })
    t.equal((await ask()).statusCode, 400)
    t.match((await ask()).json(), { error: { code: 'BAD_REQUEST', field: 'x-listener-uid' } })
    for (const uid of [other.uid, good.uid.toUpperCase(), `${good.uid}0`, 'x']) {
      t.equal((await ask(uid)).statusCode, 401)
    }
    const answer = await ask(good.uid)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(answer.json(), { token: /^[0-9a-f]{36}\.\d+\./, expiresIn: 900 })
  })

  t.test('range requests of a track outlive the tokens by its length, other requests do not', async (t) => {
    const issuedMs = ports.clock.nowMs() - HOUR_MS - 30_000
    const artToken = tokens.issueArtToken(good.uid, issuedMs).token
    const [sent] = ways('art+audio', { artToken, audioToken: good.audioToken })
    const ask = (track: string, headers = {}) =>
      app.inject({ url: url(listening.getAudio, { track }), headers: { ...sent!.headers, ...headers } })
    await addTrack('day/short.mp3', undefined, { duration: 29 })
    await addTrack('day/unknown.mp3', undefined, { duration: null })

    const served = ports.config.bucket ? 302 : 206
    t.equal((await ask(TRACK, { range: 'bytes=0-9' })).statusCode, served, 'of 60 s, 30 s after the end')
    t.equal((await ask(TRACK)).statusCode, 401, 'without a range')
    t.equal((await ask('day/short.mp3', { range: 'bytes=0-9' })).statusCode, 401, 'of 29 s')
    const unknown = await ask('day/unknown.mp3', { range: 'bytes=0-9' })
    t.equal(unknown.statusCode, served, 'of unknown length')
    t.equal(
      (await ask('day/none.mp3', { range: 'bytes=0-9' })).statusCode,
      401,
      'of a track that is not there',
    )
    const link = await app.inject({
      url: url(listening.getAudioUrl),
      headers: { ...sent!.headers, range: 'bytes=0-9' },
    })
    t.equal(link.statusCode, 401, 'an address is no range')
  })
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

t.test('hostile names open nothing', async (t) => {
  const { app, ports, addTrack, passes } = await openApp(t)
  await addTrack(TRACK)
  await ports.media.put('arts/somebody.jpg', Buffer.from('an image'))
  await ports.data.artists.put({ artist: 'somebody', hasArt: true, artFileName: 'somebody.jpg' })
  const headers = { 'x-art-token': passes().artToken, 'x-audio-token': passes().audioToken }
  const ask = async (address: string) => {
    const answer = await app.inject({ url: address, headers })
    return { status: answer.statusCode, code: (answer.json() as { error: { code: string } }).error.code }
  }

  const escapes = [
    '..%2f',
    '..%2f..%2f..%2f..%2fetc%2fpasswd',
    '%2e%2e%2fsomebody',
    '..%5c..%5cwindows',
    '%2fetc%2fpasswd',
    'a%00.png',
    'a%0d%0aset-cookie:x',
    '..',
  ]
  const absent = ['%252e%252e%252fsomebody', 'day%2f..%252f', 'music-old', 'noon%2fx.mp3', '%F0%9F%8C%99']
  for (const name of escapes) {
    const track = await ask(`/api/audio/stream?track=${name}`)
    t.same(track, { status: 400, code: 'BAD_REQUEST' }, `track=${name}`)
    t.same(
      await ask(`/api/audio/url?track=day%2f${name}`),
      { status: 400, code: 'BAD_REQUEST' },
      `day/${name}`,
    )
    // A router resolves `..` in a path, which then leads to no route at all.
    if (name === '..') continue
    for (const place of ['artist-art', 'avatar']) {
      t.same(await ask(`/api/${place}/${name}`), { status: 400, code: 'BAD_REQUEST' }, `${place}/${name}`)
    }
  }
  for (const name of ['C:%5cboot.ini', 'c:boot.ini', '%2f', 'day%2f']) {
    t.equal((await ask(`/api/audio/stream?track=${name}`)).status, 400, `track=${name}`)
  }
  for (const name of absent) {
    t.same(
      await ask(`/api/audio/stream?track=${name}`),
      { status: 404, code: 'TRACK_NOT_FOUND' },
      `track=${name}`,
    )
  }
  for (const name of ['.htaccess', '..png', 'a%20b.png', 'ава.png', 'a;b.png']) {
    t.same(await ask(`/api/avatar/${name}`), { status: 400, code: 'BAD_REQUEST' }, `avatar/${name}`)
  }
  t.same(await ask('/api/avatar/none.png'), { status: 404, code: 'NOT_FOUND' })
  t.same(await ask('/api/artist-art/nobody'), { status: 404, code: 'NOT_FOUND' })

  const long = 'x'.repeat(5_000)
  t.same(await ask(`/api/avatar/${long}`), { status: 414, code: 'URI_TOO_LONG' })
  t.same(await ask(`/api/audio/stream?track=${long}`), { status: 400, code: 'BAD_REQUEST' })
  t.same(await ask(`/api/artist-art/${'x'.repeat(400)}`), { status: 400, code: 'BAD_REQUEST' })
  t.same(await ask('/api/avatar/%zz'), { status: 400, code: 'BAD_REQUEST' })
  t.same(
    await ask('/api/audio/stream?track=a&track=b'),
    { status: 400, code: 'BAD_REQUEST' },
    'a list of tracks',
  )
  t.same(await ask('/api/audio/stream?track[]=a'), { status: 400, code: 'BAD_REQUEST' })
})

function once<T>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve) => socket.once(event, resolve))
}

interface Sent {
  headers: Record<string, string>
  query: Record<string, string>
}

/** Both ways to send the tokens that an access rule requires. */
function ways(access: Access, tokens: { artToken: string; audioToken: string }): Sent[] {
  const { artToken, audioToken } = tokens
  if (access === 'public') return [{ headers: {}, query: {} }]
  if (access === 'art') {
    return [
      { headers: { 'x-art-token': artToken }, query: {} },
      { headers: {}, query: { token: artToken } },
    ]
  }
  return [
    { headers: { 'x-art-token': artToken, 'x-audio-token': audioToken }, query: {} },
    { headers: {}, query: { artToken, audioToken } },
  ]
}

/** Every way in which a token can be wrong. */
function wrongTokens(
  tokens: Tokens,
  good: { uid: string; artToken: string; audioToken: string },
  nowMs: () => number,
): { art: Record<string, string>; audio: Record<string, string> } {
  const config = { artTokenTtlS: 3600, audioTokenTtlS: 900 }
  const strangers = createTokens({ ...config, artTokenSecret: 'another secret' })
  const nameless = createTokens({ ...config, artTokenSecret: '' })
  const forge = (token: string, issue: (from: Tokens, atMs: number) => string) => ({
    ...Object.fromEntries(
      [0, 0.3, 0.5, 0.7, 0.99].map((place) => [`bit flipped at ${place}`, flipped(token, place)]),
    ),
    garbage: 'garbage',
    'three empty parts': '..',
    'cut short': token.slice(0, -1),
    'cut to half': token.slice(0, token.length / 2),
    'longer by a letter': `${token}A`,
    'with padding': `${token}=`,
    'without signature': token.replace(/\.[^.]*$/, '.'),
    'very long': token.padEnd(3_000, 'A'),
    'signed by a stranger': issue(strangers, nowMs()),
    'signed with an empty secret': issue(nameless, nowMs()),
    expired: issue(tokens, nowMs() - HOUR_MS - 1),
    'of next week': issue(tokens, nowMs() + 7 * 24 * HOUR_MS),
    'of 90 s from now': issue(tokens, nowMs() + 90_000),
  })
  return {
    art: {
      ...forge(good.artToken, (from, atMs) => from.issueArtToken(good.uid, atMs).token),
      'of the other kind': good.audioToken,
      'of another uid, with our signature': mixed(
        good.artToken,
        tokens.issueArtToken('0'.repeat(36), nowMs()).token,
      ),
    },
    audio: {
      ...forge(good.audioToken, (from, atMs) => from.issueAudioToken(good.uid, atMs).token),
      'of the other kind': good.artToken,
    },
  }
}

function flipped(token: string, place: number): string {
  const at = Math.floor(token.length * place)
  const char = token[at] === '.' ? '_' : String.fromCharCode(token.charCodeAt(at) ^ 1)
  return token.slice(0, at) + char + token.slice(at + 1)
}

function mixed(ours: string, theirs: string): string {
  const [, key, signature] = ours.split('.')
  return [theirs.split('.')[0], key, signature].join('.')
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
