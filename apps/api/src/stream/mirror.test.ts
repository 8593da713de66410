import { Writable } from 'node:stream'
import { initialState } from '@solstice/playout'
import { FRAME_MS } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import type { Teardown } from '../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../tests/harness/until.ts'
import { createAirMirror } from './mirror.ts'
import { frameStarts, type Segment, titleAt } from './ring.ts'

function mirrored(t: Teardown) {
  const air = handMadeAir()
  const lines: { msg: string; expected?: number; frame?: number }[] = []
  const sink = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(line.toString()))
      done()
    },
  })
  const mirror = createAirMirror({
    bus: air.bus,
    config: { otherMounts: [] },
    log: pino({ level: 'warn' }, sink),
  })
  t.teardown(() => mirror.close())
  const segments: Segment[] = []
  mirror.onChunk((segment) => segments.push(segment))
  const mirrors = (count: number) => until(`${count} chunks are mirrored`, () => segments.length >= count)
  return { air, mirror, segments, lines, mirrors }
}

t.test('chunks that repeat or come late are ignored; a gap is logged and closed', async (t) => {
  const { air, mirror, segments, lines, mirrors } = mirrored(t)
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
  const counted = first.audio.length + second.audio.length
  t.equal(segments[2]!.byte, counted, 'the count of listeners goes on from what they were sent')
  t.equal(mirror.newestChunk, third)
})

t.test('a frame count that starts over after Redis was emptied is followed', async (t) => {
  const { air, segments, mirrors } = mirrored(t)
  air.jump({ frame: 10_000 })
  air.send()
  air.jump({ frame: 0, byte: 0 })
  air.send()
  await mirrors(2)
  t.equal(segments[1]!.chunk.frame, 0)
})

t.test(
  'a frame count that starts over at an earlier time is followed: the clock was set back too',
  async (t) => {
    const { air, mirror, segments, lines } = mirrored(t)
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
    await until('the last chunk is mirrored', () => mirror.newestChunk === last)
    t.same(
      segments.map(({ chunk }) => chunk),
      [before, first, second, third, last],
      'and its repeated chunks are ignored',
    )
    t.equal(lines.length, 2)
  },
)

t.test('the air is fresh until the newest sound ended 10 s ago', async (t) => {
  const { air, mirror, mirrors } = mirrored(t)
  t.notOk(mirror.isFresh(air.clock.nowMs()))
  const { atMs, frames } = air.send()
  await mirrors(1)
  const endMs = atMs + frames * FRAME_MS
  t.ok(mirror.isFresh(endMs + 10_000))
  t.notOk(mirror.isFresh(endMs + 10_001))
})

t.test('the ring keeps 30 s, and finds each frame in them', async (t) => {
  const { air, mirror, segments, mirrors } = mirrored(t)
  for (let i = 0; i < 100; i++) air.send()
  await mirrors(100)
  const { ring } = mirror
  const oldest = ring.since(60_000)!
  t.ok(segments[99]!.toMs - oldest.fromMs <= 30_000 && segments[99]!.toMs - oldest.fromMs > 29_000)
  t.equal(ring.holding(oldest.chunk.frame + 7)?.serial, oldest.serial)
  t.equal(ring.holding(oldest.chunk.frame - 1), null)
  t.equal(ring.at(oldest.serial - 1), null)
  t.equal(ring.at(100), null)
  t.equal(frameStarts(oldest.chunk.audio).length, 19)
  t.same(frameStarts(Buffer.from('no frames')), [0])
})

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
  const { air, mirror } = mirrored(t)
  const seen: unknown[] = []
  const unfollow = mirror.onState((state, before) => seen.push([state.seed, before?.seed]))
  const state = (seed: number) => initialState(seed, 'clock', { natural: 'day', changes: [] }, 0)
  air.say(state(1))
  await until('there is a state', () => mirror.state !== null)
  air.say(state(2))
  unfollow()
  air.say(state(3))
  t.same(seen, [
    [1, undefined],
    [2, 1],
  ])
  t.equal(mirror.state?.seed, 3)
})
