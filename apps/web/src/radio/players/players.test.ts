import { streamBurstMs } from '@solstice/contracts'
import t from 'tap'
import { NOON } from '../../../../../tests/harness/air/radio-state.ts'
import { holdTimers, settled } from '../../../../../tests/harness/held-timers.ts'
import { retryDelayMs } from './retry.ts'
import { createLagMeter, frameBehind, isFarBehind, isStalled, lagOf, smoothLag } from './stream/lag.ts'
import { createStreamLoader } from './stream/loader.ts'
import { createStreamRequest } from './stream/request.ts'
import { correctionOf, leadAfter } from './sync/drift-correction.ts'
import { createProgressWatch } from './sync/progress.ts'
import { createTrackFile } from './sync/track-file.ts'

t.test(
  'drift beyond 0.35 s is a jump, 2 s after the last at the soonest, never while settling',
  async (t) => {
    const free = { isSettling: false, sinceJumpMs: 60_000 }
    t.same(correctionOf(0.36, free), { do: 'jump' })
    t.same(correctionOf(-0.36, free), { do: 'jump' })
    t.equal(correctionOf(3, { ...free, sinceJumpMs: 1999 }).do, 'rate')
    t.same(correctionOf(3, { ...free, isSettling: true }), { do: 'wait' })
    t.same(correctionOf(0.35, free), { do: 'rate', rate: 1.02 })
    t.same(correctionOf(-0.35, free), { do: 'rate', rate: 0.98 })
    t.same(correctionOf(0.1, free), { do: 'rate', rate: 1.01 })
    t.same(correctionOf(0.01, free), { do: 'rate', rate: 1 })
    const elsewhere = { isSettling: false, sinceJumpMs: 15_000, isElsewhere: true }
    t.same(correctionOf(4.9, elsewhere), { do: 'rate', rate: 1 }, 'another device loads anew at each jump')
    t.same(correctionOf(5.1, elsewhere), { do: 'jump' })
    t.same(correctionOf(5.1, { ...elsewhere, sinceJumpMs: 14_999 }), { do: 'rate', rate: 1 })
    t.equal(leadAfter(0.1, 0.2).toFixed(1), '0.3', 'a jump that lands late starts earlier next time')
    t.equal(leadAfter(0.1, -1), 0)
  },
)

t.test('a stream is heard a burst behind the station, and further with every stall', async (t) => {
  const progress = {
    openedAtMs: NOON,
    beganBehindS: streamBurstMs / 1000,
    nowMs: NOON + 10_000,
    playedS: 10,
    bufferedAheadS: 2,
    roundTripMs: 200,
  }
  t.equal(lagOf(progress), streamBurstMs / 1000)
  t.equal(lagOf({ ...progress, playedS: 7 }), streamBurstMs / 1000 + 3, 'three seconds of stalls')
  t.equal(lagOf({ ...progress, bufferedAheadS: 12 }), 12.1, 'what is buffered is still to come')
  t.equal(smoothLag(null, 8), 8)
  t.equal(smoothLag(8, 9), 8.3)
  t.equal(frameBehind(10_000, streamBurstMs / 1000), 10_000, 'the burst begins a burst behind')
  t.equal(frameBehind(10_000, streamBurstMs / 1000 + 5), 10_000 - Math.round((5 * 44_100) / 1152))
  t.notOk(isFarBehind(streamBurstMs / 1000 + 5))
  t.ok(isFarBehind(streamBurstMs / 1000 + 7), 'then it begins anew')
})

t.test('an element that claims to play and stands still is noticed after 8 s, once', async (t) => {
  const audio = { currentTime: 5, paused: false, ended: false, error: null as MediaError | null }
  let nowMs = NOON
  const watch = createProgressWatch(audio, () => nowMs)
  const pass = (seconds: number, moving: boolean) => {
    let stalls = 0
    for (let i = 0; i < 2 * seconds; i++) {
      nowMs += 500
      if (moving) audio.currentTime += 0.5
      if (watch.isStalled()) stalls++
    }
    return stalls
  }
  t.equal(pass(60, true), 0)
  t.equal(pass(7, false), 0)
  t.equal(pass(3, false), 1)
  audio.paused = true
  t.equal(pass(60, false), 0, 'a paused one is at rest')
  audio.paused = false
  pass(1, true)
  nowMs += 60_000
  t.equal(pass(2, false), 0, 'a page that was frozen for a minute saw nothing meanwhile')
})

t.test('a broken stream goes on at the frame where it was, unless that was long ago', async (t) => {
  const timers = holdTimers(t)
  const { fetch } = globalThis
  t.teardown(() => Object.assign(globalThis, { fetch }))
  Object.assign(globalThis, {
    fetch: async () => new Response(null, { headers: { 'X-Stream-Frame': '10000' } }),
  })
  const audio = {
    src: '',
    play: async () => {},
    pause() {},
    load() {},
    removeAttribute: () => {},
    hasAttribute: () => true,
  }
  let lagS = streamBurstMs / 1000 + 3
  let opened = 0
  const lag = { ...createLagMeter(audio as never, () => 0), opened: () => opened++, measure: () => lagS }
  const token = { peek: () => 'token', get: async () => 'token', renew: async () => 'token', stop() {} }
  const stream = { path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 } as const
  const request = createStreamRequest(audio as never, token, () => stream)
  let breaks = 0
  const loader = createStreamLoader({
    ...{ request, lag: lag as never, onSound: () => {} },
    onBreak: () => breaks++,
  })
  const from = async () => {
    const before = opened
    loader.retryLater('lost', 'refused')
    for (const retry of timers) retry()
    await settled(() => opened > before)
    return new URL(audio.src, 'http://station').searchParams.get('from')
  }
  loader.start()
  await settled(() => opened === 1)
  t.notMatch(audio.src, 'from=')
  t.ok(Math.abs(Number(await from()) - frameBehind(10_000, lagS)) < 20)
  lagS = streamBurstMs / 1000 + 20
  t.equal(await from(), null)
  t.equal(breaks, 2)
})

t.test('a request that is dropped later stays when it is opened until then', async (t) => {
  const timers = holdTimers(t)
  const audio = {
    src: '',
    play: async () => {},
    pause() {},
    load() {},
    removeAttribute() {
      this.src = ''
    },
    hasAttribute: () => true,
  }
  const token = { peek: () => 'token', get: async () => 'token', renew: async () => 'token', stop() {} }
  const stream = { path: '/api/stream/public.mp3', format: 'audio/mpeg', bitrate: 192 } as const
  const request = createStreamRequest(audio as never, token, () => stream)
  const pass = () => {
    for (const run of [...timers]) run()
  }
  await request.open(null, () => {})
  request.dropLater()
  await request.open(null, () => {})
  pass()
  t.not(audio.src, '', 'opened meanwhile')
  request.dropLater()
  t.not(audio.src, '')
  pass()
  t.equal(audio.src, '', 'after five minutes')
})

t.test('the element finds the file of the next track in memory, unless data is to be saved', async (t) => {
  const { fetch } = globalThis
  const { createObjectURL } = URL
  t.teardown(() => Object.assign(globalThis, { fetch }))
  t.teardown(() => Object.assign(URL, { createObjectURL }))
  const connection = { saveData: false }
  Object.defineProperty(globalThis, 'navigator', { value: { connection }, configurable: true })
  const asked: string[] = []
  let made = 0
  Object.assign(globalThis, {
    fetch: async (address: string) => {
      const track = new URL(address, 'http://station').searchParams.get('track')!
      asked.push(track)
      return new Response('sound', { status: track === 'gone' ? 404 : 200 })
    },
  })
  Object.assign(URL, { createObjectURL: () => `blob:${++made}` })
  const audio = { src: '', play: async () => {}, remote: { state: 'disconnected' } }
  const token = { peek: () => 'token', get: async () => 'token', renew: async () => 'token', stop() {} }
  const file = createTrackFile(audio as never, { artToken: token, audioToken: token })
  const open = async (track: string) => {
    await file.open(track, 300, () => {})
    return audio.src
  }
  t.match(await open('first'), 'track=first')
  file.prepare('first', 300)
  t.same(asked, [], 'it is there')
  connection.saveData = true
  file.prepare('second', 300)
  t.same(asked, [])
  connection.saveData = false
  file.prepare('second', 300)
  file.prepare('second', 300)
  t.same(asked, ['second'])
  await settled(() => made === 1)
  t.equal(await open('second'), 'blob:1')
  file.prepare('third', 300)
  await settled(() => made === 2)
  t.match(await open('another'), 'track=another', 'another one came')
  t.match(await open('third'), 'track=third', 'what was prepared is gone')
  file.prepare('gone', 300)
  await settled(() => asked.includes('gone'))
  t.match(await open('gone'), 'track=gone')
  file.prepare('fourth', 300)
  await settled(() => made === 3)
  audio.remote.state = 'connected'
  t.match(await open('fourth'), 'track=fourth', 'another device can’t reach this one’s memory')
})

t.test('five seconds without progress are a stall', async (t) => {
  t.notOk(isStalled(10_000, 5000))
  t.ok(isStalled(10_001, 5000))
})

t.test('retries grow apart to 15 s, and differ between listeners', async (t) => {
  t.same(
    [0, 1, 2, 9].map((attempt) => retryDelayMs(attempt, 0.5)),
    [500, 1000, 2000, 15_000],
  )
  t.not(retryDelayMs(3, 0), retryDelayMs(3, 1))
})
