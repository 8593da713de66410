import { type ClientEventName, type Coded, clientEvents } from '@solstice/contracts'
import { pino } from 'pino'
import t from 'tap'
import { Value } from 'typebox/value'
import { asAdmin, SUPER_ADMIN } from '../../../../tests/harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../../../tests/harness/people/socket-client.ts'
import { openApp } from '../../../../tests/harness/stations/app.ts'
import { startAir } from '../../../../tests/harness/stations/workers.ts'

const HOSTING = { ...SUPER_ADMIN, STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true', NIGHT_MODE: 'false' }
/** The codes that clients know of events without a callback. */
const OWN_CODES: Partial<Record<ClientEventName, string>> = {
  admin_add_song: 'QUEUE_ADD_FAILED',
  admin_remove_song: 'QUEUE_REMOVE_FAILED',
  admin_restore_song: 'QUEUE_RESTORE_FAILED',
  admin_move_song: 'QUEUE_MOVE_FAILED',
  admin_insert_jingle: 'JINGLE_INSERT_FAILED',
  admin_cancel_jingle: 'JINGLE_CANCEL_FAILED',
  admin_insert_song_group: 'QUEUE_GROUP_INSERT_FAILED',
  admin_suggestion_action: 'QUEUE_SUGGESTION_INJECT_FAILED',
}
const values = [undefined, null, true, -1.5, 'x', [], [1], { unknown: 1 }, { action: {} }, 'x'.repeat(5_000)]
/** All that an event does not take; bare and null are `{}` to it. */
const malformedFor = (event: ClientEventName) => {
  const { payload } = clientEvents[event]
  return payload ? values.filter((value) => !Value.Check(payload, value ?? {})) : []
}
const events = Object.keys(clientEvents) as ClientEventName[]

/** Resolves with the refusal of an event: from its callback, or else from `admin_error`. */
async function refusalOf(client: SocketClient, event: ClientEventName, payload: unknown): Promise<Coded> {
  client.forget()
  if (clientEvents[event].ack) return ((await client.ask(event, payload)) as { error: Coded }).error
  client.socket.emit(event, payload)
  return JSON.parse(await client.first<string>('admin_error')) as Coded
}

t.test('every malformed event of an admin is refused with the code of the event', async (t) => {
  const open = await openApp(t, HOSTING, pino({ level: 'silent' }))
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const join = async () => {
    const client = openSocket(t, url)
    client.socket.emit('admin_active', (await asAdmin(open)).token)
    await client.first('admin_confirmed')
    return client
  }
  const air = await startAir(t, open.ports)
  await air.until(({ hosting }) => hosting.isOn)
  let isLive = false
  for (const part of [events, events]) {
    for (const event of part) {
      // A window of its own, so that none asks for more than its measure.
      const client = await join()
      if (isLive) t.match(await client.ask('admin_go_live', { takeOver: true }), { ok: true })
      const malformed = malformedFor(event)
      t.ok(
        malformed.length > 0 || !clientEvents[event].payload,
        `${event}: there is something it does not take`,
      )
      for (const payload of malformed) {
        const said = `${event} ${JSON.stringify(payload)?.slice(0, 40)}${isLive ? ' on the air' : ''}`
        if (event === 'suggest_song') {
          t.same(await client.ask(event, payload), { error: 'no_uid' }, 'its answers are words')
          continue
        }
        const code = OWN_CODES[event] ?? (isSession(event, payload) ? 'ADMIN_INVALID_SESSION' : 'BAD_REQUEST')
        const reason = code === 'ADMIN_INVALID_SESSION' ? {} : { reason: 'bad_request', field: event }
        t.match(await refusalOf(client, event, payload), { code, ...reason, uk: /\S/, en: /\S/ }, said)
      }
      client.socket.disconnect()
    }
    isLive = true
  }

  const listener = openSocket(t, url)
  await listener.first('radio_hosts_mode')
  listener.forget()
  for (const event of events.filter((event) => clientEvents[event].access !== 'anyone')) {
    for (const payload of malformedFor(event).slice(0, 2)) {
      listener.socket.emit(event, payload, () => t.fail(`${event} is answered`))
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await listener.ask('stream_ping', 1)
  t.same(listener.all('admin_error'), [], 'who is no admin is not answered')
})

/** A text that is too long for a token is a bad one; everything else leaves an admin what it is. */
const isSession = (event: ClientEventName, payload: unknown) =>
  event === 'admin_active' && typeof payload === 'string'

t.test('an admin who is not on the air gets NOT_LIVE from events for hosts', async (t) => {
  const open = await openApp(t, HOSTING, pino({ level: 'silent' }))
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const client = openSocket(t, url)
  client.socket.emit('admin_active', (await asAdmin(open)).token)
  await client.first('admin_confirmed')
  for (const event of ['host_pause_queue', 'host_resume_queue'] as const)
    t.match(await refusalOf(client, event, null), { code: 'NOT_LIVE' })
  client.forget()
  client.socket.emit('admin_leave_live')
  client.socket.emit('host_mic_toggle', { on: false })
  client.socket.emit('host_audio_chunk', Buffer.alloc(10))
  await client.ask('stream_ping', 1)
  t.same(client.all('admin_error'), [], 'what comes too late is no mistake')
})
