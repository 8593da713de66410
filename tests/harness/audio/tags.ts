/** An ID3v2 tag with the given raw frames and some padding. */
export function id3v2(
  version: 2 | 3 | 4,
  frames: [id: string, content: string | Buffer][],
  { flags = 0, padding = 64 } = {},
): Buffer {
  const plain = (n: number) => Buffer.from([n >> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255])
  const parts = frames.map(([id, content]) => {
    const body = Buffer.from(content as string, 'latin1')
    const size = version === 4 ? syncsafe(body.length) : plain(body.length)
    const rest = version === 2 ? size.subarray(1) : Buffer.concat([size, Buffer.alloc(2)])
    return Buffer.concat([Buffer.from(id), rest, body])
  })
  const body = Buffer.concat([...parts, Buffer.alloc(padding)])
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, version, 0, flags]), syncsafe(body.length), body])
}

function syncsafe(n: number): Buffer {
  return Buffer.from([(n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127])
}

/** An APEv2 tag with header and footer. */
export function apeTag(items: [key: string, value: string][]): Buffer {
  const number = (n: number) => Buffer.from(Uint32Array.of(n).buffer)
  const fields = items.map(([key, value]) =>
    Buffer.concat([number(Buffer.byteLength(value)), number(0), Buffer.from(`${key}\0${value}`)]),
  )
  const body = Buffer.concat(fields)
  const edge = (flags: number) =>
    Buffer.concat([
      Buffer.from('APETAGEX'),
      ...[2000, body.length + 32, fields.length, flags, 0, 0].map(number),
    ])
  return Buffer.concat([edge(0xa0000000), body, edge(0x80000000)])
}

/** A FLAC file whose comments are replaced by these. */
export function withComments(flac: Buffer, comments: string[]): Buffer {
  const number = (n: number) => Buffer.from(Uint32Array.of(n).buffer)
  const text = (value: string) => [number(Buffer.byteLength(value)), Buffer.from(value)]
  const body = Buffer.concat([...text('tests'), number(comments.length), ...comments.flatMap(text)])
  const parts = [flac.subarray(0, 4)]
  let at = 4
  for (let isLast = false; !isLast; ) {
    const [kind, length] = [flac[at]!, flac.readUIntBE(at + 1, 3)]
    const isComments = (kind & 0x7f) === 4
    isLast = (kind & 0x80) !== 0
    const header = Buffer.from([kind, body.length >> 16, (body.length >> 8) & 255, body.length & 255])
    parts.push(...(isComments ? [header, body] : [flac.subarray(at, at + 4 + length)]))
    at += 4 + length
  }
  return Buffer.concat([...parts, flac.subarray(at)])
}

export function id3v1(title: string): Buffer {
  return Buffer.concat([Buffer.from(`TAG${title}`, 'latin1'), Buffer.alloc(125)]).subarray(0, 128)
}

const times = (n: number, text: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => text(i)).join('\0')

/** Tags that cost a general parser minutes or all memory; placed before (ID3) or after (APE) the sound. */
export const tagBombs: Record<string, { before?: Buffer; behind?: Buffer }> = {
  // Few enough to be left to the general parser.
  '10 000 values of TXXX:ARTISTS': {
    before: id3v2(4, [['TXXX', `\x03ARTISTS\0${times(10_000, (i) => `n${i}`)}`]]),
  },
  '20 000 values of TXXX:ARTISTS': {
    before: id3v2(4, [['TXXX', `\x03ARTISTS\0${times(20_000, (i) => `n${i}`)}`]]),
  },
  '40 000 values of TXXX:ARTISTS': {
    before: id3v2(4, [['TXXX', `\x03ARTISTS\0${times(40_000, (i) => `n${i}`)}`]]),
  },
  '40 000 genres': { before: id3v2(4, [['TCON', `\x03${times(40_000, (i) => `${i}`)}`]]) },
  'genres of 7.5 MB': { before: id3v2(4, [['TCON', `\x03${'(1)'.repeat(2_500_000)}`]]) },
  'people of 547 KB': { before: id3v2(4, [['TIPL', `\x03${times(80_000, (i) => `p${i}`)}`]]) },
  'artists of 7 MB': { before: id3v2(4, [['TPE1', `\x03${'a\0'.repeat(3_500_000)}`]]) },
  'a title of 7 MB': { before: id3v2(3, [['TIT2', `\x01\xff\xfe${'a\0'.repeat(3_500_000)}`]]) },
  'a title of marks that combine': {
    before: id3v2(4, [['TIT2', Buffer.from(`\x03a${'\u0323\u0301'.repeat(1_000_000)}`)]]),
  },
  'padding of 8 MB': { before: id3v2(3, [], { padding: 8_000_000 }) },
  '700 000 frames': { before: id3v2(3, Array(700_000).fill(['TXXX', '\0'])) },
  '8 MB unsynchronised': { before: id3v2(3, [['PRIV', '\xff\0'.repeat(4_000_000)]], { flags: 0x80 }) },
  '400 000 items of APE': { behind: apeTag(Array(400_000).fill(['Key', ''])) },
  'a million empty tags': { before: Buffer.from('ID3\x03\0\0\0\0\0\0'.repeat(1_000_000), 'latin1') },
}
