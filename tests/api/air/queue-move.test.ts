import type { AuditEntry, Privilege, RadioState } from '@solstice/contracts'
import t from 'tap'
import { asAdmin, command, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir } from '../../harness/stations/workers.ts'

const ENV = { ...SUPER_ADMIN, DAY_START_HOUR: '6', NIGHT_START_HOUR: '6', QUEUE_REMOVE_COOLDOWN_S: '0' }

t.test('an admin moves a song in the queue', async (t) => {
  const station = await openApp(t, ENV)
  for (let i = 0; i < 15; i++) await station.addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  const air = await startAir(t, station.ports)
  const url = await station.app.listen({ port: 0, host: '127.0.0.1' })
  const joinAs = async (privileges: Privilege[]) => {
    const client = openSocket(t, url)
    client.socket.emit('admin_active', (await asAdmin(station, privileges)).token)
    await client.first('admin_confirmed')
    return client
  }
  const [admin, listener] = [await joinAs(['queue_manage']), openSocket(t, url)]
  const queue = () => air.state.playlist.entries.slice(air.state.playlist.index + 1)

  t.test('and all listeners see it at its new place', async (t) => {
    const before = queue()
    const { id, title, artist } = before[3]!.track
    t.match(await command(admin, 'admin_move_song', { id, from: 4, to: 2 }), { code: 'QUEUE_SONG_MOVED' })
    await listener.first<RadioState>('sync', ({ playlist }) => playlist[1]?.id === id)
    const order = [0, 3, 1, 2, 4].map((i) => before[i])
    t.same(queue().slice(0, 5), order)
    t.match(await admin.first<AuditEntry>('audit_new_entry'), {
      operationType: 'queue_move',
      data: { from: 4, to: 2, title, artist },
    })
  })

  t.test('and a second one who saw the queue as it was is told so', async (t) => {
    const [, second, third] = queue()
    const { appliedThrough } = air.state
    const stale = { id: third!.track.id, from: 2, to: 4 }
    t.match(await command(admin, 'admin_move_song', stale), { code: 'QUEUE_MOVE_FAILED', reason: 'moved' })
    t.equal(air.state.appliedThrough, appliedThrough)
    const { entryId } = third!
    t.match(await station.ports.bus.send({ type: 'move-entry', entryId, from: 2, to: 4 }), {
      ok: false,
      details: { reason: 'moved' },
    })
    t.equal(queue()[1], second)
  })
})
