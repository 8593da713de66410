import { apply } from '@solstice/playout'
import t from 'tap'
import { clipStation, clips } from '../../harness/air/clip-station.ts'
import { asAdmin, command, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { DAY, FREE } from './queue-station.ts'

/** A station with one jingle, and an admin who manages the queue. */
async function openStation(t: Parameters<typeof openApp>[0]) {
  const station = await openApp(t, { ...SUPER_ADMIN, ...DAY, ...FREE })
  const { data } = station.ports
  const names = { filename: 'Station call.mp3', nameKey: 'station call.mp3' }
  const facts = { mode: 'day', used: true, duration: 5, createdAt: 0 } as const
  await data.clips.insert({ id: 'day-1', family: 'jingles', ...names, ...facts })
  await data.clips.insert({ id: 'phrase', family: 'phrases', ...names, ...facts })
  const url = await station.app.listen({ port: 0, host: '127.0.0.1' })
  const admin = openSocket(t, url)
  admin.socket.emit('admin_active', (await asAdmin(station, ['queue_manage'])).token)
  await admin.first('admin_confirmed')
  return { ...station, admin }
}

t.test('J7: an admin puts a jingle next, and it is in the audit log', async (t) => {
  const { ports, admin } = await openStation(t)
  const { bus, clock } = ports
  const state = clipStation(clips({}), undefined, undefined, clock.nowMs())
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const lease = await bus.acquireLease(ending.signal)
  await lease.save(state)
  const answer = command(admin, 'admin_insert_jingle', { id: 'day-1' })
  for await (const { asker, command: asked } of lease.commands('0-0')) {
    const { state: after, outcome } = apply(state, asked, clock.nowMs())
    t.equal(after.nextJingleId, 'day-1')
    await lease.answer(asker, outcome)
    break
  }
  t.match(await answer, { code: 'JINGLE_INSERTED', en: /after this song/ })
  t.match(await ports.data.audit.find({ operationType: 'jingle_insert' }), [
    { data: { filename: 'Station call.mp3', mode: 'day' } },
  ] as object[])
})

t.test('J7b: an admin is told why a jingle cannot come', async (t) => {
  const { ports, admin, addTrack } = await openStation(t)
  for (let i = 0; i < 9; i++) await addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  await startAir(t, ports)
  const failed = { code: 'JINGLE_INSERT_FAILED' }
  t.match(await command(admin, 'admin_insert_jingle', { id: 'day-1' }), { ...failed, reason: 'no_stream' })
  t.match(await command(admin, 'admin_insert_jingle', { id: 'phrase' }), { ...failed, reason: 'off' })
  t.match(await command(admin, 'admin_insert_jingle', { id: 'gone' }), { ...failed, reason: 'off' })
  t.same(await ports.data.audit.find({ operationType: 'jingle_insert' }), [])
})
