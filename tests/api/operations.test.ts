import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createMetrics, readConfig, serveMetrics } from '@solstice/adapters'
import { allRoutes } from '@solstice/contracts'
import { pino } from 'pino'
import t from 'tap'
import { openLog } from '../../packages/adapters/src/process/log.ts'
import { freePort, root, start } from '../harness/processes/processes.ts'
import { openApp } from '../harness/stations/app.ts'

const read = (path: string) => readFile(join(root, path), 'utf8')
const TOKEN = 'a token of Prometheus'.replaceAll(' ', '-')

/** Values of a metrics report by name and labels, as written. */
const samplesIn = (report: string) =>
  new Map(
    report
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => line.split(/ (?=[^ ]*$)/) as [string, string]),
  )

t.test('metrics are for programs of this machine, or with the token', async (t) => {
  const open = await openApp(t)
  const ask = (headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
    open.app.inject({ url: '/metrics', headers, remoteAddress })
  const answer = await ask()
  t.equal(answer.statusCode, 200)
  t.match(answer.headers, { 'content-type': /^text\/plain; version=0\.0\.4/, 'cache-control': 'no-store' })
  for (const address of ['::1', '127.0.0.9', '::ffff:127.0.0.1'])
    t.equal((await ask({}, address)).statusCode, 200, address)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via'])
    t.equal((await ask({ [name]: '127.0.0.1' })).statusCode, 403, `through a proxy (${name})`)
  t.equal((await ask({}, '192.0.2.1')).statusCode, 403)
  t.equal((await ask({ host: 'radio.example' })).statusCode, 403, 'through a proxy that does not say so')
  for (const host of ['127.0.0.1:3001', '[::1]:3001', 'LOCALHOST'])
    t.equal((await ask({ host })).statusCode, 200, host)

  const guarded = await openApp(t, { METRICS_TOKEN: TOKEN }, undefined, open)
  const bring = (authorization?: string) =>
    guarded.app.inject({ url: '/metrics', ...(authorization && { headers: { authorization } }) })
  t.equal((await bring()).statusCode, 401, 'also on this machine')
  t.equal((await bring(`Bearer ${TOKEN}x`)).statusCode, 401)
  t.equal((await bring(`Basic ${TOKEN}`)).statusCode, 401)
  t.equal((await bring(`Bearer ${TOKEN}`)).statusCode, 200)
  t.equal((await guarded.app.inject(`/metrics?token=${TOKEN}`)).statusCode, 401)
})

t.test('the report has every watched metric, and no label chosen by a stranger', async (t) => {
  const { app, ports, addTrack, redis } = await openApp(t)
  await addTrack('day/a.mp3')
  const lease = await ports.bus.acquireLease(new AbortController().signal)
  t.teardown(() => lease.release())
  await app.inject('/api/public/config')
  for (const path of ['/api/nothing/1', '/api/nothing/2', '/%00']) await app.inject(path)
  await app.inject({ method: 'POST', url: '/api/public/config' })
  const report = (await app.inject('/metrics')).body
  const samples = samplesIn(report)
  for (const [name, value] of Object.entries({
    solstice_stream_listeners: '0',
    'solstice_stream_mount_listeners{mount="mp3-192"}': '0',
    solstice_sockets: '0',
    solstice_stream_bytes_total: '0',
    solstice_desk_held: '1',
    'solstice_jobs{queue="jobs",state="failed"}': '0',
    'solstice_http_request_duration_seconds_count{route="/api/public/config",method="GET",status="2xx"}': '1',
    'solstice_http_request_duration_seconds_count{route="/api/public/config",method="POST",status="4xx"}':
      '1',
    'solstice_http_request_duration_seconds_count{route="none",method="GET",status="4xx"}': '3',
  }))
    t.equal(samples.get(name), value, name)
  t.ok(Number(samples.get('solstice_desk_epoch')) > 0)
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    t.ok(samples.has(name), name)
  t.notOk(samples.has('solstice_stream_edge_age_seconds'), 'an unknown value is left out')
  const paths = new Set<string>([...allRoutes.map(({ path }) => path), 'none', '/*'])
  for (const [, route] of report.matchAll(/route="([^"]*)"/g)) t.ok(paths.has(route!), `${route}`)

  await redis.process.end()
  const without = samplesIn((await app.inject('/metrics')).body)
  t.notOk(without.has('solstice_desk_held'), 'while Redis is away the rest is told')
  t.equal(without.get('solstice_sockets'), '0')
  await redis.restart()
})

t.test('a process without HTTP serves its metrics on a port when configured to', async (t) => {
  const silent = pino({ level: 'silent' })
  const metrics = createMetrics()
  metrics.counter({ name: 'some_total', help: 'Something' }, () => 3)
  metrics.gauge({ name: 'broken', help: 'Nothing' }, () => Promise.reject(new Error('away')))
  const { config } = readConfig({ JWT_SECRET: 'x', METRICS_PORT: String(await freePort()) })
  const close = await serveMetrics(metrics, config, silent)
  t.teardown(close)
  t.equal(config.metricsHost, '127.0.0.1', 'to this machine unless told otherwise')
  const url = `http://127.0.0.1:${config.metricsPort}`
  const answer = await fetch(`${url}/metrics`)
  const samples = samplesIn(await answer.text())
  t.equal(samples.get('some_total'), '3')
  t.notOk(samples.has('broken'))
  t.equal((await fetch(`${url}/metrics`, { headers: { 'x-forwarded-for': '127.0.0.1' } })).status, 403)
  t.same(await (await fetch(`${url}/healthz`)).json(), { ok: true })
  t.equal((await fetch(`${url}/else`)).status, 404)
  const isHealthy = async (env: Record<string, string>) =>
    (await start(t, process.execPath, ['deploy/health.mjs'], env).exited) === 0
  const nowhere = String(await freePort())
  const somewhere = String(config.metricsPort)
  t.ok(await isHealthy({ METRICS_PORT: somewhere, PORT: nowhere }), 'a container of it is healthy')
  t.ok(
    await isHealthy({ METRICS_PORT: nowhere, PORT: somewhere }),
    'and one of the API with the same settings',
  )
  t.notOk(await isHealthy({ METRICS_PORT: nowhere, PORT: nowhere }))
  metrics.counter({ name: 'impossible_total', help: 'Falls' }, () => -1)
  t.equal((await fetch(`${url}/metrics`)).status, 500, 'and a metric that cannot be read ends no process')

  const taken = await serveMetrics(createMetrics(), config, silent)
  taken()
  t.ok((await fetch(`${url}/healthz`)).ok, 'a port that is taken ends nobody')
  const off = readConfig({ JWT_SECRET: 'x' }).config
  t.equal(off.metricsPort, null)
  await serveMetrics(metrics, off, silent)
})

t.test('a request keeps an id that is short and plain, and gets a new one otherwise', async (t) => {
  const { app } = await openApp(t)
  const named = async (given?: string) => {
    const headers = given === undefined ? {} : { 'x-request-id': given }
    return String((await app.inject({ url: '/healthz', headers })).headers['x-request-id'])
  }
  t.equal(await named('trace-1.of_mine'), 'trace-1.of_mine')
  for (const given of [
    undefined,
    '',
    'short',
    'a'.repeat(65),
    'with space',
    '{"json":1}1',
    'täglich12',
    'a\tb123456',
  ])
    t.match(await named(given), /^[\da-f]{8}-[\da-f-]{27}$/, `${given}`)
})

t.test('secrets are removed from every log line, in whatever form they are logged', async (t) => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = openLog('test', 'info', sink as unknown as Parameters<typeof openLog>[2])
  const SECRET = 'hunter2-hunter2'
  const child = log.child({ token: SECRET })
  child.info({ headers: { authorization: `Bearer ${SECRET}`, cookie: `adminToken=${SECRET}` } }, 'headers')
  log.info({ deep: { deeper: { password: SECRET, 'set-cookie': [`a=${SECRET}`] } } }, 'deep')
  log.warn({ 'x-art-token': SECRET, signature: `"${SECRET}\\` }, 'quoted')
  log.error({ err: new Error(`GET https://s3/a?X-Amz-Signature=${SECRET}&X-Amz-Date=1: 403`) }, 'an error')
  log.info(`a listener asks /api/stream?from=1&artToken=${SECRET}#x`)
  log.info(`with Bearer ${SECRET} as it stands`)
  const refused = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: [SECRET] } })
  log.error({ err: refused }, 'refused')
  log.warn(
    { url: `redis://:${SECRET}@redis:6379` },
    `nothing at postgres://solstice:${SECRET}@[::1]:5432/solstice`,
  )
  t.equal(lines.length, 8)
  for (const line of lines) t.notMatch(line, SECRET)
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { headers: {} },
      {},
      {},
      { err: { message: 'GET https://s3/a?X-Amz-Signature=[redacted]&X-Amz-Date=1: 403' } },
      { msg: 'a listener asks /api/stream?from=1&artToken=[redacted]#x' },
      {},
      {},
      {
        url: 'redis://:[redacted]@redis:6379',
        msg: 'nothing at postgres://solstice:[redacted]@[::1]:5432/solstice',
      },
    ],
    'the rest is there',
  )
})

t.test('a closing app answers requests in progress, and does not wait for idle connections', async (t) => {
  const { app } = await openApp(t, { DRAIN_DELAY_S: '2' })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const open = async () => {
    const accepted = once(app.server, 'connection')
    const socket = connect(port, '127.0.0.1')
    await accepted
    return socket
  }
  const [silent, kept] = [await open(), await open()]
  const ended = [silent, kept].map((socket) => once(socket, 'close'))
  const ask = async (socket: Socket, path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: radio.example\r\n\r\n`)
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return bytes.toString()
  }
  t.match(await ask(kept, '/healthz'), /^HTTP\/1.1 200 .*connection: keep-alive/is)
  const closing = app.close()
  t.match(await ask(kept, '/readyz'), /^HTTP\/1.1 503 .*connection: close.*"draining"/is)
  t.match(
    await ask(await open(), '/healthz'),
    /^HTTP\/1.1 200 /,
    'a connection that was not told yet is answered',
  )
  await closing
  await Promise.all(ended)
  await t.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' })
})

t.test('every metric named in the dashboard and the guide is reported by some process', async (t) => {
  const sources = await Promise.all(
    [
      'apps/api/src/metrics.ts',
      'apps/stream-worker/src/metrics.ts',
      'apps/jobs/src/monitor/monitor.ts',
      'packages/adapters/src/process/disks.ts',
      'packages/adapters/src/services/circuit.ts',
    ].map(read),
  )
  const told = new Set(sources.join().match(/\bsolstice_\w+/g))
  for (const path of ['deploy/grafana-dashboard.json', 'docs/operations.md']) {
    const named = new Set(
      (await read(path)).match(/\bsolstice_\w+/g)?.map((name) => name.replace(/_(bucket|count|sum)$/, '')),
    )
    for (const name of named) t.ok(told.has(name), `${path}: ${name}`)
    for (const name of told) t.ok(named.has(name), `${path} has ${name}`)
  }
  const dashboard = JSON.parse(await read('deploy/grafana-dashboard.json')) as { panels: { id: number }[] }
  t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
})
