import { FRAME_MS } from '@solstice/station'
import t from 'tap'
import { adtsFrame, handMadeAir, opusPacket } from '../../../../../tests/harness/air/hand-made-air.ts'
import { createComparison, printOf } from './comparison.ts'
import { PCM_RATE } from './decoder.ts'
import { createFrameFollower, framesIn } from './frames.ts'
import { LOOP_SEARCH_MS, loopIn, repeatsAt } from './loops.ts'
import { createRecentSound } from './recent-sound.ts'
import { createRepetitionFinder } from './repetition.ts'
import { createSoundMeter } from './sound-meter.ts'
import { createTitleSplitter } from './split-titles.ts'

/** Stereo sound, 16 bit. */
function sine(seconds: number, dbfs: number, hz = 997): Buffer {
  const pcm = Buffer.alloc(seconds * PCM_RATE * 4)
  const amplitude = 32_767 * 10 ** (dbfs / 20)
  for (let i = 0; i < pcm.length / 4; i++) {
    const sample = Math.round(amplitude * Math.sin((2 * Math.PI * hz * i) / PCM_RATE))
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
  meter.add(Buffer.alloc(PCM_RATE * 4 * 3))
  t.equal(meter.silentMs, 3_000)
  meter.add(sine(1, -70))
  t.equal(meter.silentMs, 4_000, 'the noise of an encoder is silent')
  meter.add(sine(1, -6))
  t.equal(meter.silentMs, 0)
  meter.add(Buffer.alloc(PCM_RATE * 4, Buffer.from([0xff, 0x7f])))
  t.ok(meter.clippedShare > 0.19 && meter.clippedShare < 0.21, String(meter.clippedShare))
})

t.test('frames are followed wherever the bytes are cut, and strange bytes are counted', async (t) => {
  const follow = createFrameFollower('mp3')
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
  const play = (numbers: number[]) => numbers.map((number) => find(frame(number))).at(-1)
  const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
  t.equal(play(range(0, 500)), null)
  t.same(play(range(300, 100)), { lengthMs: 100 * FRAME_MS, lagMs: 200 * FRAME_MS }, 'sound of before')
  t.equal(play([10_000]), null, 'new sound')
  t.equal(play(Array(300).fill(7)), null, 'silence')
  const block = range(20_000, 30)
  t.match(play(Array.from({ length: 8 }, () => block).flat()), { lagMs: 30 * FRAME_MS }, 'a stuck block')
})

t.test('frames of AAC and packets of Opus are followed as well, with the titles in Ogg', async (t) => {
  const aac = Array.from({ length: 5 }, (_, i) => adtsFrame(i, 64))
  const followAac = createFrameFollower('aac')
  const foundAac = [...cut(Buffer.concat([Buffer.from([7]), ...aac]), 13)].flatMap(
    (piece) => followAac(piece).frames,
  )
  t.same(foundAac, aac)

  const air = handMadeAir(64, 1_000_000, 'opus')
  const marker = {
    frame: 0,
    entryId: 'a',
    trackId: 'a',
    title: 'One',
    artist: 'Ann',
    positionMs: 0,
    durationMs: null,
  }
  const { audio } = air.chunk(25, [marker])
  const followOpus = createFrameFollower('opus')
  const found = [...cut(audio, 17)].map(followOpus)
  const packets = Array.from({ length: 25 }, (_, i) => opusPacket(i, 64))
  t.same(
    found.flatMap(({ frames }) => frames),
    packets,
  )
  t.same(framesIn('opus', audio), packets)
  t.same(
    found.flatMap(({ title }) => title ?? []),
    ['Ann - One'],
  )
  t.equal(
    found.reduce((sum, { strayBytes }) => sum + strayBytes, 0),
    0,
  )
})

/** Noise that never comes again: each call goes on with it. */
function noiseSource() {
  let seed = 1
  return (seconds: number): Buffer => {
    const pcm = Buffer.alloc(Math.round(seconds * PCM_RATE) * 4)
    let value = 0
    for (let at = 0; at < pcm.length; at += 4) {
      seed = (seed * 48_271) % 2_147_483_647
      value += ((seed / 2_147_483_647) * 2 - 1 - value) * 0.1
      pcm.writeInt16LE(Math.round(value * 20_000), at)
      pcm.writeInt16LE(Math.round(value * 20_000), at + 2)
    }
    return pcm
  }
}

t.test(
  'a block that a decoder repeats is found by its length, and music that repeats is told apart',
  async (t) => {
    const noise = noiseSource()
    t.equal(loopIn(noise(LOOP_SEARCH_MS / 1000)), null)
    const block = noise(0.37)
    const stuck = Buffer.concat(Array<Buffer>(12).fill(block))
    const lagMs = loopIn(stuck)
    t.ok(lagMs !== null && Math.abs(lagMs - 370) < 2, String(lagMs))
    t.equal(
      loopIn(Buffer.concat([noise(2), Buffer.concat(Array<Buffer>(6).fill(block))])),
      null,
      'for less than 2 s',
    )
    t.notOk(repeatsAt(noise(4.2), lagMs!), 'the file goes on')
    t.ok(repeatsAt(stuck, lagMs!), 'so does the file')
    t.ok(repeatsAt(Buffer.concat([stuck, noise(1)]), lagMs!), 'a loop that ends in this second')
    t.ok(repeatsAt(noise(1), lagMs!), 'too short to tell')
    t.equal(loopIn(Buffer.alloc(LOOP_SEARCH_MS * 200)), null, 'silence')
  },
)

t.test('the last sound is kept, however it came', async (t) => {
  const recent = createRecentSound(100)
  t.equal(recent.last(50).length, 0)
  const sound = Buffer.from(Array.from({ length: 30_000 }, (_, i) => i % 251))
  for (const piece of cut(sound, 777)) recent.add(piece)
  t.ok(recent.last(50).equals(sound.subarray(30_000 - 8_820)))
  recent.add(sound)
  t.ok(recent.last(90).equals(sound.subarray(30_000 - 15_876)), 'more than is kept at once')
})

/** A broadcast that knows the frames that were sent, the first of which has the number 100. */
function sentFrames(make = frame) {
  const sent = new Map<number, string>()
  let newest: number | null = null
  const broadcast = {
    frameMs: 26,
    get newest() {
      return newest
    },
    printOf: (number: number) => sent.get(number),
    following: (number: number) => number + 1,
  }
  const send = (count: number) => {
    for (let i = 0; i < count; i++) {
      newest = (newest ?? 99) + 1
      sent.set(newest, printOf(make(newest)))
    }
  }
  return { broadcast, send }
}

t.test('frames are held against the broadcast by their numbers', async (t) => {
  const { broadcast, send } = sentFrames()
  const heard = createComparison(broadcast, 100)
  for (let number = 100; number < 120; number++) heard.add(frame(number))
  t.match(heard.look(), { differingMs: 0, sameMs: 0, behindMs: 0 }, 'nothing is known yet')
  send(10)
  t.match(heard.look(), { differingMs: 0, sameMs: 260, behindMs: -260 })
  send(10)
  t.match(heard.look(), { sameMs: 520, behindMs: 0 })
  for (let number = 120; number < 140; number++) heard.add(frame(number + 1_000))
  send(50)
  t.match(heard.look(), { differingMs: 520, sameMs: 0, behindMs: 30 * 26 })
  for (let number = 140; number < 142; number++) heard.add(frame(number))
  t.match(heard.look(), { differingMs: 0, sameMs: 52 })
})

t.test('frames that are left out between two others are counted, also again and again', async (t) => {
  const { broadcast, send } = sentFrames()
  send(400)
  const heard = createComparison(broadcast, 100)
  const hear = (from: number, to: number) => {
    for (let number = from; number < to; number++) heard.add(frame(number))
    return heard.look()
  }
  t.equal(hear(100, 140).leftOut, null)
  t.match(hear(143, 148), { leftOut: null, differingMs: 130 }, 'too few to tell')
  t.match(hear(148, 200), { leftOut: { after: 139, frames: 3 }, differingMs: 0, behindMs: 300 * 26 })
  t.equal(hear(200, 220).leftOut, null, 'once')
  t.match(hear(320, 340), { leftOut: { after: 219, frames: 100 }, differingMs: 0 })
  t.equal(heard.newest, 339)
  hear(341, 361)
  t.match(hear(365, 400), { leftOut: { after: 360, frames: 4 } })
  t.equal(hear(380, 400).leftOut, null, 'frames that come again are another fault')
})

t.test('who begins with another frame than it says has left out none', async (t) => {
  const { broadcast, send } = sentFrames()
  send(100)
  const heard = createComparison(broadcast, 100)
  for (let number = 105; number < 150; number++) heard.add(frame(number))
  t.match(heard.look(), { leftOut: null, differingMs: 45 * 26 })
})

t.test('silence instead of sound is another fault, also when it is broadcast later', async (t) => {
  const { broadcast, send } = sentFrames((number) => frame(number < 150 ? number : 0))
  send(100)
  const heard = createComparison(broadcast, 100)
  for (let number = 100; number < 120; number++) heard.add(frame(number))
  for (let i = 0; i < 20; i++) heard.add(frame(0))
  t.match(heard.look(), { leftOut: null, differingMs: 20 * 26 })
})
