import t, { type Test } from 'tap'
import { holdTimers, settled } from '../../../../../../tests/harness/held-timers.ts'
import { createStreamPlayer } from './player.ts'

/** An audio element of which the test says what happens to it. */
class FakeAudio extends EventTarget {
  paused = true
  ended = false
  readonly remote = { state: 'disconnected' }
  happens(event: string) {
    this.dispatchEvent(new Event(event))
  }
}

/** A player whose stream plays. */
async function play(t: Test) {
  const timers = holdTimers(t)
  Object.defineProperty(globalThis, 'document', { value: {}, configurable: true })
  const audio = new FakeAudio()
  const seen = { opened: 0, dropped: 0, droppedLater: 0, breaks: [] as string[], isStalled: false }
  const request = {
    isOpen: () => seen.opened > 0,
    async open() {
      seen.opened++
      audio.paused = false
      return 'started' as const
    },
    drop() {
      seen.dropped++
      audio.paused = true
    },
    dropLater() {
      seen.droppedLater++
    },
    diagnose: async () => 'lost' as const,
  }
  const lag = {
    ...{ opened() {}, advanced() {}, reset() {}, lagS: () => 0, measure: () => 60 },
    ...{ isStalled: () => seen.isStalled, isFarBehind: () => seen.isStalled },
  }
  const player = createStreamPlayer(
    { audio: audio as never, connection: { measurePosition: async () => {} } as never },
    { request: request as never, lag, source: () => '/api/stream' },
    { onPlay: () => true, onBreak: (how) => void seen.breaks.push(how) },
  )
  t.teardown(player.close)
  player.play()
  await settled(() => seen.opened === 1)
  audio.happens('playing')
  t.equal(player.sound.value.is, 'playing')
  return {
    ...{ audio, player, seen },
    pass: () => {
      for (const run of [...timers]) run()
    },
    pauseBySystem() {
      audio.paused = true
      audio.happens('pause')
    },
  }
}

t.test(
  'a stream that the system paused keeps its source, so that the system can let it go on live',
  async (t) => {
    const { audio, player, seen, pass, pauseBySystem } = await play(t)
    pauseBySystem()
    pass()
    t.equal(player.sound.value.is, 'paused')
    t.same([seen.dropped, seen.droppedLater], [0, 1])
    audio.paused = false
    audio.happens('play')
    t.equal(player.sound.value.is, 'starting')
    await settled(() => seen.opened === 2)
    audio.happens('playing')
    pass()
    t.equal(seen.dropped, 0)
  },
)

t.test('a pause by the listener ends the request at once', async (t) => {
  const { audio, player, seen } = await play(t)
  player.pause()
  t.equal(seen.dropped, 1)
  audio.happens('play')
  t.equal(player.sound.value.is, 'paused')
  t.equal(seen.opened, 1)
})

t.test('a stream that another device plays is not opened anew because that device loads', async (t) => {
  const { audio, player, seen } = await play(t)
  audio.remote.state = 'connected'
  seen.isStalled = true
  audio.happens('waiting')
  audio.happens('playing')
  t.equal(player.sound.value.is, 'playing')
  t.same([seen.opened, seen.breaks], [1, []])
  audio.remote.state = 'disconnected'
  audio.happens('playing')
  t.equal(player.sound.value.is, 'retrying', 'back on this one it is')
})

t.test('a stall is no refusal, however often; an opening without sound is', async (t) => {
  const { audio, seen, pass } = await play(t)
  for (let i = 0; i < 4; i++) {
    audio.happens('waiting')
    audio.happens('playing')
  }
  seen.isStalled = true
  audio.happens('playing')
  t.same(seen.breaks, Array(5).fill('stalled'))
  pass()
  await settled(() => seen.opened === 2)
  audio.happens('emptied')
  pass()
  seen.isStalled = false
  audio.happens('ended')
  t.equal(seen.breaks.at(-1), 'refused')
})
