import { createMonitorTokens } from '@solstice/adapters'
import { initialState, type PlayoutState } from '@solstice/playout'
import t from 'tap'
import { replica } from '../../../../../tests/harness/servers/gateway.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { followSync, type SoundThen } from './sync.ts'

const TRACK = 'day/one.mp3'
const now = () => performance.now()
const { issue } = createMonitorTokens({ artTokenSecret: 'a secret of the test' })

/** A track that began ten seconds ago. */
function playing(nowMs: number): PlayoutState {
  const startedAtMs = nowMs - 10_000
  const state = initialState(1, 'sound', { natural: 'day', changes: [] }, startedAtMs)
  const track = { id: TRACK, title: 'One', artist: 'Ann', album: '', year: null, durationMs: 600_000 }
  const entry = { entryId: 'a', track, orderType: null, tier: null }
  return {
    ...state,
    onAir: { phase: 'track', entry, startedAtMs },
    playlist: { ...state.playlist, entries: [entry] },
  }
}

t.test('sync is held against the sound of its moment, on a socket that nobody sees', async (t) => {
  const { url, air, gateway, join } = await replica(t)
  const today = () => air.clock.nowMs()
  air.say(playing(today()))
  await join()
  let sound: SoundThen | null = null
  const sync = followSync(url, { now, today, token: () => issue(today()), soundAt: () => sound })
  t.teardown(sync.stop)
  await until('it comes', () => sync.now().last !== null)
  t.match(sync.now(), { failingMs: 0, last: { trackId: TRACK, delayMs: 0, heardId: null, driftMs: 0 } })
  t.same([gateway.sockets, gateway.listeners], [2, 1])

  sound = { trackId: TRACK, fromMs: 6_000, toMs: 7_000 }
  await until('another position is noticed', () => sync.now().last?.driftMs === 3_000)
  sound = { trackId: 'day/two.mp3', fromMs: 7_000, toMs: 7_000 }
  await until('another track is noticed', () => sync.now().last?.heardId === 'day/two.mp3')
  sound = { trackId: TRACK, fromMs: 9_000, toMs: 11_000 }
  await until('all is well', () => sync.now().last?.heardId === null && sync.now().last?.driftMs === 0)
  sync.stop()
  await until('it is gone', () => gateway.sockets === 1)
})

t.test('a token that is forged or old hides nobody', async (t) => {
  const { url, air, gateway } = await replica(t)
  const today = () => air.clock.nowMs()
  const strangers = createMonitorTokens({ artTokenSecret: 'another secret' })
  for (const token of [() => '', () => strangers.issue(today()), () => issue(today() - 120_000)]) {
    const before = gateway.listeners
    const sync = followSync(url, { now, today, token, soundAt: () => null })
    t.teardown(sync.stop)
    await until('it is in the list', () => gateway.listeners === before + 1)
  }
  t.equal(gateway.listeners, 3)
})

t.test('a socket that is refused says why', async (t) => {
  const sync = followSync('http://127.0.0.1:1', {
    now,
    today: () => 0,
    token: () => '',
    soundAt: () => null,
  })
  t.teardown(sync.stop)
  await until('it is refused', () => sync.now().failure !== 'connecting')
  t.ok(sync.now().failingMs > 0)
  t.equal(sync.now().last, null)
})
