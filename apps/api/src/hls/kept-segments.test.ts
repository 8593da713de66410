import t from 'tap'
import type { HlsSegment } from './cutter.ts'
import { keepSegments } from './kept-segments.ts'
import { masterPlaylist, mediaPlaylist } from './playlists.ts'

const segment = (number: number, stretch = 5): HlsSegment => ({
  number,
  stretch,
  atMs: 1_790_000_000_000 + number * 6_060,
  bytes: Buffer.from(`${number}`),
  etag: `"${number}"`,
})
const keptOf = (...numbers: (number | [number, number])[]) => {
  const kept = keepSegments(50)
  for (const one of numbers) kept.add(typeof one === 'number' ? segment(one) : segment(...one))
  return kept
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

t.test('the last ten are listed, and each is there for as long again and a little', (t) => {
  const kept = keptOf(...range(1, 40))
  t.same(
    kept.listed().map((one) => one?.number),
    range(31, 40),
  )
  t.equal(kept.at(18), null)
  t.equal(kept.at(19)?.number, 19)
  t.end()
})

t.test('a segment that lacks frames is a gap, and the list begins with a whole one', (t) => {
  const kept = keptOf(...range(1, 5), 8, 9)
  t.same(
    kept.listed().map((one) => one?.number ?? null),
    [1, 2, 3, 4, 5, null, null, 8, 9],
  )
  for (const number of range(10, 16)) kept.add(segment(number))
  t.equal(kept.listed()[0]?.number, 8)
  t.equal(keptOf(1, 200).listed().length, 1)
  t.end()
})

t.test('numbers that began anew leave nothing of the old ones', (t) => {
  t.same(
    keptOf(7, 8, 3)
      .listed()
      .map((one) => one?.number),
    [3],
    'frames go back',
  )
  t.equal(keptOf([7, 5], [8, 4]).listed().length, 1, 'stretches go back')
  t.equal(keptOf([7, 5], [8, 500]).listed().length, 1, 'stretches were counted from the clock again')
  t.equal(keptOf([7, 5], [8, 7]).listed().length, 2)
  t.end()
})

t.test('a segment that comes next is waited for, and no other', async (t) => {
  const kept = keptOf(1, 2)
  const next = kept.whenThere(3)
  kept.add(segment(3))
  t.equal((await next)?.number, 3)
  t.equal(await kept.whenThere(4), null, 'not for ever')
  const passedOver = kept.whenThere(5)
  kept.add(segment(6))
  t.equal(await passedOver, null)
  t.equal(await kept.whenThere(1_000), null)
  t.equal((await kept.whenThere(2))?.number, 2)
})

t.test('a media playlist', (t) => {
  const text = mediaPlaylist({ codec: 'aac' }, [segment(8), null, segment(10, 7)], 0)
  t.equal(
    text,
    `#EXTM3U
#EXT-X-VERSION:8
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:8
#EXT-X-DISCONTINUITY-SEQUENCE:5
#EXT-X-START:TIME-OFFSET=-18.18
#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:14:08.480Z
#EXTINF:6.06041,
8.aac
#EXT-X-GAP
#EXTINF:6.06041,
9.aac
#EXT-X-DISCONTINUITY
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:14:20.600Z
#EXTINF:6.06041,
10.aac
`,
  )
  t.match(mediaPlaylist({ codec: 'mp3' }, [segment(8)], 0), '#EXT-X-VERSION:3\n')
  const ofClock = mediaPlaylist({ codec: 'mp3' }, [segment(8, 179_545_578), segment(9, 179_545_579)], 0)
  t.match(ofClock, '#EXT-X-DISCONTINUITY-SEQUENCE:5578\n', 'players keep tables of them')
  t.equal(ofClock.split('#EXT-X-DISCONTINUITY\n').length, 2)
  t.end()
})

t.test('the playlist of all mounts', (t) => {
  const mounts = [
    { codec: 'mp3', bitrate: 192 },
    { codec: 'aac', bitrate: 64 },
  ] as const
  t.equal(
    masterPlaylist(mounts, 'me'),
    `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=211200,AVERAGE-BANDWIDTH=192000,CODECS="mp4a.40.34"
mp3-192/live.m3u8?listener=me
#EXT-X-STREAM-INF:BANDWIDTH=70400,AVERAGE-BANDWIDTH=64000,CODECS="mp4a.40.2"
aac-64/live.m3u8?listener=me
`,
  )
  t.end()
})
