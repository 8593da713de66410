import { cutToBytes, SAMPLE_RATE } from '@solstice/station'

/** Clock of MPEG transport streams, of whose counter 33 bits are kept. */
const TICKS_PER_S = 90_000n
const TIMESTAMP_MASK = (1n << 33n) - 1n
const OWNER = 'com.apple.streaming.transportStreamTimestamp'
const UTF_8 = 3
const MAX_TEXT_BYTES = 1_000

/** The ID3v2.4 tag that a segment of packed audio begins with: its time (RFC 8216, 3.4), and what is heard. */
export function segmentTag({
  sample,
  title,
  artist,
}: {
  /** Number of the first sample of the segment. */
  sample: number
  title: string
  artist: string
}): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(((BigInt(sample) * TICKS_PER_S) / BigInt(SAMPLE_RATE)) & TIMESTAMP_MASK)
  const frames = Buffer.concat([
    frame('PRIV', Buffer.concat([Buffer.from(`${OWNER}\0`, 'latin1'), time])),
    ...textFrame('TIT2', title),
    ...textFrame('TPE1', artist),
  ])
  return tagOf(frames)
}

/** A tag that names a piece of the broadcast. @param about.date in ISO 8601 */
export function textTag({ title, artist, date }: { title: string; artist: string; date: string }): Buffer {
  return tagOf(
    Buffer.concat([...textFrame('TIT2', title), ...textFrame('TPE1', artist), ...textFrame('TDRC', date)]),
  )
}

function tagOf(frames: Buffer): Buffer {
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), synchsafe(frames.length), frames])
}

function textFrame(id: string, text: string): Buffer[] {
  const plain = text.replace(/\p{Cc}+/gu, ' ').trim()
  if (!plain) return []
  return [frame(id, Buffer.from([UTF_8, ...Buffer.from(cutToBytes(plain, MAX_TEXT_BYTES), 'utf8')]))]
}

function frame(id: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'latin1'), synchsafe(content.length), Buffer.alloc(2), content])
}

/** A length in 4 bytes of 7 bits, so that it never looks like the begin of a frame of MPEG audio. */
function synchsafe(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f))
}
