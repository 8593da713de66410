import { codecs, FRAME_MS, type FrameChunk, type StreamMarker } from '@solstice/station'
import t from 'tap'
import { frameOf, handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { bridge, frame, leadIn, METADATA_INTERVAL, markerTitle, metadataBlock, placeIn } from './icy.ts'
import { createRing, frameStarts, titleAt } from './ring.ts'

/** Reads the title from a block as most players do: up to the first `';`. */
function shown(block: Buffer): string {
  const text = block.subarray(1).toString('utf8').replace(/\0+$/, '')
  return /^StreamTitle='(.*?)';/s.exec(text)![1]!
}

/** Takes the blocks out of what a listener got from its first byte on. @throws when one is not where it has to be. */
function unframe(bytes: Buffer): { audio: Buffer; titles: string[] } {
  const audio: Buffer[] = []
  const titles: string[] = []
  for (let at = 0; at < bytes.length; ) {
    audio.push(bytes.subarray(at, at + METADATA_INTERVAL))
    at += METADATA_INTERVAL
    if (at >= bytes.length) break
    const end = at + 1 + bytes[at]! * 16
    titles.push(shown(bytes.subarray(at, end)))
    at = end
  }
  return { audio: Buffer.concat(audio), titles }
}

/** Numbers below a limit, the same in every run. */
function seeded(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

t.test('blocks come at the same bytes of the broadcast, however it is cut into chunks', async (t) => {
  const random = seeded(7)
  const audio = Buffer.from(Array.from({ length: 120_000 }, (_, i) => 1 + ((i * 31 + (i >> 8)) % 255)))
  const whole = frame(audio, 0, () => 'same').bytes
  for (let round = 0; round < 50; round++) {
    const origin = random(5) * METADATA_INTERVAL
    const parts: Buffer[] = []
    for (let at = 0; at < audio.length; ) {
      const length = 1 + random(random(4) === 0 ? 40_000 : 9_000)
      parts.push(frame(audio.subarray(at, at + length), origin + at, () => 'same').bytes)
      at += length
    }
    if (!Buffer.concat(parts).equals(whole)) t.fail(`round ${round}`)
  }
  t.equal(whole[0], metadataBlock('same')[0], 'the first block stands before byte 0')
})

t.test('wherever a listener joins or jumps to, its blocks come when it expects them', async (t) => {
  const random = seeded(11)
  const audio = Buffer.alloc(60_000, 1)
  for (let round = 0; round < 300; round++) {
    const position = random(3) === 0 ? random(4) * METADATA_INTERVAL : random(100_000)
    const length = 1 + random(audio.length)
    const chunk = frame(audio.subarray(0, length), position, () => 'title')
    const from = random(3) === 0 ? (chunk.joins[0]?.audio ?? 0) : random(length)
    const got = [leadIn(position + from, 'behind the block'), chunk.bytes.subarray(placeIn(chunk, from))]
    let end = position + length
    if (random(2) === 0) {
      const target = end + random(300_000)
      got.push(...bridge(end, target, 'title'))
      end = target
    }
    got.push(frame(audio, end, () => 'title').bytes)
    const { audio: heard, titles } = unframe(Buffer.concat(got))
    if (titles.some((title) => title !== 'title')) t.fail(`round ${round}: ${titles}`)
    let sound = 0
    for (const byte of heard) sound += byte
    if (sound !== length - from + audio.length) t.fail(`round ${round}`)
  }
  const behind = Buffer.concat([
    leadIn(32_000, 'before the block'),
    frame(audio, 32_000, () => 'title').bytes,
  ])
  t.ok(unframe(behind).titles.every((title) => title === 'title'))
})

t.test('a block is a length and quoted text, padded with zeros to 16 bytes', async (t) => {
  t.same(
    metadataBlock('Ann - One'),
    Buffer.concat([Buffer.from([2]), Buffer.from("StreamTitle='Ann - One';".padEnd(32, '\0'))]),
  )
  t.equal(metadataBlock('x'.repeat(15 + 1)).length, 33)
  t.equal(shown(metadataBlock('')), '')
})

t.test('no title breaks out of its quotes, its line or its block', async (t) => {
  const titles = [
    "'; StreamUrl='javascript:alert(1)';",
    "a';b';c",
    "'\u0000;StreamUrl='x",
    "'\r;StreamUrl='x",
    "'\u202e;StreamUrl='x",
    'one\r\nIcy-Name: two\u2028three',
    "';".repeat(3_000),
    'ї'.repeat(3_000),
    '👩‍🚀'.repeat(2_000),
    '\ud800 half',
  ]
  for (const title of titles) {
    const block = metadataBlock(title)
    t.equal(block.length, 1 + block[0]! * 16)
    const text = block.subarray(1).toString('utf8').replace(/\0+$/, '')
    t.ok(text.endsWith("';") && text.indexOf("';") === text.length - 2, `one end: ${text.slice(0, 60)}`)
    t.notMatch(text, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
    t.notOk(text.includes('\ufffd\ufffd'), 'cut between characters')
  }
  t.equal(shown(metadataBlock("Rock'n'Roll; it's")), "Rock'n'Roll; it's", 'what does no harm stays as it is')
  t.equal(shown(metadataBlock("Ann'")), "Ann'")
})

t.test('the title is artist and title, or the one that is known', async (t) => {
  t.equal(markerTitle({ artist: 'Ann', title: 'One' }), 'Ann - One')
  t.equal(markerTitle({ artist: ' ', title: 'One' }), 'One')
  t.equal(markerTitle({ frame: 1, entryId: null }), '')
  t.equal(markerTitle(null), '')
})

t.test('the title at a byte is that of the frame which contains it', async (t) => {
  // MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame.
  const frameOf417 = Buffer.concat([Buffer.of(0xff, 0xfb, 0x90, 0), Buffer.alloc(413)])
  const audio = Buffer.concat([frameOf417, frameOf417, frameOf417])
  const marker = (frame: number, title: string) => ({
    frame,
    entryId: title,
    trackId: title,
    artist: '',
    title,
  })
  const chunk = {
    frame: 100,
    frames: 3,
    atMs: 100 * FRAME_MS,
    byte: 0,
    audio,
    markers: [marker(99, 'before'), marker(101, 'from the second on')],
  } as unknown as FrameChunk
  const [, second = 0] = frameStarts(audio)
  t.equal(second, 417)
  t.equal(titleAt(chunk, second - 1), 'before')
  t.equal(titleAt(chunk, second), 'from the second on')
})

for (const codec of ['mp3', 'aac'] as const) {
  t.test(`${codec}: a block tells the title of the frame that it stands in`, async (t) => {
    const air = handMadeAir(128, 0, codec)
    const ring = createRing(30_000, codecs[codec])
    const titled = (frame: number): StreamMarker => ({
      ...{ frame, entryId: 'e', trackId: 'e', artist: '', title: `from ${frame}` },
      ...{ positionMs: 0, durationMs: null },
    })
    // A title for every frame, so that a neighbour would be told.
    const chunks = [7, 60, 1, 90, 42].map((frames, i, all) => {
      const first = all.slice(0, i).reduce((sum, count) => sum + count, 0)
      return ring.add(
        air.chunk(
          frames,
          Array.from({ length: frames }, (_, k) => titled(first + k)),
        ),
      )
    })
    const { titles } = unframe(
      Buffer.concat([leadIn(0, 'before the block'), ...chunks.map((one) => one.framed.bytes)]),
    )
    const ends: number[] = []
    for (let frame = 0; frame < 200; frame++)
      ends.push((ends.at(-1) ?? 0) + frameOf[codec](frame, 128).length)
    const standsIn = titles.map((_, i) => ends.findIndex((end) => end > i * METADATA_INTERVAL))
    t.ok(titles.length >= 4, `${titles.length} blocks`)
    t.same(
      titles,
      standsIn.map((frame) => `from ${frame}`),
    )
  })
}
