import { Writable } from 'node:stream'
import { initialState } from '@solstice/playout'
import { codecs, type Mount, mountId } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import type { Teardown } from '../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../tests/harness/until.ts'
import { createAirMirror } from './mirror.ts'
import type { MountMirror } from './mount-mirror.ts'
import { frameStarts, type Segment, titleAt } from './ring.ts'

/** Mounts that are tested alike: the first, one beside it, and the other codecs. */
const mounts = [
  { name: 'the first MP3', codec: 'mp3', bitrate: 128, isBeside: false },
  { name: 'another MP3', codec: 'mp3', bitrate: 64, isBeside: true },
  { name: 'AAC', codec: 'aac', bitrate: 64, isBeside: true },
  { name: 'Opus', codec: 'opus', bitrate: 64, isBeside: true },
] as const

/** A mirror of the first mount, or of one beside it, whose air is made by hand. */
function mirrored(t: Teardown, { isBeside, ...mount }: Mount & { isBeside: boolean } = mounts[0]) {
  const air = handMadeAir(mount.bitrate, undefined, mount.codec)
  const first = isBeside ? handMadeAir() : air
  const lines: { msg: string; expected?: number; frame?: number; mount?: string }[] = []
  const sink = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(line.toString()))
      done()
    },
  })
  const all = createAirMirror({
    bus: { ...first.bus, frames: (signal, id) => (id ? air : first).bus.frames(signal) },
    config: { otherMounts: isBeside ? [mount] : [] },
    log: pino({ level: 'warn' }, sink),
  })
  t.teardown(() => all.close())
  const mirror: MountMirror = isBeside ? all.others[0]!.mirror : all
  const segments: Segment[] = []
  mirror.onChunk((segment) => segments.push(segment))
  const mirrors = (count: number) => until(`${count} chunks are mirrored`, () => segments.length >= count)
  return { air, all, mirror, segments, lines, mirrors }
}

for (const { name, ...mount } of mounts) {
  const { frameMs, contentType } = codecs[mount.codec]

  t.test(`${name}: chunks that repeat or come late are ignored; a gap is logged and closed`, async (t) => {
    const { air, mirror, segments, lines, mirrors } = mirrored(t, mount)
    const first = air.send()
    const second = air.send()
    air.send(first)
    air.send(second)
    air.jump({ frame: 100, byte: 50_000 })
    const third = air.send()
    await mirrors(3)
    t.same(
      segments.map(({ chunk }) => chunk.frame),
      [0, 19, 100],
    )
    t.match(lines, [{ msg: 'gap in the broadcast', expected: 38, frame: 100 }])
    t.equal(lines[0]?.mount, mount.isBeside ? mountId(mount) : undefined)
    const counted = first.audio.length + second.audio.length
    t.equal(segments[2]!.byte, counted, 'the count of listeners goes on from what they were sent')
    t.match(mirror.newestChunk, { frame: third.frame, atMs: third.atMs })
  })

  t.test(`${name}: all that Redis keeps may come again, and nothing is heard twice`, async (t) => {
    const { air, segments, lines, mirrors } = mirrored(t, mount)
    const sent = Array.from({ length: Math.floor(28_000 / (19 * frameMs)) }, () => air.send())
    for (const chunk of sent) air.send(chunk)
    air.send()
    await mirrors(sent.length + 1)
    t.equal(segments.at(-1)!.chunk.frame, sent.length * 19)
    t.same(lines, [])
  })

  t.test(`${name}: a frame count that starts over after Redis was emptied is followed`, async (t) => {
    const { air, segments, mirrors } = mirrored(t, mount)
    air.jump({ frame: 10_000 })
    air.send()
    air.jump({ frame: 0, byte: 0 })
    air.send()
    await mirrors(2)
    t.equal(segments[1]!.chunk.frame, 0)
  })

  t.test(
    `${name}: a frame count that starts over at an earlier time is followed: the clock was set back too`,
    async (t) => {
      const { air, mirror, segments, lines } = mirrored(t, mount)
      air.jump({ frame: 10_000 })
      const before = air.send()
      air.jump({ frame: 0, byte: 0, atMs: before.atMs - 8 * 3_600_000 })
      const first = air.send()
      const second = air.send()
      air.send(first)
      air.send(second)
      const third = air.send()
      air.jump({ frame: 20_000, atMs: before.atMs + 1_000 })
      const last = air.send()
      await until('the last chunk is mirrored', () => mirror.newestChunk?.frame === last.frame)
      t.same(
        segments.map(({ chunk }) => chunk.frame),
        [before, first, second, third, last].map(({ frame }) => frame),
        'and its repeated chunks are ignored',
      )
      t.equal(lines.length, 2)
    },
  )

  t.test(`${name}: the air is fresh until the newest sound ended 10 s ago`, async (t) => {
    const { air, mirror, mirrors } = mirrored(t, mount)
    t.notOk(mirror.isFresh(air.clock.nowMs()))
    const { atMs, frames } = air.send()
    await mirrors(1)
    const endMs = atMs + frames * frameMs
    t.ok(mirror.isFresh(endMs + 10_000))
    t.notOk(mirror.isFresh(endMs + 10_001))
  })

  t.test(`${name}: the ring keeps 30 s, and finds each frame in them`, async (t) => {
    const { air, mirror, segments, mirrors } = mirrored(t, mount)
    const chunks = Math.ceil(40_000 / (19 * frameMs))
    for (let i = 0; i < chunks; i++) air.send()
    await mirrors(chunks)
    const { ring } = mirror
    const oldest = ring.since(60_000)!
    const keptMs = segments.at(-1)!.toMs - oldest.fromMs
    t.ok(keptMs <= 30_000 && keptMs > 29_000, `${keptMs} ms`)
    t.ok(
      Math.abs(segments.at(-1)!.chunk.atMs - oldest.chunk.atMs + 19 * frameMs - keptMs) < 1,
      'of its sound',
    )
    t.equal(ring.holding(oldest.chunk.frame + 7)?.serial, oldest.serial)
    t.equal(ring.holding(oldest.chunk.frame - 1), null)
    t.equal(ring.at(oldest.serial - 1), null)
    t.equal(ring.at(chunks), null)
    t.equal(frameStarts(oldest.chunk.audio).length, 19)
    t.same(frameStarts(Buffer.from('no frames')), [0])
    t.equal(ring.isOgg, contentType === 'audio/ogg')
  })
}

t.test('a title ends at the frame where silence begins', async (t) => {
  const air = handMadeAir()
  const about = { trackId: 'day/one.mp3', title: 'One', artist: 'Ann', positionMs: 0, durationMs: null }
  const chunk = air.chunk(19, [
    { frame: 5, entryId: 'e1', ...about },
    { frame: 10, entryId: null },
  ])
  const titles = frameStarts(chunk.audio).map((byte) => titleAt(chunk, byte))
  t.same(titles, [...Array(5).fill(''), ...Array(5).fill('Ann - One'), ...Array(9).fill('')])
})

t.test('followers of the state get each one with the one before', async (t) => {
  const { air, all } = mirrored(t)
  const seen: unknown[] = []
  const unfollow = all.onState((state, before) => seen.push([state.seed, before?.seed]))
  const state = (seed: number) => initialState(seed, 'clock', { natural: 'day', changes: [] }, 0)
  air.say(state(1))
  await until('there is a state', () => all.state !== null)
  air.say(state(2))
  unfollow()
  air.say(state(3))
  t.same(seen, [
    [1, undefined],
    [2, 1],
  ])
  t.equal(all.state?.seed, 3)
})
