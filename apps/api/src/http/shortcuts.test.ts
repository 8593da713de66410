import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Access, defineRoute } from '@solstice/contracts'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import { inTime } from '../../../../tests/harness/until.ts'
import { useShortcuts } from './shortcuts.ts'

const route = (access: Access, more: { method?: 'GET' | 'POST' } = {}) =>
  defineRoute({
    method: 'GET',
    ...more,
    path: '/short',
    summary: '',
    access,
    reply: Type.Object({}),
    failures: [],
  })

async function server(t: Test) {
  const app = Fastify()
  useShortcuts(app)
  app.all('/short', async () => 'the usual way')
  const taken: string[] = []
  app.shortcuts.add(route('public'), '/short', ({ headers }, response, requestId) => {
    if (headers['x-refused']) return false
    taken.push(requestId)
    response.end('the short way')
    return true
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const { port } = app.server.address() as { port: number }
  const ask = async (line: string, ...headers: string[]) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write([line, 'Host: radio.example', 'Connection: close', ...headers, '', ''].join('\r\n'))
    return inTime('the answer', text(socket))
  }
  return { ask, taken }
}

t.test('a plain GET of exactly the path is answered without the framework', async (t) => {
  const { ask, taken } = await server(t)
  t.match(await ask('GET /short HTTP/1.1', 'X-Request-Id: given-by-a-proxy'), 'the short way')
  t.match(await ask('GET /short HTTP/1.0'), 'the short way')
  t.equal(taken[0], 'given-by-a-proxy')
  t.match(taken[1], /^[\w-]{36}$/)
})

t.test('everything else goes the usual way', async (t) => {
  const { ask, taken } = await server(t)
  for (const [line, ...headers] of [
    ['GET /short?from=1 HTTP/1.1'],
    ['GET http://radio.example/short HTTP/1.1', 'X-Refused: 1'],
    ['POST /short HTTP/1.1', 'Content-Length: 0'],
    ['GET /short HTTP/1.1', 'Content-Type: text/plain', 'Content-Length: 1', '', 'x'],
    ['GET /short HTTP/1.1', 'Expect: 100-continue'],
    ['GET /short HTTP/1.1', 'X-Refused: 1'],
  ] as const)
    t.notMatch(await ask(line, ...headers), 'the short way', [line, ...headers].join(', '))
  t.match(await ask('GET /short HTTP/1.1', 'X-Refused: 1'), 'the usual way')
  t.match(await ask('HEAD /short HTTP/1.1'), /^HTTP\/1\.1 200/)
  t.equal(taken.length, 0)
})

t.test('a route that asks who may call it has no shortcut', async (t) => {
  const app = Fastify()
  useShortcuts(app)
  for (const other of [
    route('art'),
    route('operator'),
    route({ all: ['stats'] }),
    route('public', { method: 'POST' }),
    { ...route('public'), capability: 'donations' as const },
  ])
    t.throws(() => app.shortcuts.add(other, '/short', () => true), /has no shortcut/)
})
