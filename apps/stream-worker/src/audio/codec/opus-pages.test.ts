import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type FrameChunk, type StreamMarker, writeOggPage } from '@solstice/station'
import t from 'tap'
import { decode } from '../../../../../tests/harness/audio/audio.ts'
import { logicalStreams } from '../../../../../tests/harness/audio/logical-streams.ts'
import { waiting } from '../../../../../tests/harness/until.ts'
import { startEncoderProcess } from './encoder-process.ts'
import { createOpusPager, createPacketCutter } from './opus-pages.ts'

const marker = (frame: number, title: string, artist = 'Ann'): StreamMarker => ({
  ...{ frame, entryId: title, trackId: `day/${title}.mp3`, title, artist },
  ...{ positionMs: 0, durationMs: null },
})
const packets = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => Buffer.alloc(20 + ((from + i) % 30), from + i))
const chunkOf = (
  pager: ReturnType<typeof createOpusPager>,
  [frame, frames]: [frame: number, frames: readonly Buffer[]],
  markers: StreamMarker[],
  after: StreamMarker | null = markers.at(-1) ?? null,
): FrameChunk => {
  const audio = pager.pages({ frame, frames, markers }, after)
  return { frame, frames: frames.length, atMs: 0, byte: 0, audio, markers }
}

t.test('a title begins a logical stream on its frame, and ends the one before', async (t) => {
  const pager = createOpusPager(null)
  const all = packets(0, 75)
  const first = chunkOf(pager, [1_000, all.slice(0, 25)], [marker(1_000, 'One')])
  const second = chunkOf(
    pager,
    [1_025, all.slice(25, 50)],
    [marker(1_025, 'One'), marker(1_037, 'Two'), { frame: 1_040, entryId: null }],
  )
  const third = chunkOf(pager, [1_050, all.slice(50)], [])
  const [one, two, silence, ...more] = logicalStreams(Buffer.concat([first.audio, second.audio, third.audio]))
  t.match(one, { serial: 1_000, preSkip: 0, tags: ['TITLE=One', 'ARTIST=Ann'], begin: 0, hasEnd: true })
  t.match(two, { serial: 1_037, tags: ['TITLE=Two', 'ARTIST=Ann'], begin: 0, hasEnd: true })
  t.match(silence, { serial: 1_040, tags: [], hasEnd: false })
  t.same(more, [])
  t.same(
    [one, two, silence].map((stream) => stream?.packets.length),
    [37, 3, 35],
  )
  t.same(
    [one, two, silence].flatMap((stream) => stream!.packets),
    all,
    'no packet is lost',
  )
})

t.test('a title that begins with the next chunk ends the stream at the end of this one', async (t) => {
  const pager = createOpusPager(null)
  const first = chunkOf(pager, [0, packets(0, 25)], [marker(0, 'One')], marker(25, 'Two'))
  const second = chunkOf(pager, [25, packets(25, 25)], [marker(25, 'Two')])
  const streams = logicalStreams(Buffer.concat([first.audio, second.audio]))
  t.match(streams, [{ hasEnd: true }, { serial: 25, tags: ['TITLE=Two', 'ARTIST=Ann'] }])
})

t.test('a jingle, behind which the title stays, changes nothing', async (t) => {
  const pager = createOpusPager(null)
  const same = marker(10, 'One')
  const { audio } = chunkOf(pager, [0, packets(0, 25)], [marker(0, ' One '), same])
  t.equal(logicalStreams(audio).length, 1)
})

t.test('another worker goes on with the logical stream of the last chunk', async (t) => {
  const before = createOpusPager(null)
  const chunks = [chunkOf(before, [50, packets(50, 25)], [marker(50, 'One')])]
  chunks.push(chunkOf(before, [75, packets(75, 24)], [marker(75, 'One')]))
  const taken = (last: FrameChunk, frame: number, title: string) => {
    const pager = createOpusPager(last)
    return chunkOf(pager, [frame, packets(frame, 60)], [marker(frame, title)]).audio
  }
  const body = Buffer.concat(chunks.map(({ audio }) => audio))
  const last = chunks.at(-1)!
  t.match(logicalStreams(Buffer.concat([body, taken(last, 99, 'One')])), [{ packets: { length: 109 } }])
  for (const [why, frame, title] of [
    ['frames were left out', 101, 'One'],
    ['the title is another', 99, 'Two'],
  ] as const)
    t.match(logicalStreams(Buffer.concat([body, taken(last, frame, title)])), [{}, { serial: frame }], why)
  const ended = chunkOf(before, [99, packets(99, 25)], [marker(99, 'One')], marker(124, 'Two'))
  const all = Buffer.concat([body, ended.audio, taken(ended, 124, 'One')])
  t.match(logicalStreams(all), [{ hasEnd: true }, { serial: 124 }], 'a stream that has ended is over')
})

t.test('packets are found wherever the output is cut', async (t) => {
  const all = packets(0, 4)
  const page = { mark: null, granule: 0, serial: 1, sequence: 2 } as const
  const output = Buffer.concat([
    writeOggPage({ ...page, mark: 'begin', packets: [Buffer.from('OpusHead')] }),
    writeOggPage({ ...page, packets: [Buffer.from('OpusTags')] }),
    ...all.map((packet) => writeOggPage({ ...page, packets: [packet] })),
  ])
  for (const size of [1, 7, 28, 100]) {
    const cut = createPacketCutter()
    const found: Buffer[] = []
    for (let at = 0; at < output.length; at += size) found.push(...cut(output.subarray(at, at + size)))
    t.same(found, all, `${size} bytes at a time`)
  }
})

t.test('the sound goes on over the begin of a logical stream as if there were none', async (t) => {
  const encoded: Buffer[] = []
  const came = waiting()
  const encoder = startEncoderProcess(
    { ffmpegPath: 'ffmpeg', mount: { codec: 'opus', bitrate: 64 } },
    (frames) => {
      encoded.push(...frames)
      came.changed()
    },
  )
  t.teardown(() => encoder.kill())
  const source = 'aevalsrc=0.3*sin(2*PI*t*440)+0.1*random(0)|0.3*sin(2*PI*t*660):s=44100:d=4'
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-loglevel', 'error', '-f', 'lavfi', '-i', source, '-f', 's16le', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 2 ** 20 },
  )
  encoder.write([stdout])
  await came.until('the sound is encoded', () => encoded.length >= 180)
  const frames = encoded.slice(0, 180)
  const bodyOf = (...titles: [frame: number, title: string][]) => {
    const markers = titles.map(([frame, title]) => marker(frame, title))
    return chunkOf(createOpusPager(null), [0, frames], markers).audio
  }
  const whole = await decode(bodyOf([0, 'One']), 'ogg')
  const parted = await decode(bodyOf([0, 'One'], [60, 'Two'], [61, 'Three'], [133, 'Four']), 'ogg')
  t.equal(whole.length, 180 * 882)
  t.same(parted, whole, 'every sample is the same')
})
