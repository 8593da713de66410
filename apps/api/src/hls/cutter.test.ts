import type { FrameChunk, StreamMarker } from '@solstice/station'
import t from 'tap'
import { frameNumbers, handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { createCutter, SEGMENT_SAMPLES } from './cutter.ts'

const FRAMES = { mp3: SEGMENT_SAMPLES / 1152, aac: SEGMENT_SAMPLES / 1024 } as const
const song = (frame: number, title: string): StreamMarker => ({
  frame,
  entryId: title,
  trackId: title,
  title,
  artist: `Artist of ${title}`,
  positionMs: 0,
  durationMs: null,
})
const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

/** An air that is about to begin with a frame. */
function airAt(frame: number, codec: 'mp3' | 'aac' = 'mp3') {
  const air = handMadeAir(128, 1_000_000, codec)
  air.jump({ frame })
  return air
}

for (const codec of ['mp3', 'aac'] as const) {
  const per = FRAMES[codec]
  t.test(`${codec}: a segment is the frames from n × ${per} on, however chunks are cut`, (t) => {
    const air = airAt(7 * per - 40, codec)
    const pieces = [19, 19, 5, per - 10, 19, 300, 7, 1, 400].map((frames) => air.chunk(frames))
    const whole = pieces.flatMap(createCutter({ codec, bitrate: 128 }))
    t.same(
      whole.map(({ number }) => number),
      numbersFrom(7, whole.length),
    )
    t.ok(whole.length >= 3)
    for (const { number, bytes, atMs } of whole) {
      const audio = bytes.subarray(bytes.indexOf(0xff))
      t.same(frameNumbers(audio, 128, codec), numbersFrom(number * per, per))
      const frameMs = (SEGMENT_SAMPLES / per / 44_100) * 1000
      t.ok(Math.abs(atMs - (1_000_000 + (number * per - (7 * per - 40)) * frameMs)) < 0.01)
    }
    t.end()
  })
}

t.test('whoever begins later, or gets other chunks, cuts the same bytes', (t) => {
  const cutAll = (sizes: number[], from: number) => {
    const air = airAt(from)
    const markers = () => [song(0, 'One')]
    return sizes
      .map((frames) => air.chunk(frames, markers()))
      .flatMap(createCutter({ codec: 'mp3', bitrate: 128 }))
  }
  const early = cutAll(Array(60).fill(19), 5 * FRAMES.mp3 - 100)
  const late = cutAll(Array(30).fill(31), 6 * FRAMES.mp3 - 3)
  t.equal(early[0]!.number, 5)
  t.equal(late[0]!.number, 6)
  t.same(early[1]!.bytes, late[0]!.bytes)
  t.equal(early[1]!.etag, late[0]!.etag)
  t.not(early[0]!.etag, early[1]!.etag)
  t.end()
})

t.test('a segment that lacks a frame is left out', (t) => {
  const air = airAt(3 * FRAMES.mp3)
  const chunks: FrameChunk[] = [air.chunk(300)]
  air.jump({ frame: 3 * FRAMES.mp3 + 301 })
  chunks.push(air.chunk(600))
  const whole = chunks.flatMap(createCutter({ codec: 'mp3', bitrate: 128 }))
  t.same(
    whole.map(({ number }) => number),
    [3, 5],
  )
  t.end()
})

t.test('a segment names the song that its middle belongs to', (t) => {
  const begin = 4 * FRAMES.mp3
  const titles = (changesAt: number) => {
    const air = airAt(begin)
    const markers = [song(begin, 'One'), song(begin + changesAt, 'Two')]
    const [segment] = createCutter({ codec: 'mp3', bitrate: 128 })(air.chunk(FRAMES.mp3, markers))
    return /TIT2.{7}(\w+)TPE1.{7}([\w ]+)\xff/s.exec(segment!.bytes.toString('latin1'))!.slice(1)
  }
  t.same(titles(116), ['Two', 'Artist of Two'])
  t.same(titles(117), ['One', 'Artist of One'])
  const [silent] = createCutter({ codec: 'mp3', bitrate: 128 })(airAt(begin).chunk(FRAMES.mp3))
  t.notOk(silent!.bytes.includes('TIT2'))
  t.end()
})

t.test('a segment belongs to the stretch of its first sample', (t) => {
  const begin = 4 * FRAMES.mp3
  const stretchOf = (sample: number) => {
    const chunk = { ...airAt(begin).chunk(FRAMES.mp3), stretch: { number: 12, sample } }
    return createCutter({ codec: 'mp3', bitrate: 128 })(chunk)[0]!.stretch
  }
  t.equal(stretchOf(4 * SEGMENT_SAMPLES), 12)
  t.equal(stretchOf(4 * SEGMENT_SAMPLES + 1), 11)
  const [old] = createCutter({ codec: 'mp3', bitrate: 128 })(airAt(begin).chunk(FRAMES.mp3))
  t.equal(old!.stretch, 0, 'of an earlier version')
  t.end()
})
