import { apply } from '@solstice/playout'
import t from 'tap'
import { clipStation, clips } from '../../harness/air/clip-station.ts'
import { asAdmin, command, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { DAY, FREE } from './queue-station.ts'

/** A station with one jingle, and an admin who manages the queue. */
async function openStation(t: Parameters<typeof openApp>[0], env: Record<string, string> = {}) {
  const station = await openApp(t, { ...SUPER_ADMIN, ...DAY, ...FREE, ...env })
  const { data } = station.ports
  const names = { filename: 'Station call.mp3', nameKey: 'station call.mp3' }
  const facts = { mode: 'day', used: true, duration: 5, createdAt: 0 } as const
  await data.clips.insert({ id: 'day-1', family: 'jingles', ...names, ...facts })
  await data.clips.insert({ id: 'phrase', family: 'phrases', ...names, ...facts })
  const url = await station.app.listen({ port: 0, host: '127.0.0.1' })
  const admin = openSocket(t, url)
  const { token, ask } = await asAdmin(station, ['queue_manage'])
  admin.socket.emit('admin_active', token)
  await admin.first('admin_confirmed')
  return { ...station, admin, token, ask, url }
}

t.test('J7, J8: an admin puts a jingle next and takes it back, and both are in the audit log', async (t) => {
  const { ports, admin, token, url } = await openStation(t)
  const { bus, clock } = ports
  const state = clipStation(clips({}), undefined, undefined, clock.nowMs())
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const lease = await bus.acquireLease(ending.signal)
  await lease.save(state)
  t.equal(await admin.first('next_jingle_update'), null)
  admin.forget()
  const commands = lease.commands('0-0')[Symbol.asyncIterator]()
  let now = state
  /** Does as the worker does with the next command. */
  const work = async () => {
    const { asker, command: asked } = (await commands.next()).value!
    const { state: after, outcome } = apply(now, asked, clock.nowMs())
    now = after
    await lease.save(now)
    await lease.answer(asker, outcome)
  }
  const answer = command(admin, 'admin_insert_jingle', { id: 'day-1' })
  await work()
  t.match(await answer, { code: 'JINGLE_INSERTED', en: /after this song/ })
  t.same(await admin.first('next_jingle_update'), { id: 'day-1', filename: 'day-1.mp3', duration: 5 })
  const other = openSocket(t, url)
  other.socket.emit('admin_active', token)
  t.match(await other.first('next_jingle_update'), { id: 'day-1' }, 'told to those who come later')
  const listener = openSocket(t, url)
  await listener.first('sync')
  const taken = command(admin, 'admin_cancel_jingle', { id: 'day-1' })
  await work()
  t.match(await taken, { code: 'JINGLE_CANCELLED' })
  t.equal(await other.first('next_jingle_update', (next) => next === null), null)
  const again = command(admin, 'admin_cancel_jingle', { id: 'day-1' })
  await work()
  t.match(await again, { code: 'JINGLE_CANCEL_FAILED', reason: 'gone' })
  t.same(listener.all('next_jingle_update'), [])
  await commands.return?.()
  t.match(await ports.data.audit.find({ operationType: 'jingle_cancel' }), [
    { data: { filename: 'Station call.mp3', mode: 'day' } },
  ] as object[])
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

t.test('who manages the queue may list the jingles to choose from, and nothing else of them', async (t) => {
  const station = await openStation(t, { STREAM_MODE: 'true' })
  const { ask, ports } = station
  const facts = { mode: 'day', duration: null, createdAt: 1, family: 'jingles' } as const
  await ports.data.clips.insert({ ...facts, id: 'off', used: false, filename: 'Off.mp3', nameKey: 'off.mp3' })
  await ports.data.clips.insert({ ...facts, id: 'new', used: true, filename: 'New.mp3', nameKey: 'new.mp3' })
  const choices = (more = '') => ask(`GET /api/admin/jingle-choices?mode=day${more}`)
  t.same((await choices()).body, {
    items: [
      { id: 'new', filename: 'New.mp3', duration: null },
      { id: 'day-1', filename: 'Station call.mp3', duration: 5 },
    ],
    total: 2,
  })
  t.match((await choices('&search=CALL&limit=1')).body, { items: [{ id: 'day-1' }], total: 1 })
  t.match((await ask('GET /api/admin/jingle-choices?mode=night')).body, { items: [], total: 0 })
  t.equal((await ask('GET /api/admin/jingles')).status, 403)
  const { ask: other } = await asAdmin(station, ['jingles_uploader'])
  t.equal((await other('GET /api/admin/jingle-choices?mode=day')).status, 403)
})
