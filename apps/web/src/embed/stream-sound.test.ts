import t, { type Test } from 'tap'
import { holdTimers } from '../../../../tests/harness/held-timers.ts'
import { createStreamSound, type Sound } from './stream-sound.ts'

const STREAM = 'https://radio.example/api/stream/public.mp3'

/** An audio element of which the test says what happens to it. */
class FakeAudio extends EventTarget {
  paused = true
  ended = false
  preload = ''
  src = ''
  /** Times that it was started. */
  starts = 0
  async play() {
    this.paused = false
    this.starts++
  }
  pause() {
    this.paused = true
  }
  load() {}
  removeAttribute() {
    this.src = ''
  }
  happens(event: string) {
    this.dispatchEvent(new Event(event))
  }
}

/** A player that plays. */
function play(t: Test) {
  const timers = holdTimers(t)
  const audio = new FakeAudio()
  const heard: Sound[] = []
  const stream = createStreamSound((sound) => heard.push(sound), audio as unknown as HTMLAudioElement)
  stream.start(STREAM)
  audio.happens('playing')
  t.same(heard, ['connecting', 'playing'])
  return {
    ...{ audio, stream, heard, timers },
    /** Runs what waits now. */
    pass() {
      for (const run of [...timers]) run()
    },
    pauseBySystem() {
      audio.paused = true
      audio.happens('pause')
    },
  }
}

t.test('a player that the system paused goes on live when the system lets it', async (t) => {
  const { audio, heard, pass, pauseBySystem } = play(t)
  pauseBySystem()
  t.equal(heard.at(-1), 'playing', 'it may be the end of the connection')
  pass()
  t.equal(heard.at(-1), 'off')
  t.equal(audio.src, STREAM, 'systems start an element only if it has a source')
  audio.paused = false
  audio.happens('play')
  t.equal(heard.at(-1), 'connecting')
  t.equal(audio.starts, 2, 'opened anew: what was buffered would be late')
  audio.happens('playing')
  t.equal(heard.at(-1), 'playing')
})

t.test('paused for long, a player fetches nothing any more, and stays silent', async (t) => {
  const { audio, heard, pass, pauseBySystem } = play(t)
  pauseBySystem()
  pass()
  pass()
  t.equal(audio.src, '')
  audio.paused = false
  audio.happens('play')
  t.equal(heard.at(-1), 'off')
})

t.test('a pause by the listener ends the request at once', async (t) => {
  const { audio, stream, heard, timers } = play(t)
  stream.stop()
  t.equal(audio.src, '')
  t.equal(timers.size, 0)
  audio.happens('play')
  t.same([heard.at(-1), audio.starts], ['off', 1])
})

t.test('a broken connection is not a pause: it is tried again', async (t) => {
  const { audio, heard, pass, pauseBySystem } = play(t)
  audio.ended = true
  pauseBySystem()
  pass()
  t.equal(heard.at(-1), 'playing')
  audio.happens('ended')
  t.equal(heard.at(-1), 'failed')
  audio.ended = false
  pass()
  t.equal(audio.starts, 2)
})
