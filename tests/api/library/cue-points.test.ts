import { type PlayoutState, upcoming } from '@solstice/playout'
import { cuePointsByTrack } from '@solstice/station'
import t, { type Test } from 'tap'
import { openStation, refusal } from '../../harness/people/administration.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'

useStores('sql+local')

const ID = 'day/Ann - 03.mp3'
const PATH = 'song-editor/cue-points'
const asked = `${PATH}?songId=${encodeURIComponent(ID)}`
const MEASURED = {
  ...{ trackId: ID, size: 1, modifiedMs: 1, lufs: -16, peakDb: -3, isMono: false },
  ...{ startMs: 400, endMs: 175_000 },
}

async function prepare(t: Test, env: Record<string, string> = {}) {
  const station = await openStation(t, env)
  await station.addTracks('day', 'Ann', 6, 180)
  await station.data.measurements.put(MEASURED)
  const set = (range: object) => station.ask('POST', PATH, { songId: ID, ...range })
  return { ...station, set }
}

t.test('cue points are set one by one, and cleared', async (t) => {
  const { ask, set, auditLog } = await prepare(t, { LOUDNESS_TARGET_LUFS: 'off' })
  const measured = { cueIn: 0.4, cueOut: 175 }
  t.same((await ask('GET', asked)).body, {
    ...{ ok: true, duration: 180, cueIn: null, cueOut: null, measured },
    heard: measured,
  })
  const first = await set({ cueIn: 2.50049 })
  t.match(first, { status: 200, body: { cueIn: 2.5, cueOut: null, heard: { cueIn: 2.5, cueOut: 175 } } })
  t.match((await set({ cueOut: 179.5 })).body, { cueIn: 2.5, cueOut: 179.5, heard: { cueOut: 179.5 } })
  t.match((await set({ cueIn: null })).body, { cueIn: null, cueOut: 179.5, heard: { cueIn: 0.4 } })
  const { message, ...unchanged } = (await set({ cueOut: 179.5 })).body
  t.match(message, { en: 'Nothing has changed' })
  t.same((await ask('GET', asked)).body, unchanged)
  t.match(
    (await auditLog()).map(({ operationType, data }) => [operationType, data]),
    [
      ['edit_song_meta', { details: { changes: [{ field: 'cueIn', before: null, after: 2.5 }] } }],
      ['edit_song_meta', { details: { changes: [{ field: 'cueOut', before: null, after: 179.5 }] } }],
      ['edit_song_meta', { title: 'Song 3', artist: 'Ann', details: { changes: [{ field: 'cueIn' }] } }],
    ],
  )
})

t.test('cue points lie within the track, at least a second apart', async (t) => {
  const { ask, set, helper } = await prepare(t)
  for (const [range, field] of [
    [{ cueIn: -0.1 }, 'cueIn'],
    [{ cueIn: 174.5 }, 'cueIn'],
    [{ cueOut: 180.5 }, 'cueOut'],
    [{ cueOut: 0.5 }, 'cueOut'],
    [{ cueOut: 1.3 }, 'cueOut'],
    [{ cueIn: 20, cueOut: 20.5 }, 'cueIn'],
    [{ cueIn: 1e300 }, 'cueIn'],
  ] as const)
    t.match(await set(range), refusal(field, 'out_of_range'), JSON.stringify(range))
  t.match(await set({ cueIn: '3' }), { status: 400 })
  t.match((await ask('GET', asked)).body, { cueIn: null, cueOut: null })
  t.equal((await set({ cueIn: 20, cueOut: 21 })).status, 200)
  const unknown = await ask('POST', PATH, { songId: 'day/none.mp3', cueIn: 1 })
  t.match(unknown, { status: 404, body: { error: { code: 'TRACK_NOT_FOUND' } } })
  const lyricist = await helper('lyricist', 'editor_lyrics')
  t.equal((await lyricist('POST', PATH, { songId: ID, cueIn: 1 })).status, 403)
})

t.test('cue points reach the queue, and outlast a new measurement and a new id', async (t) => {
  const { ask, set, ports, data } = await prepare(t, { NIGHT_MODE: 'false' })
  const { config } = ports
  await startJobs(t, ports)
  const air = await startAir(t, ports)
  await set({ cueIn: 3, cueOut: 60 })
  // It may be on air, which plays on as it began; then it comes again in the next list.
  const cuePointsIn = (state: PlayoutState) =>
    upcoming(state, 12).findLast(({ track }) => track.id === ID)?.track.cuePoints
  const state = await air.until((state) => cuePointsIn(state)?.startMs === 3_000)
  t.match(cuePointsIn(state), { endMs: 60_000 })

  await data.measurements.put({ ...MEASURED, startMs: 100 })
  t.match((await ask('GET', asked)).body.heard, { cueIn: 3, cueOut: 60 })
  const moved = 'night/Ann - 03.mp3'
  await data.tracks.update({ id: ID }, { id: moved, mode: 'night', storageKey: moved })
  t.match((await cuePointsByTrack(data, config)).cuePoints[moved], { startMs: 3_000, endMs: 60_000 })
})

t.test('everybody hears of cue points that changed, and of no others', async (t) => {
  const { app, ports, set } = await prepare(t)
  await startAir(t, ports)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const windows = [openSocket(t, url), openSocket(t, url)]
  await Promise.all(windows.map((one) => one.first('sync')))
  await set({ cueIn: 3 })
  await set({ cueIn: 3 })
  ports.announcer.announce('jingles_updated')
  for (const one of windows) {
    await one.first('jingles_updated')
    t.equal(one.all('library_updated').length, 1)
  }
})
