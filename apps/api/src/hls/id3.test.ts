import t from 'tap'
import { segmentTag } from './id3.ts'

t.test('a tag has the time of the first sample in 90 kHz and 33 bits', (t) => {
  for (const [sample, ticks] of [
    [0, 0n],
    [441, 900n],
    [44_100 * 3_600, 324_000_000n],
    // Frames are numbered from the clock: a second past the 2^33rd tick, and a number of today.
    [Math.ceil((2 ** 33 * 44_100) / 90_000) + 44_100, 90_001n],
    [1_800_000_000 * 44_100, (1_800_000_000n * 90_000n) % 2n ** 33n],
  ] as const) {
    const tag = segmentTag({ sample, title: '', artist: '' })
    t.same(tag.subarray(0, 6), Buffer.from([0x49, 0x44, 0x33, 4, 0, 0]), 'ID3v2.4 without flags')
    t.equal(tag.length, 10 + 10 + 45 + 8)
    t.equal(tag.toString('latin1', 10, 14), 'PRIV')
    t.equal(tag.toString('latin1', 20, 65), 'com.apple.streaming.transportStreamTimestamp\0')
    t.equal(tag.readBigUInt64BE(65), ticks, `sample ${sample}`)
  }
  t.end()
})

t.test('titles are UTF-8, on one line, and bounded; lengths have seven bits a byte', (t) => {
  const tag = segmentTag({ sample: 0, title: 'Тиха\r\nніч', artist: 'ї'.repeat(600) })
  const title = Buffer.from('Тиха ніч')
  const at = tag.indexOf('TIT2')
  t.same(tag.subarray(at + 4, at + 10), Buffer.from([0, 0, 0, 1 + title.length, 0, 0]))
  t.equal(tag[at + 10], 3)
  t.same(tag.subarray(at + 11, at + 11 + title.length), title)
  const artistAt = tag.indexOf('TPE1')
  t.same(tag.subarray(artistAt + 4, artistAt + 8), Buffer.from([0, 0, 1001 >> 7, 1001 & 0x7f]))
  t.same(tag.subarray(artistAt + 11), Buffer.from('ї'.repeat(500)))
  const size = tag.length - 10
  t.same(tag.subarray(6, 10), Buffer.from([0, 0, size >> 7, size & 0x7f]))
  t.end()
})
