import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { Privilege, ServerPayload } from '@solstice/contracts'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../../../tests/harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../../../tests/harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../../../tests/harness/stations/app.ts'
import { until } from '../../../../tests/harness/until.ts'

async function replica(t: Test, beside?: OpenApp) {
  const open = await openApp(t, SUPER_ADMIN, pino({ level: 'silent' }), beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const join = async () => {
    const client = openSocket(t, url)
    await client.first('radio_hosts_mode')
    return client
  }
  const joinAs = async (privileges?: Privilege[]) => {
    const client = await join()
    client.socket.emit('admin_active', (await asAdmin(open, privileges)).token)
    await client.first('admin_confirmed')
    return client
  }
  const sockets = async () => {
    const { body } = await open.app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
    return Number(/^solstice_sockets (\d+)$/m.exec(body)?.[1])
  }
  return { ...open, url, join, joinAs, sockets }
}

/** Sends many events at once; resolves with their answers as soon as the socket answers again. */
async function flood(client: SocketClient, count: number, event: string, payload: unknown) {
  const answers: unknown[] = []
  const startMs = performance.now()
  for (let i = 0; i < count; i++)
    client.socket.emit(event, payload, (answer: unknown) => answers.push(answer))
  let isAnswered = false
  await until('the socket is answered again', () => {
    client.socket.emit('stream_ping', 0, (answer: object) => {
      isAnswered ||= 'serverTs' in answer
    })
    return isAnswered
  })
  return { answers, seconds: (performance.now() - startMs) / 1000 }
}

t.test("a listener's events above the limit are dropped, and the socket stays open", async (t) => {
  const client = await (await replica(t)).join()
  const { answers, seconds } = await flood(client, 900, 'stream_ping', 7)
  t.ok(answers.length >= 50, `${answers.length} were answered`)
  t.ok(answers.length <= 51 + 20 * seconds, `no more than the measure: ${answers.length} in ${seconds} s`)
  t.ok(client.socket.connected)
})

t.test("an admin's events above the limit are refused, and none is dropped", async (t) => {
  const { joinAs } = await replica(t)
  const client = await joinAs()
  const { answers, seconds } = await flood(client, 400, 'get_queue', {})
  t.equal(answers.length, 400, 'all are answered')
  const refused = answers.filter((answer) => 'error' in (answer as object))
  t.match(refused[0], { error: { code: 'RATE_LIMITED', retryAfterSecs: 1, uk: String, en: String } })
  t.equal(new Set(refused.map((answer) => JSON.stringify(answer))).size, 1)
  const carriedOut = answers.length - refused.length
  t.ok(carriedOut >= 100 && carriedOut <= 101 + 50 * seconds, `${carriedOut} in ${seconds} s`)

  const writer = await joinAs(['queue_manage'])
  await flood(writer, 400, 'admin_remove_song', 0)
  await until('all are answered', () => writer.all('admin_error').length >= 400)
  const codes = writer.all('admin_error').map((text) => (JSON.parse(String(text)) as { code: string }).code)
  t.same(new Set(codes), new Set(['QUEUE_REMOVE_FAILED', 'RATE_LIMITED']), 'also where there is no callback')
})

t.test('a flood closes only its own socket, even that of an admin', async (t) => {
  const { join, joinAs } = await replica(t)
  const well = await join()
  for (const client of [await join(), await joinAs()]) {
    const gone = new Promise((resolve) => client.socket.once('disconnect', resolve))
    for (let i = 0; i < 3_000; i++) client.socket.emit('stream_ping', i)
    t.equal(await gone, 'io server disconnect')
  }
  t.match(await well.ask('stream_ping', 1), { clientTs: 1 })
})

t.test('a socket that never reads is closed, and others get every event', async (t) => {
  const open = await replica(t)
  const reader = await open.joinAs()
  const { port, hostname } = new URL(open.url)
  const deaf = connect(Number(port), hostname)
  t.teardown(() => deaf.destroy())
  deaf.write(
    [
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
      `Host: ${hostname}:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '',
      '',
    ].join('\r\n'),
  )
  let greeting = ''
  deaf.on('data', (bytes) => {
    greeting += bytes.toString('latin1')
  })
  await until('the connection is open', () => greeting.includes('pingInterval'))
  // "40" in a masked text frame: it joins, and reads nothing once it is greeted.
  deaf.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30]))
  await until('it has joined', () => greeting.includes('radio_hosts_mode'))
  deaf.pause()
  t.equal(await open.sockets(), 2)
  type Requests = ServerPayload<'suggestions_update'>
  const song = { id: 'day/a.mp3', title: 'x'.repeat(200_000), artist: 'x' }
  reader.forget()
  let told = 0
  const MAX_SENT = 500
  const more = async () => {
    if (told >= MAX_SENT) throw new Error('100 MB are kept for one that does not read')
    // "3": it says that it is there, or it would be given up as dead.
    deaf.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x33]))
    for (let i = 0; i < 10; i++, told++)
      open.ports.announcer.tell('everyone', 'suggestions_update', [{ uid: 'x', song, addedAt: told }])
    await reader.first<Requests>('suggestions_update', ([request]) => request?.addedAt === told - 1)
    return (await open.sockets()) === 1
  }
  await until('the one that does not read is closed', more)
  t.same(
    reader.all('suggestions_update').map((list) => (list as Requests)[0]?.addedAt),
    Array.from({ length: told }, (_, i) => i),
  )
  t.match(await reader.ask('get_queue', {}), { items: [] })
})

t.test('repeated requests for the roster are answered every two seconds', async (t) => {
  const { join } = await replica(t)
  const [client, other] = [await join(), await join()]
  client.forget()
  other.forget()
  for (let i = 0; i < 40; i++) client.socket.emit('listener_init')
  other.socket.emit('listener_init')
  await client.first('usersUpdate')
  await other.first('usersUpdate')
  t.equal(client.all('listener_uid').length, 40, 'a token comes every time')
  const [list] = client.all('usersUpdate')
  t.same(client.all('usersUpdate'), [list], 'the list once')
  const askedMs = performance.now()
  client.socket.emit('listener_init')
  await until('it is answered, late', () => client.all('usersUpdate').length === 2)
  t.ok(performance.now() - askedMs > 1_500)
})
