import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { failureBody } from '@solstice/contracts'
import { initialState } from '@solstice/playout'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { temporaryFolder } from '../../../tests/harness/processes/processes.ts'
import { openApp } from '../../../tests/harness/stations/app.ts'
import { until } from '../../../tests/harness/until.ts'

t.test('pages of our own and of listed origins may read replies, others may not', async (t) => {
  const { app, passes } = await openApp(t, { CLIENT_ORIGIN: 'https://player.example, http://localhost:5173' })
  const ask = (origin?: string, url = '/api/history', method: 'GET' | 'OPTIONS' = 'GET') =>
    app.inject({ method, url, headers: { host: '192.168.1.5', ...(origin && { origin }) } })

  for (const origin of ['https://player.example', 'http://localhost:5173', 'http://192.168.1.5']) {
    const { headers } = await ask(origin)
    t.equal(headers['access-control-allow-origin'], origin)
    t.equal(headers['access-control-allow-credentials'], 'true')
    t.match(headers['access-control-expose-headers'], /X-Art-Mime/)
    t.match(headers.vary, /Origin/)
    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/api/lyrics',
      headers: {
        host: '192.168.1.5',
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-art-token',
      },
    })
    t.equal(preflight.statusCode, 204)
    t.equal(preflight.headers['access-control-allow-origin'], origin)
    t.equal(preflight.headers['access-control-allow-headers'], 'x-art-token')
    t.equal(
      (await ask(origin, '/api/lyrics')).headers['access-control-allow-origin'],
      origin,
      'the page may read why it was refused',
    )
  }
  for (const origin of ['https://evil.example', 'https://192.168.1.5', 'null']) {
    for (const answer of [
      await ask(origin),
      await ask(origin, '/api/history', 'OPTIONS'),
      await ask(origin, '/api/none'),
    ]) {
      const granted = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
      t.same(granted, [], `${origin}: ${answer.statusCode}`)
      t.match(answer.headers.vary, /Origin/)
    }
  }
  const fromNoPage = await ask()
  t.notOk('access-control-allow-origin' in fromNoPage.headers)
  t.same(String(fromNoPage.headers['access-control-expose-headers']).split(', '), [
    'X-Art-Mime',
    'Accept-Ranges',
    'Content-Range',
    'Content-Length',
    'Content-Disposition',
    'Retry-After',
    'ETag',
    'X-Request-Id',
  ])
  const options = await ask(undefined, '/api/history', 'OPTIONS')
  t.equal(options.statusCode, 204)
  t.equal(options.headers.allow, 'GET, HEAD, OPTIONS')
  const art = await app.inject({
    url: `/api/art/url?artist=x&token=${passes().artToken}`,
    headers: { host: '192.168.1.5' },
  })
  t.equal(art.headers['cross-origin-resource-policy'], 'cross-origin', 'pages elsewhere may embed media')
})

t.test('the content security policy lets our own page work, and nothing injected into it', async (t) => {
  const { app } = await openApp(t)
  const { headers } = await app.inject({ url: '/api/history', headers: { host: '192.168.1.5:3001' } })
  const policy = Object.fromEntries(
    String(headers['content-security-policy'])
      .split(';')
      .map((rule) => {
        const [name, ...sources] = rule.trim().split(' ')
        return [name!, sources]
      }),
  )
  t.same(policy['script-src'], ["'self'"], 'no inline script')
  t.same(policy['script-src-attr'], ["'none'"])
  t.same(policy['style-src'], ["'self'"], 'no inline style')
  t.same(policy['object-src'], ["'none'"])
  t.same(policy['connect-src'], ["'self'", 'ws://192.168.1.5:3001'])
  for (const source of ['data:', 'blob:', "'self'"]) t.ok(policy['img-src']?.includes(source), source)
  t.ok(policy['media-src']?.includes("'self'"))
  t.notOk('upgrade-insecure-requests' in policy, 'a station without TLS works')
  t.equal(headers['x-content-type-options'], 'nosniff')
  t.equal(headers['referrer-policy'], 'no-referrer', 'tokens in addresses are not passed on')
})

t.test('other methods of a known path are refused, an unknown path is not found', async (t) => {
  const { app } = await openApp(t)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const answer = await app.inject({
      method,
      url: '/api/stream/public.mp3',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    })
    t.equal(answer.statusCode, 405, method)
    t.equal(answer.headers.allow, 'GET, HEAD, OPTIONS')
    t.same(answer.json(), failureBody('METHOD_NOT_ALLOWED'))
  }
  for (const url of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/library/',
    '/API/history',
    '/webhooks/x',
    '/nothing',
  ]) {
    const answer = await app.inject({ url, headers: { accept: 'text/html' } })
    t.equal(answer.statusCode, 404, url)
    t.same(answer.json(), failureBody('NOT_FOUND'))
  }
  t.equal((await app.inject({ method: 'POST', url: '/api/nothing', payload: { a: 1 } })).statusCode, 404)
  const head = await app.inject({ method: 'HEAD', url: '/api/history' })
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
})

t.test('the built web client is served: assets cached, pages revalidated, unknown ones 404', async (t) => {
  const folder = join(await temporaryFolder(t), 'dist')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<title>Solstice</title>')
  await writeFile(join(folder, 'assets', 'main-4f2a.js'), 'play()')
  await writeFile(join(folder, 'icon.svg'), '<svg/>')
  await writeFile(join(folder, '.secret'), 'hidden')
  await writeFile(join(folder, '..', 'outside.txt'), 'outside')
  const { app } = await openApp(t, { WEB_DIST: folder })
  const ask = (url: string, accept = 'text/html,*/*') => app.inject({ url, headers: { accept } })

  for (const url of [
    '/',
    '/en/',
    '/en',
    '/guest',
    '/en/guest',
    '/adlogin',
    '/adpanel',
    '/en/adpanel/on-air?q=x',
    '/?donation=5',
  ]) {
    const page = await ask(url)
    t.equal(page.statusCode, 200, url)
    t.match(page.headers['content-type'], /^text\/html/)
    const isOfAdmins = /ad(login|panel)/.test(url)
    t.equal(page.headers['cache-control'], isOfAdmins ? 'no-store' : 'no-cache')
    t.match(page.body, 'Solstice')
  }
  t.match((await ask('/', '*/*')).body, 'Solstice', 'programs that look at a link accept anything')
  t.equal((await app.inject({ method: 'HEAD', url: '/en/' })).statusCode, 200)
  t.same((await ask('/', 'application/json')).json(), failureBody('NOT_FOUND'))
  t.same((await ask('/no/such/page', '*/*')).json(), failureBody('NOT_FOUND'))
  const unknown = await ask('/no/such/page')
  t.equal(unknown.statusCode, 404)
  t.match(unknown.body, 'Solstice', 'the client shows its own not-found page')

  const asset = await ask('/assets/main-4f2a.js', '*/*')
  t.match(asset.headers['content-type'], /javascript/)
  t.equal(asset.headers['cache-control'], 'public, max-age=31536000, immutable')
  t.equal((await ask('/icon.svg', '*/*')).headers['cache-control'], 'no-cache')
  t.same((await ask('/assets/old.js', '*/*')).json(), failureBody('NOT_FOUND'), 'a missing asset is no page')
  t.same((await ask('/api/none')).json(), failureBody('NOT_FOUND'), 'neither is the API')
  for (const url of [
    '/.secret',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/assets/..%2f..%2foutside.txt',
    '/%00',
  ]) {
    t.notMatch((await ask(url, '*/*')).body, /hidden|outside$/, url)
    t.ok((await ask(url, '*/*')).statusCode >= 400, url)
  }
})

t.test('a replica is ready while nothing is wrong with it; for listeners it also needs sound', async (t) => {
  const becomes = async (app: FastifyInstance, status: number, reason?: string, path = '/readyz') => {
    let answer = await app.inject(path)
    await until(`${path}: ${status} ${reason ?? ''}`, async () => {
      answer = await app.inject(path)
      return answer.statusCode === status && (reason === undefined || answer.json().error.reason === reason)
    })
    return answer
  }
  const forListeners = (app: FastifyInstance, status: number, reason?: string) =>
    becomes(app, status, reason, '/readyz/stream')
  const schedule = { natural: 'day' as const, changes: [] }

  const sync = await openApp(t, { LYRICS_API_URL: 'http://127.0.0.1:1' })
  t.equal((await sync.app.inject('/healthz')).statusCode, 200)
  t.match((await forListeners(sync.app, 503, 'no_state')).json(), { error: { code: 'AIR_UNAVAILABLE' } })
  t.same((await becomes(sync.app, 200)).json(), { ok: true }, 'no replica has an air, and pages need none')
  const lease = await sync.ports.bus.acquireLease(new AbortController().signal)
  await lease.save(initialState(1, 'clock', schedule, sync.ports.clock.nowMs()))
  t.same((await forListeners(sync.app, 200)).json(), { ok: true })
  // The process does nothing but wait, as if it computed.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  await becomes(sync.app, 503, 'overloaded')
  await forListeners(sync.app, 503, 'overloaded')
  await becomes(sync.app, 200)
  const lyrics = () => sync.app.inject(`/api/lyrics?title=a&artist=b&token=${sync.passes().artToken}`)
  sync.redis.process.child.kill('SIGSTOP')
  const unanswered = await lyrics()
  t.match(unanswered.json(), { error: { code: 'AIR_UNAVAILABLE' } }, 'nobody waits for a Redis that hangs')
  await becomes(sync.app, 503, 'no_redis')
  sync.redis.process.child.kill('SIGCONT')
  await becomes(sync.app, 200)
  await sync.redis.process.end()
  await becomes(sync.app, 503, 'no_redis')
  t.equal((await sync.app.inject('/healthz')).statusCode, 200, 'the process is alive all the same')
  t.match(
    (await lyrics()).json(),
    { error: { code: 'AIR_UNAVAILABLE' } },
    'a limit that cannot be counted refuses at once',
  )
  await sync.redis.restart()
  await becomes(sync.app, 200)

  const stream = await openApp(t, { STREAM_MODE: 'true', STREAM_MOUNTS: 'mp3:192,aac:64' })
  const other = await stream.ports.bus.acquireLease(new AbortController().signal)
  await other.save(initialState(1, 'sound', schedule, stream.ports.clock.nowMs()))
  await forListeners(stream.app, 503, 'no_sound')
  await becomes(stream.app, 200)
  const metrics = async ({ app }: { app: FastifyInstance }) =>
    (await app.inject('/metrics')).body.match(/^solstice_stream_(mount_)?fresh.*$/gm)
  t.same(await metrics(stream), [
    'solstice_stream_fresh 0',
    'solstice_stream_mount_fresh{mount="mp3-192"} 0',
    'solstice_stream_mount_fresh{mount="aac-64"} 0',
  ])
  t.equal(await metrics(sync), null)
})

t.test('the log has a line per request, without tokens', async (t) => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const { app, passes, addTrack } = await openApp(
    t,
    { MEDIA_STORAGE: 'local' },
    pino({ level: 'info' }, sink),
  )
  const { id } = await addTrack('day/a.mp3')
  const { artToken, audioToken } = passes()
  await app.inject({
    url: `/api/audio/stream?track=${id}&artToken=${artToken}&audioToken=${audioToken}`,
    headers: { cookie: 'adminToken=a-cookie', authorization: 'Bearer a-bearer' },
  })
  await app.inject({ url: '/api/history', headers: { 'x-art-token': artToken, 'x-audio-token': audioToken } })
  await app.inject(`/api/stream?%74oken=${artToken}`)
  await app.inject(`/api/nothing?adminToken=${audioToken}`)
  await app.inject('/healthz')
  const log = lines.join('')
  for (const secret of [artToken, audioToken, 'a-cookie', 'a-bearer']) t.notOk(log.includes(secret))
  const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.req)
  t.same(
    requests.map(({ req, res }) => [req.method, req.url.split('?')[0], res.statusCode]),
    [
      ['GET', '/api/audio/stream', 200],
      ['GET', '/api/history', 200],
      ['GET', '/api/stream', 404],
      ['GET', '/api/nothing', 404],
    ],
  )
  t.equal(new Set(requests.map(({ reqId }) => reqId)).size, 4)
})

t.test('closing finishes the replies in progress', async (t) => {
  const { app, addTrack, passes } = await openApp(t, { MEDIA_STORAGE: 'local' })
  const bytes = new Uint8Array(20_000_000)
  const { id } = await addTrack('day/long.mp3', bytes)
  const { artToken, audioToken } = passes()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const headers = { 'x-art-token': artToken, 'x-audio-token': audioToken }
  const request = get({ port, path: `/api/audio/stream?track=${id}`, headers, agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const closing = app.close()
  let received = 0
  for await (const chunk of answer) received += (chunk as Buffer).length
  t.equal(received, bytes.length)
  await closing
  const late = get({ port, path: '/healthz' })
  await t.rejects(once(late, 'response'), { code: 'ECONNREFUSED' })
})
