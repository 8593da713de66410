import t from 'tap'
import { createFrameFollower } from './follow-frames.ts'
import { createRepetitionFinder } from './repetition.ts'
import { createSoundMeter, METER_RATE } from './sound-meter.ts'
import { createTitleSplitter } from './split-titles.ts'

/** Stereo sound, 16 bit. */
function sine(seconds: number, dbfs: number, hz = 997): Buffer {
  const pcm = Buffer.alloc(seconds * METER_RATE * 4)
  const amplitude = 32_767 * 10 ** (dbfs / 20)
  for (let i = 0; i < pcm.length / 4; i++) {
    const sample = Math.round(amplitude * Math.sin((2 * Math.PI * hz * i) / METER_RATE))
    pcm.writeInt16LE(sample, i * 4)
    pcm.writeInt16LE(sample, i * 4 + 2)
  }
  return pcm
}

/** Bytes cut into pieces of odd sizes. */
function* cut(bytes: Buffer, size = 4_999) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** An MP3 frame of 128 kbit/s that holds a number. */
function frame(number: number): Buffer {
  const bytes = Buffer.alloc(417)
  bytes.set([0xff, 0xfb, 0x90, 0x00])
  bytes.writeUInt32BE(number, 8)
  return bytes
}

t.test('a tone of -23 dBFS on both sides is of -23 LUFS', async (t) => {
  const meter = createSoundMeter()
  for (const piece of cut(sine(59, -23))) meter.add(piece)
  t.equal(meter.minute, null, 'not before a minute')
  for (const piece of cut(sine(1, -23))) meter.add(piece)
  t.ok(Math.abs(meter.minute!.median + 23) < 0.1, String(meter.minute!.median))
  t.ok(Math.abs(meter.minute!.highest + 23) < 0.3, String(meter.minute!.highest))
})

t.test('silence is counted since the last sound, and clipping as a share of samples', async (t) => {
  const meter = createSoundMeter()
  meter.add(sine(2, -6))
  t.same([meter.silentMs, meter.clippedShare], [0, 0])
  meter.add(Buffer.alloc(METER_RATE * 4 * 3))
  t.equal(meter.silentMs, 3_000)
  meter.add(sine(1, -70))
  t.equal(meter.silentMs, 4_000, 'the noise of an encoder is silent')
  meter.add(sine(1, -6))
  t.equal(meter.silentMs, 0)
  meter.add(Buffer.alloc(METER_RATE * 4, Buffer.from([0xff, 0x7f])))
  t.ok(meter.clippedShare > 0.19 && meter.clippedShare < 0.21, String(meter.clippedShare))
})

t.test('frames are followed wherever the bytes are cut, and strange bytes are counted', async (t) => {
  const follow = createFrameFollower()
  const stream = Buffer.concat([
    Buffer.from([1, 0xff, 0xfb, 0x90, 0]),
    frame(1),
    frame(2),
    Buffer.alloc(7, 1),
    frame(3),
    Buffer.alloc(99),
    frame(4).subarray(0, 100),
  ])
  const found = [...cut(stream, 11)].map(follow)
  t.same(
    found.flatMap(({ frames }) => frames.map((one) => one.readUInt32BE(8))),
    [1, 2, 3],
  )
  t.equal(
    found.reduce((sum, { strayBytes }) => sum + strayBytes, 0),
    7,
  )
})

t.test('titles are taken out wherever the bytes are cut', async (t) => {
  const block = Buffer.alloc(1 + 32)
  block[0] = 2
  block.write("StreamTitle='Ann - One';", 1)
  const stream = Buffer.concat([
    Buffer.alloc(50, 1),
    block,
    Buffer.alloc(50, 2),
    Buffer.alloc(1),
    Buffer.alloc(9, 3),
  ])
  for (const size of [1, 7, 60, 1_000]) {
    const titles: string[] = []
    const split = createTitleSplitter(50, (title) => titles.push(title))
    const sound = Buffer.concat([...cut(stream, size)].map(split))
    t.same(titles, ['Ann - One'])
    t.ok(sound.equals(Buffer.concat([Buffer.alloc(50, 1), Buffer.alloc(50, 2), Buffer.alloc(9, 3)])))
  }
})

t.test('a block that comes again and again repeats; music, silence and a tone do not', async (t) => {
  const find = createRepetitionFinder()
  const play = (numbers: number[]) => numbers.map((number) => find(frame(number))).at(-1)!
  const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
  t.equal(play(range(0, 500)), 0)
  t.ok(play(range(300, 150)) > 3_000, 'sound of before')
  t.equal(play([10_000]), 0, 'new sound')
  t.equal(play(Array(300).fill(7)), 0, 'silence')
  t.ok(play(Array.from({ length: 8 }, () => range(20_000, 30)).flat()) > 3_000, 'a stuck block')
})
