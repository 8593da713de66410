import { isHeaderPage, isIntact, OPUS_FRAME_GRANULE, oggPages, readOpusTags } from '@solstice/station'

/** A logical stream of Opus as a strict reader finds it. */
export interface LogicalStream {
  serial: number
  preSkip: number
  /** `TITLE=…`, `ARTIST=…` */
  tags: string[]
  /** Number of frames before the first packet, from the granule of its page. */
  begin: number
  packets: Buffer[]
  hasEnd: boolean
}

/**
 * The logical streams in the body of an Opus mount, whose last page may be cut.
 *
 * @throws when a page is damaged, stands without header pages or is not the one that follows; a listener that was carried to the
 * edge may lack pages.
 */
export function logicalStreams(body: Buffer, { mayLackPages = false } = {}): LogicalStream[] {
  const streams: LogicalStream[] = []
  let sequence = 0
  let granule = 0
  for (const page of oggPages(body)) {
    const where = `page ${page.sequence} of ${page.serial} at byte ${page.at}`
    if (!isIntact(body, page)) throw new Error(`${where} is damaged`)
    if (page.mark === 'begin') {
      const preSkip = page.packets[0]!.readUInt16LE(10)
      streams.push({ serial: page.serial, preSkip, tags: [], begin: -1, packets: [], hasEnd: false })
      sequence = page.sequence
    }
    const stream = streams.at(-1)
    if (stream?.serial !== page.serial || stream.hasEnd) throw new Error(`${where} has no header`)
    if (page.sequence !== sequence && !mayLackPages) throw new Error(`${where} is not page ${sequence}`)
    sequence = page.sequence + 1
    if (page.mark === 'begin') continue
    if (isHeaderPage(page)) {
      stream.tags = readOpusTags(page.packets[0]!) ?? []
      continue
    }
    const before = page.granule - page.packets.length * OPUS_FRAME_GRANULE
    if (stream.begin < 0) stream.begin = before / OPUS_FRAME_GRANULE
    else if (before !== granule && !mayLackPages) throw new Error(`${where} does not begin at ${granule}`)
    granule = page.granule
    stream.packets.push(...page.packets)
    stream.hasEnd = page.mark === 'end'
  }
  return streams
}
