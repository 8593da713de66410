import type { StreamMarker } from '../../ports/bus.ts'
import { oneLine } from '../text.ts'
import { type OggPage, writeOggPage } from './page.ts'

/** Samples of a frame at 48 kHz, in which Opus counts whatever was encoded. */
export const OPUS_FRAME_GRANULE = 960
/** Header pages of a logical stream: OpusHead and OpusTags. */
const HEADER_PAGES = 2
const CHANNELS = 2
const VERSION = 1
/** For information alone: decoders give 48 kHz. */
const INPUT_RATE = 44_100
const VENDOR = 'Solstice'

/** Tags of a logical stream, as players show them. */
export interface StreamTags {
  readonly title: string
  readonly artist: string
}

/** The tags from a marker on; both are '' in silence. */
export function tagsOf(marker: StreamMarker | null): StreamTags {
  const told = marker && 'title' in marker ? marker : { title: '', artist: '' }
  return { title: oneLine(told.title), artist: oneLine(told.artist) }
}

export const areSameTags = (a: StreamTags, b: StreamTags) => a.title === b.title && a.artist === b.artist

/**
 * The two header pages of a logical stream (RFC 7845, section 5).
 *
 * @param about.sequence of the page behind them.
 * @param about.preSkip samples at 48 kHz that a decoder drops, because it has not settled.
 */
export function opusHeaderPages(about: {
  serial: number
  sequence: number
  preSkip: number
  tags: StreamTags
}): Buffer {
  const { serial, sequence, preSkip, tags } = about
  const pages: Pick<OggPage, 'mark' | 'packets'>[] = [
    { mark: 'begin', packets: [opusHead(preSkip)] },
    { mark: null, packets: [opusTags(tags)] },
  ]
  return Buffer.concat(
    pages.map((page, i) =>
      writeOggPage({ ...page, granule: 0, serial, sequence: sequence - HEADER_PAGES + i }),
    ),
  )
}

/** The tags in the packet of a header page; null for another packet. */
export function readOpusTags(packet: Buffer): string[] | null {
  if (!isTags(packet)) return null
  let at = 8
  const text = () => {
    const length = packet.readUInt32LE(at)
    at += 4 + length
    return packet.toString('utf8', at - length, at)
  }
  text()
  const count = packet.readUInt32LE(at)
  at += 4
  return Array.from({ length: count }, text)
}

const isTags = (packet: Buffer | undefined) => packet?.toString('latin1', 0, 8) === 'OpusTags'

/** True for the pages before the sound. */
export const isHeaderPage = ({ mark, packets }: OggPage) => mark === 'begin' || isTags(packets[0])

function opusHead(preSkip: number): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 'latin1')
  head[8] = VERSION
  head[9] = CHANNELS
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(INPUT_RATE, 12)
  return head
}

function opusTags({ title, artist }: StreamTags): Buffer {
  const comments = Object.entries({ TITLE: title, ARTIST: artist }).filter(([, text]) => text !== '')
  const texts = comments.map(([name, text]) => counted(`${name}=${text}`))
  return Buffer.concat([Buffer.from('OpusTags'), counted(VENDOR), uint32(texts.length), ...texts])
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([uint32(bytes.length), bytes])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
