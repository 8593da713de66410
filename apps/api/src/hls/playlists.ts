import { mountId } from '@solstice/station'
import { type HlsSegment, type PackedMount, SEGMENT_MS } from './cutter.ts'

/** Names in `CODECS`: MPEG-1 Layer III and AAC-LC. */
const CODECS: Record<PackedMount['codec'], string> = { mp3: 'mp4a.40.34', aac: 'mp4a.40.2' }
/** bit/s at most for each kbit/s: encoders of AAC swing around their bit rate, and each segment has a tag. */
const PEAK = 1_100
const SEGMENT_S = (SEGMENT_MS / 1000).toFixed(5)
const TARGET_S = Math.round(SEGMENT_MS / 1000)
/** Players begin three segments before the end (RFC 8216, 6.3.3). */
const START_S = ((-3 * SEGMENT_MS) / 1000).toFixed(2)

/** hls.js has a table of as many places as are counted, and goes through it at each playlist: for seconds when there are millions. */
const COUNTED_BREAKS = 10_000

/** The playlist of all mounts. @param listener told by the player with each later request, so that it is counted once. */
export function masterPlaylist(mounts: readonly PackedMount[], listener: string): string {
  const variants = mounts.flatMap((mount) => [
    `#EXT-X-STREAM-INF:BANDWIDTH=${mount.bitrate * PEAK},AVERAGE-BANDWIDTH=${mount.bitrate * 1000},CODECS="${CODECS[mount.codec]}"`,
    `${mountId(mount)}/live.m3u8?listener=${listener}`,
  ])
  return lines('#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-INDEPENDENT-SEGMENTS', ...variants)
}

/**
 * The playlist of a mount.
 *
 * @param segments without those that lack frames; begins with a whole one.
 * @param aheadMs how far the station's clock is ahead of the wall clock, which dates are in.
 */
export function mediaPlaylist(
  { codec }: Pick<PackedMount, 'codec'>,
  segments: readonly (HlsSegment | null)[],
  aheadMs: number,
): string {
  const first = segments[0]!
  let { stretch } = first
  const entries = segments.flatMap((segment, i) => {
    const file = `${first.number + i}.${codec}`
    if (!segment) return ['#EXT-X-GAP', `#EXTINF:${SEGMENT_S},`, file]
    const breaks = Array<string>(segment.stretch - stretch).fill('#EXT-X-DISCONTINUITY')
    stretch = segment.stretch
    const begin = new Date(segment.atMs - aheadMs).toISOString()
    return [...breaks, `#EXT-X-PROGRAM-DATE-TIME:${begin}`, `#EXTINF:${SEGMENT_S},`, file]
  })
  return lines(
    '#EXTM3U',
    // Players that know no gaps get an error for the segment, and go on with the next one.
    `#EXT-X-VERSION:${segments.includes(null) ? 8 : 3}`,
    `#EXT-X-TARGETDURATION:${TARGET_S}`,
    `#EXT-X-MEDIA-SEQUENCE:${first.number}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${first.stretch % COUNTED_BREAKS}`,
    `#EXT-X-START:TIME-OFFSET=${START_S}`,
    ...entries,
  )
}

export function isPacked(mount: { codec: string; bitrate: number }): mount is PackedMount {
  return mount.codec in CODECS
}

const lines = (...all: string[]) => `${all.join('\n')}\n`
