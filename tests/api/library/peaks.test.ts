import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../../harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { temporaryFolder } from '../../harness/processes/processes.ts'
import { openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

useStores('sql+cloud')

const ROUTE = 'GET /api/admin/song-editor/peaks?songId='
const ID = 'day/a tone.mp3'
const asked = ROUTE + encodeURIComponent(ID)

t.test('a waveform is measured when it is asked for, and then read', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const path = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: 1 })
  await station.addTrack(ID, null, { duration: 1 })
  await station.ports.media.put(ID, createReadStream(path))
  const { ask } = await asAdmin(station, [])

  const first = await ask(asked)
  t.equal(first.status, 202)
  t.same(first.body, { ok: true, duration: 1, peaks: null })
  t.equal(first.headers['cache-control'], 'no-store')
  await startJobs(t, station.ports)
  await until('it is measured', async () => (await station.ports.data.waveforms.get(ID)) !== null)

  const { status, body } = await ask(asked)
  t.equal(status, 200)
  t.equal(body.duration, 1)
  t.equal(body.peaks.length, 800)
  t.ok(Math.max(...body.peaks) > 20 && Math.max(...body.peaks) <= 255, 'there is sound')
})

t.test('a waveform is sent once, and again when it is another', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { waveforms } = station.ports.data
  await station.addTrack(ID, null, { duration: 184.3 })
  await waveforms.put({ trackId: ID, peaks: Buffer.from([0, 128, 255]).toString('base64') })
  const { ask } = await asAdmin(station, [])

  const { body, headers } = await ask(asked)
  t.same(body, { ok: true, duration: 184.3, peaks: [0, 128, 255] })
  t.equal(headers['cache-control'], 'private, no-cache')
  const known = { 'if-none-match': String(headers.etag) }
  const again = await ask(asked, undefined, known)
  t.equal(again.status, 304)
  t.equal(again.bytes.length, 0)
  await waveforms.put({ trackId: ID, peaks: Buffer.from([9]).toString('base64') })
  t.same((await ask(asked, undefined, known)).body.peaks, [9])
})

t.test('a file without sound has an empty waveform, an unknown track none', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  await station.addTrack(ID, null)
  await station.ports.data.waveforms.put({ trackId: ID, peaks: '' })
  const { ask } = await asAdmin(station, [])
  t.match(await ask(asked), { status: 200, body: { peaks: [] } })
  t.match(await ask(`${ROUTE}day%2Fnone.mp3`), { status: 404, body: { error: { code: 'TRACK_NOT_FOUND' } } })
})
