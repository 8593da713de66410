import {
  type FrameChunk,
  isHeaderPage,
  oggPages,
  opusHeaderPages,
  readOggPage,
  tagsOf,
} from '@solstice/station'

/** Samples at 48 kHz that a decoder drops before it has settled (RFC 7845, section 4.2). */
const SETTLING_SAMPLES = 3_840

/** Offset of the page of each frame in a chunk; of one that begins a logical stream, that of its header pages. */
export function pageStarts(audio: Buffer): number[] {
  const starts: number[] = []
  let headersAt: number | null = null
  for (const page of oggPages(audio)) {
    if (isHeaderPage(page)) {
      headersAt ??= page.at
      continue
    }
    for (const _ of page.packets) starts.push(headersAt ?? page.at)
    headersAt = null
  }
  return starts.length > 0 ? starts : [0]
}

/**
 * The header pages for a listener that starts with a page in the middle of a logical stream; none where one begins.
 *
 * @param isResumed it goes on where it was, and needs every sample.
 */
export function headersAt({ frame, audio, markers }: FrameChunk, at: number, isResumed = false): Buffer {
  const page = readOggPage(audio, at)
  if (page === null || page === 'more' || page.mark === 'begin') return Buffer.alloc(0)
  const number = frame + pageStarts(audio).indexOf(at)
  return opusHeaderPages({
    ...page,
    preSkip: isResumed ? 0 : SETTLING_SAMPLES,
    tags: tagsOf(markers.findLast((marker) => marker.frame <= number) ?? null),
  })
}

/** The header pages for a listener that has got everything before a chunk and goes on with a later one. */
export function headersBetween(missed: FrameChunk, later: FrameChunk): Buffer[] {
  const page = readOggPage(missed.audio, 0)
  const isSame = page !== null && page !== 'more' && page.mark !== 'begin' && page.serial === serialOf(later)
  return isSame ? [] : [headersAt(later, 0)]
}

/** A chunk that can be sent behind another one, from whose logical stream a gap may separate it. */
export function continued(before: FrameChunk, chunk: FrameChunk): FrameChunk {
  const last = oggPages(before.audio).at(-1)
  if (last && last.mark !== 'end' && last.serial === serialOf(chunk)) return chunk
  const headers = headersAt(chunk, 0)
  return headers.length > 0 ? { ...chunk, audio: Buffer.concat([headers, chunk.audio]) } : chunk
}

function serialOf({ audio }: FrameChunk): number | null {
  const page = readOggPage(audio, 0)
  return page === null || page === 'more' ? null : page.serial
}
