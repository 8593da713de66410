import { chunkEndMs, FRAME_MS, FRAME_SAMPLES } from '@solstice/station'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { createBroadcast } from './broadcast.ts'
import { createSoundThen, sentIn, titlesAt } from './sent.ts'

const START_MS = 1_000_000
const about = { entryId: 'a', trackId: 'a', title: 'One', artist: 'Ann', durationMs: null }

t.test('a position may be told that is heard, or at which the sound stopped just before', async (t) => {
  const air = handMadeAir(128, START_MS)
  const { broadcast, take } = createBroadcast('mp3')
  const send = (chunks: number) => {
    for (let i = 0; i < chunks; i++) {
      const frame = (broadcast.newest ?? -1) + 1
      take(air.chunk(19, [{ frame, positionMs: frame * FRAME_MS, ...about }]))
    }
    return chunkEndMs(broadcast.chunk!) - START_MS
  }
  const soundThen = createSoundThen(broadcast)
  const at = (ms: number) => {
    const { trackId, fromMs, toMs } = soundThen(broadcast.newest!, START_MS + ms)!
    return [trackId, Math.round(fromMs), Math.round(toMs)]
  }
  const round = Math.round
  const stoppedMs = send(20)
  at(stoppedMs)
  t.same(at(stoppedMs + 400), ['a', round(stoppedMs + 400), round(stoppedMs + 400)])
  t.same(at(stoppedMs + 4_000), ['a', round(stoppedMs + 1_000), round(stoppedMs + 1_000)], 'none comes')
  const endMs = send(10)
  t.same(at(endMs), ['a', round(stoppedMs + 1_000), round(endMs)], 'it has come again')
  t.same(at(endMs), ['a', round(endMs), round(endMs)])
  t.equal(soundThen(broadcast.newest! - 300, START_MS + endMs), null, 'old sound')
  t.equal(soundThen(40, START_MS + 1_500), null, 'a track that has just begun')
})

t.test('the title that is sent is known from the first chunk, and so behind a hole', async (t) => {
  const air = handMadeAir(128, START_MS)
  const { broadcast, take } = createBroadcast('mp3')
  const first = air.chunk(19, [{ frame: 0, positionMs: 0, ...about }])
  take(first)
  t.equal(sentIn(broadcast)!.title, 'Ann - One')
  air.chunk(19)
  take(air.chunk(19, [{ frame: 38, positionMs: 38 * FRAME_MS, ...about }]))
  t.equal(broadcast.holes, 1)
  t.equal(sentIn(broadcast)!.title, 'Ann - One')
  t.equal(
    titlesAt(broadcast, { codec: 'mp3', bitrate: 128 }, broadcast.newest!),
    null,
    'which titles players may still show is not known yet',
  )
})

t.test('a title may come as late as the next block of its mount', async (t) => {
  const air = handMadeAir(128, START_MS)
  const { broadcast, take } = createBroadcast('mp3')
  const send = (title: string, seconds: number) => {
    for (const endMs = seconds * 1_000, began = broadcast.newest ?? -1; ; ) {
      const frame = (broadcast.newest ?? -1) + 1
      if ((frame - began) * FRAME_MS > endMs) return
      take(air.chunk(19, [{ frame, positionMs: frame * FRAME_MS, ...about, title }]))
    }
  }
  const late = (codec: 'mp3' | 'aac' | 'opus', bitrate: number) =>
    titlesAt(broadcast, { codec, bitrate }, broadcast.newest!)!.includes('Ann - Before')
  send('Before', 20)
  send('Now', 2)
  t.ok(late('mp3', 128))
  t.notOk(late('opus', 128), 'Ogg has it where it belongs')
  send('Now', 1)
  t.notOk(late('mp3', 128))
  t.ok(late('mp3', 64))
  t.ok(late('aac', 128), 'frames of quiet sound are smaller')
  send('Now', 2)
  t.notOk(late('mp3', 64))
  t.ok(late('aac', 64))
  t.same(titlesAt(broadcast, { codec: 'mp3', bitrate: 64 }, broadcast.newest!)!.at(-1), 'Ann - Now')
})

t.test('a hole in the numbers is a fault where nothing else accounts for it', async (t) => {
  const follow = (sinceMs = Number.NEGATIVE_INFINITY) => {
    const air = handMadeAir(128, START_MS)
    let nowMs = 0
    const { broadcast, take } = createBroadcast('mp3', { sinceMs, now: () => nowMs })
    const send = (afterMs = 500, stretch = { number: 7, sample: 0 }) => {
      nowMs += afterMs
      take({ ...air.chunk(), stretch })
      return broadcast.leftOut
    }
    return { air, send, broadcast }
  }
  const { air, send } = follow()
  t.equal(send(), null)
  air.chunk(2)
  t.same(send(4_000), { after: 18, frames: 2, atMs: 4_500 })
  t.same(send(), { after: 18, frames: 2, atMs: 4_500 }, 'the numbers go on')

  const away = follow()
  away.send()
  away.air.chunk()
  t.equal(away.send(7_000), null, 'players had nothing left to play')

  const emptied = follow()
  emptied.send()
  emptied.air.jump({ frame: 1_000 })
  t.equal(
    emptied.send(500, { number: 8, sample: 1_000 * FRAME_SAMPLES }),
    null,
    'counted anew from the clock',
  )
  emptied.air.chunk()
  const anew = emptied.send(500, { number: 8, sample: 1_000 * FRAME_SAMPLES })
  t.match(anew, { after: 1_018, frames: 19 }, 'behind that, a fault')
  emptied.air.chunk()
  const late = emptied.send(500, { number: 9, sample: 1_057 * FRAME_SAMPLES })
  t.match(late, { after: 1_056, frames: 19 }, 'the first chunk of a stretch is missing')

  const before = follow(START_MS + 2_000)
  before.send()
  before.air.chunk()
  t.equal(before.send(), null, 'before the monitor listened')
  t.equal(before.broadcast.holes, 1)
})
