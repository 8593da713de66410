import { openLocalMedia, readConfig } from '@solstice/adapters'
import type { Track } from '@solstice/contracts'
import { initialState } from '@solstice/playout'
import type { DataStore } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { alwaysDay, NOON, onAir } from '../../../../tests/harness/air/programme.ts'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { openTestData } from '../../../../tests/harness/servers/postgres.ts'
import { until } from '../../../../tests/harness/until.ts'
import { createAir } from '../air/air.ts'
import { createLibraryFeed } from './library.ts'

const log = pino({ level: 'silent' })

function track(name: string): Track {
  const id = `day/${name}.mp3`
  const about = { title: name, artist: name, album: '', year: null, duration: 60 }
  return { id, ...about, mode: 'day', filename: `${name}.mp3`, storageKey: id }
}

/** An air in sync mode that waits for music; `find` is how its tracks are read. */
async function prepare(t: Test, find: () => Promise<Track[]>) {
  const folder = await temporaryFolder(t)
  const [store, media] = [await openTestData(folder), await openLocalMedia(folder)]
  const stopping = new AbortController()
  t.teardown(async () => {
    stopping.abort()
    await Promise.all([store.close(), media.close()])
  })
  let reading: Promise<Track[]> | null = null
  const findOnce = () => {
    reading ??= find().finally(() => {
      reading = null
    })
    return reading
  }
  const data = { settings: store.settings, measurements: store.measurements, tracks: { find: findOnce } }
  const { config } = readConfig({ JWT_SECRET: '-', MEDIA_STORAGE: 'local', NIGHT_MODE: 'false' })
  const clock = { nowMs: () => NOON }
  const state = initialState(1, 'clock', alwaysDay, NOON)
  const saved = { isSaved: true, add() {}, save: async () => {}, saveAgain: async () => {} }
  const start = { before: state, step: { state, effects: [] } }
  const air = createAir(saved, start, [stopping.signal], { clock, log }, () => {})
  air.endCatchUp()
  const ports = { config, log, media, clock, data: data as unknown as DataStore }
  const feed = createLibraryFeed(
    ports as Parameters<typeof createLibraryFeed>[0],
    air,
    { noteLeftOut() {} },
    () => {},
  )
  return { air, feed, stopping }
}

t.test('L4: a library that changes while it is read is read again before the air knows it', async (t) => {
  const answers: ((tracks: Track[]) => void)[] = []
  const { air, feed } = await prepare(t, () => new Promise((resolve) => answers.push(resolve)))
  feed.readWanted()
  await until('the library is read', () => answers.length === 1)
  feed.outdate()
  feed.readWanted()
  t.equal(answers.length, 1, 'not twice at once')
  answers[0]!([track('old')])
  await until('it is read again', () => answers.length === 2)
  t.equal(air.state.onAir.phase, 'preparing')
  answers[1]!([track('new')])
  await until('a track is on air', () => air.state.onAir.phase === 'track')
  t.equal(onAir(air.state)?.track.id, 'day/new.mp3')
})

t.test('a library that cannot be read is tried again, until the air is left', async (t) => {
  let attempts = 0
  const { air, feed, stopping } = await prepare(t, async () => {
    attempts++
    if (attempts < 3) throw new Error('the store is away')
    return [track('song')]
  })
  feed.readWanted()
  await until('a track is on air', () => air.state.onAir.phase === 'track')
  stopping.abort()
  const before = attempts
  feed.tryAgain()
  t.equal(attempts, before)
})
