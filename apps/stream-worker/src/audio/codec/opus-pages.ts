import {
  areSameTags,
  type FrameChunk,
  isHeaderPage,
  OPUS_FRAME_GRANULE,
  oggPages,
  opusHeaderPages,
  readOggPage,
  type StreamMarker,
  type StreamTags,
  tagsOf,
  writeOggPage,
} from '@solstice/station'

/** Half a second: few bytes for pages, and no player waits long for a whole one. */
const MAX_PAGE_FRAMES = 25

/**
 * Takes the packets of Opus out of the Ogg that an encoder writes.
 *
 * @returns a function that takes the next bytes, cut anywhere, and returns the packets they complete.
 */
export function createPacketCutter(): (chunk: Uint8Array) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = Buffer.concat([rest, chunk])
    const packets: Buffer[] = []
    let at = 0
    for (;;) {
      const page = readOggPage(bytes, at)
      if (page === 'more') break
      if (page && !isHeaderPage(page)) packets.push(...page.packets)
      const next = page ? page.end : bytes.indexOf('OggS', at + 1)
      at = next < 0 ? bytes.length : next
      if (at === bytes.length) break
    }
    rest = Buffer.from(bytes.subarray(at))
    return packets
  }
}

/** Puts the frames of an Opus mount into pages: a logical stream per title, without a seam in the sound. */
export interface OpusPager {
  /**
   * The pages of the next chunk. Where the title changes there, one logical stream ends and the next one begins.
   *
   * @param after the marker at the frame behind the chunk.
   */
  pages(
    chunk: { frame: number; frames: readonly Buffer[]; markers: readonly StreamMarker[] },
    after: StreamMarker | null,
  ): Buffer
}

/** @param after the last chunk of the mount, whose logical stream goes on. */
export function createOpusPager(after: FrameChunk | null): OpusPager {
  let stream = after && openStream(after)
  return {
    pages({ frame, frames, markers }, following) {
      const pages: Buffer[] = []
      const parts = partsOf(frame, markers)
      for (const [i, { from, tags }] of parts.entries()) {
        const end = parts[i + 1]?.from ?? frame + frames.length
        const nextTags = parts[i + 1]?.tags ?? tagsOf(following)
        if (stream?.end !== from || !areSameTags(stream.tags, tags)) {
          stream = { serial: from % 2 ** 32, sequence: 2, begin: from, end: from, tags }
          pages.push(opusHeaderPages({ ...stream, preSkip: 0 }))
        }
        while (stream.end < end) {
          const to = Math.min(end, stream.end + MAX_PAGE_FRAMES)
          pages.push(
            writeOggPage({
              mark: to === end && !areSameTags(tags, nextTags) ? 'end' : null,
              granule: (to - stream.begin) * OPUS_FRAME_GRANULE,
              serial: stream.serial,
              sequence: stream.sequence++,
              packets: frames.slice(stream.end - frame, to - frame),
            }),
          )
          stream.end = to
        }
      }
      return Buffer.concat(pages)
    },
  }
}

/** A logical stream that goes on. */
interface LogicalStream {
  serial: number
  /** Number of the next page. */
  sequence: number
  /** Number of its first frame, and of the next one. */
  begin: number
  end: number
  tags: StreamTags
}

/** The logical stream at the end of a chunk; null when it ended there. */
function openStream({ frame, frames, audio, markers }: FrameChunk): LogicalStream | null {
  const last = oggPages(audio).at(-1)
  if (!last || last.mark === 'end') return null
  const end = frame + frames
  return {
    serial: last.serial,
    sequence: last.sequence + 1,
    begin: end - last.granule / OPUS_FRAME_GRANULE,
    end,
    tags: tagsOf(markers.at(-1) ?? null),
  }
}

/** The parts of a chunk with different tags. */
function partsOf(frame: number, markers: readonly StreamMarker[]): { from: number; tags: StreamTags }[] {
  const parts: { from: number; tags: StreamTags }[] = []
  const changes = markers[0]?.frame === frame ? markers : [{ frame, entryId: null }, ...markers]
  for (const marker of changes) {
    const tags = tagsOf(marker)
    const before = parts.at(-1)
    if (!before || !areSameTags(before.tags, tags)) parts.push({ from: marker.frame, tags })
  }
  return parts
}
