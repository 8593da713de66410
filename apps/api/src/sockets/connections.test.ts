import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { openAnnouncer } from '@solstice/adapters'
import { failureBody } from '@solstice/contracts'
import t from 'tap'
import { inForm } from '../../../../tests/harness/long-form.ts'
import { openSocket, type SocketClient } from '../../../../tests/harness/people/socket-client.ts'
import { redis, replica } from '../../../../tests/harness/servers/gateway.ts'
import { PATIENCE_MS, until } from '../../../../tests/harness/until.ts'

const RANDOM_EVENTS = inForm({ short: 10_000, long: 100_000 })

const gone = ({ socket }: SocketClient) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('not closed')), PATIENCE_MS)
    socket.once('disconnect', (why) => {
      clearTimeout(timer)
      resolve(why)
    })
  })

/** Whole numbers below a limit, the same ones in every run. */
function seeded(seed: number) {
  return (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * below)
  }
}

t.test('pages of other origins are refused, own and listed ones are not', async (t) => {
  const { join, url } = await replica(t)
  for (const transports of [['websocket'], ['polling']]) {
    await t.rejects(join({ transports, headers: { origin: 'http://other.example' } }))
    await t.resolves(join({ transports, headers: { origin: 'http://page.example' } }))
    await t.resolves(join({ transports, headers: { origin: url } }))
  }
  const handshake = `${url}/socket.io/?EIO=4&transport=polling`
  const refused = await fetch(handshake, { headers: { origin: 'http://other.example' } })
  t.equal(refused.status, 403)
  const upgrade = get(`${url}/socket.io/?EIO=4&transport=websocket`, {
    headers: {
      origin: 'http://other.example',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    },
  })
  const [refusedUpgrade] = (await once(upgrade, 'response')) as [IncomingMessage]
  t.equal(refusedUpgrade.statusCode, 403)
  t.same(JSON.parse(await text(refusedUpgrade)), failureBody('FORBIDDEN'))
  const allowed = await fetch(handshake, { headers: { origin: 'http://page.example' } })
  t.equal(allowed.headers.get('access-control-allow-origin'), 'http://page.example')
  t.equal(allowed.headers.get('access-control-allow-credentials'), 'true')
  const { sid } = JSON.parse((await allowed.text()).slice(1)) as { sid: string }
  await fetch(`${handshake}&sid=${sid}`, { method: 'POST', body: '1' })
})

t.test('an address may open a limited number of sockets', async (t) => {
  const most = 20
  const { url, gateway, clients } = await replica(t, {}, most)
  const enter = (address: string) => {
    const client = openSocket(t, url, { headers: { 'x-forwarded-for': address } })
    clients.push(client)
    return client.first('radio_hosts_mode').then(
      () => client,
      () => null,
    )
  }
  const first: (SocketClient | null)[] = []
  for (let i = 0; i < most; i++) first.push(await enter('203.0.113.7'))
  t.ok(first.every(Boolean))
  t.notOk(await enter('203.0.113.7'), 'one too many')
  t.ok(await enter('203.0.113.8'), 'another address is another matter')
  first[0]!.socket.disconnect()
  await until('its place is free', () => gateway.sockets === most)
  t.ok(await enter('203.0.113.7'), 'who leaves makes room')
})

t.test('the roster is the union of all replicas, the newest first, with a limit', async (t) => {
  const [one, two] = [await replica(t, { rosterLimit: 3 }), await replica(t, { rosterLimit: 3 })]
  const a = await one.join()
  const b = await two.join()
  const both = (list: unknown[]) => list.length === 2
  await Promise.all([a.first('usersUpdate', both), b.first('usersUpdate', both)])
  await Promise.all([two.join(), two.join(), one.join()])
  await a.first('usersUpdate', (list: unknown[]) => list.length === 3)
  a.socket.disconnect()
  const third = await replica(t, { rosterLimit: 3 })
  const c = await third.join()
  await c.first('usersUpdate', (list: unknown[]) => list.length === 3)
  t.pass('a new replica learns of the others')
})

t.test('events that other processes announce reach the sockets of every replica', async (t) => {
  const replicas = [await replica(t), await replica(t)]
  const clients = await Promise.all(replicas.map(({ join }) => join()))
  openAnnouncer(redis).announce('library_updated')
  await Promise.all(clients.map((client) => client.first('library_updated')))
  t.pass('heard')
})

t.test('no client message stops the process', async (t) => {
  const { join, gateway, url, clients } = await replica(t)
  const well = await join()
  const random = seeded(20_240_621)
  const events = [
    'listener_init',
    'suggest_song',
    'stream_get_seek',
    'stream_ping',
    'sync',
    'usersUpdate',
    'error',
    'message',
    'admin_active',
    'get_queue',
    'search_queue',
    'admin_skip_song',
    'host_audio_chunk',
    'constructor',
    '__proto__',
    'toString',
    '',
    ' ',
  ]
  const values = () => [
    undefined,
    null,
    true,
    0,
    -1,
    1e308,
    'x',
    '',
    'й'.repeat(3_000),
    {},
    [],
    [[[[]]]],
    { id: 1 },
    { id: {} },
    { id: 'day/one.mp3' },
    { __proto__: null, id: '' },
    { length: 1e9 },
    Buffer.alloc(2_000),
    { id: Buffer.from('x') },
  ]
  let sent = 0
  while (sent < RANDOM_EVENTS) {
    const client = openSocket(t, url, { transports: [random(4) === 0 ? 'polling' : 'websocket'] })
    clients.push(client)
    await client.first('radio_hosts_mode')
    const flood = random(3) === 0 ? 1_500 : 200
    for (let i = 0; i < flood; i++, sent++) {
      const args = Array.from({ length: random(4) }, () => values()[random(values().length)])
      if (random(2) === 0) args.push(() => {})
      client.socket.emit(events[random(events.length)]!, ...args)
    }
    if (random(2) === 0) client.socket.disconnect()
    t.match(await well.ask('stream_ping', sent), { clientTs: sent })
  }

  const big = await join()
  big.socket.emit('suggest_song', { id: 'x'.repeat(1_000_000) })
  await gone(big)
  const raw = await join()
  for (const packet of [
    '2"not an array"',
    '9',
    '{"',
    '51-',
    '2[1e999]',
    '451-["x",{"_placeholder":true,"num":9}]',
    '2["connect"]',
  ]) {
    const evil = await join()
    ;(evil.socket.io.engine as unknown as { write(data: string): void }).write(packet)
    await raw.ask('stream_ping', 1)
  }
  const flooder = await join()
  for (let i = 0; i < 3_000; i++) flooder.socket.emit('stream_ping', i)
  await gone(flooder)
  t.match(await well.ask('stream_ping', 1), { clientTs: 1 }, 'a flood closes its own socket only')
  t.ok(gateway.sockets >= 2)
})
