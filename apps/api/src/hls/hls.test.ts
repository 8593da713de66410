import type { Failure } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { until } from '../../../../tests/harness/until.ts'
import { createAirMirror } from '../stream/mirror.ts'
import { openHls } from './hls.ts'

const MOUNTS = [
  { id: 'mp3-128', codec: 'mp3', bitrate: 128, perSegment: 232 },
  { id: 'mp3-64', codec: 'mp3', bitrate: 64, perSegment: 232 },
  { id: 'aac-64', codec: 'aac', bitrate: 64, perSegment: 261 },
] as const
const BEGAN_MS = 1_000_000
/** A segment, and the minute in which its playlist is current. */
const CURRENT_MS = 6_060 + 60_000

const codeOf = (work: () => unknown) => {
  try {
    work()
    return 'OK'
  } catch (error) {
    return (error as Failure).code
  }
}

t.test('a playlist without a new segment for a minute is refused, each mount by itself', async (t) => {
  const airs = new Map<string, ReturnType<typeof handMadeAir>>()
  for (const { id, codec, bitrate, perSegment } of MOUNTS) {
    const air = handMadeAir(bitrate, BEGAN_MS, codec)
    air.jump({ frame: 7 * perSegment })
    airs.set(id, air)
  }
  const first = airs.get('mp3-128')!
  const mirror = createAirMirror({
    bus: { ...first.bus, frames: (signal, id = 'mp3-128') => airs.get(id)!.bus.frames(signal) },
    config: { otherMounts: MOUNTS.slice(1) },
    log: pino({ level: 'silent' }),
  })
  t.teardown(() => mirror.close())
  let nowMs = BEGAN_MS
  let aheadMs = 0
  const hls = openHls({
    mirror,
    clock: { nowMs: () => nowMs, aheadMs: () => aheadMs },
    config: { streamMode: false, streamBitrate: 128 },
    hlsListeners: { note: async () => 0 },
  })
  t.teardown(() => hls.close())
  const variants = () => hls.master('me').match(/^\w+-\d+(?=\/)/gm)

  t.equal(codeOf(variants), 'STREAM_NOT_READY', 'nothing yet')
  for (const { id, perSegment } of MOUNTS) {
    t.equal(
      codeOf(() => hls.playlist(id)),
      'STREAM_NOT_READY',
      id,
    )
    const air = airs.get(id)!
    air.send(air.chunk(perSegment - 1))
    air.send(air.chunk(1))
  }
  const ids = MOUNTS.map(({ id }) => id)
  const there = async () =>
    (await Promise.all(ids.map((id) => hls.segment(id, 7).catch(() => null)))).every(Boolean)
  await until('the first segment of each', there)
  t.same(variants(), ids)

  for (const { id, perSegment } of MOUNTS.slice(1)) airs.get(id)!.send(airs.get(id)!.chunk(perSegment))
  await until('one more of the others', () => ids.slice(1).every((id) => /^8\./m.test(hls.playlist(id).text)))
  nowMs = BEGAN_MS + CURRENT_MS
  t.match(hls.playlist('mp3-128').text, /^7\.mp3$/m)
  nowMs += 1
  t.equal(
    codeOf(() => hls.playlist('mp3-128')),
    'STREAM_NOT_READY',
  )
  t.same(variants(), ids.slice(1), 'it is not offered, either')
  t.equal((await hls.segment('mp3-128', 7)).number, 7, 'what it listed is there')

  const dated = (id: string) => {
    const { text, etag } = hls.playlist(id)
    return { date: Date.parse(/DATE-TIME:(.*)/.exec(text)![1]!), etag }
  }
  const before = dated('aac-64')
  aheadMs = -3_600_000
  const after = dated('aac-64')
  t.equal(after.date - before.date, 3_600_000, 'dates are those of the wall clock, also when it was set')
  t.not(after.etag, before.etag)

  nowMs += 6_061
  for (const id of ids)
    t.equal(
      codeOf(() => hls.playlist(id)),
      'STREAM_NOT_READY',
      id,
    )
  t.equal(codeOf(variants), 'STREAM_NOT_READY')
  first.jump({ frame: 100 * 232, atMs: nowMs })
  first.send(first.chunk(232))
  await until('sound is back', () => codeOf(() => hls.playlist('mp3-128')) === 'OK')
  t.same(variants(), ['mp3-128'])
})
