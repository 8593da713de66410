/** An ID3v2 tag with the given raw frames, so many times, and some padding. */
export function id3v2(
  version: 2 | 3 | 4,
  frames: [id: string, content: string | Buffer][],
  { flags = 0, padding = 64, copies = 1 } = {},
): Buffer {
  const plain = (n: number) => Buffer.from([n >> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255])
  const parts = frames.map(([id, content]) => {
    const body = Buffer.from(content as string, 'latin1')
    const size = version === 4 ? syncsafe(body.length) : plain(body.length)
    const rest = version === 2 ? size.subarray(1) : Buffer.concat([size, Buffer.alloc(2)])
    return Buffer.concat([Buffer.from(id), rest, body])
  })
  const body = Buffer.concat([repeated(Buffer.concat(parts), copies), Buffer.alloc(padding)])
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, version, 0, flags]), syncsafe(body.length), body])
}

const repeated = (bytes: Buffer, copies: number) =>
  bytes.length === 0 ? bytes : Buffer.alloc(bytes.length * copies, bytes)

function syncsafe(n: number): Buffer {
  return Buffer.from([(n >> 21) & 127, (n >> 14) & 127, (n >> 7) & 127, n & 127])
}

/** An APEv2 tag with header and footer, and these items so many times. */
export function apeTag(items: [key: string, value: string][], copies = 1): Buffer {
  const number = (n: number) => Buffer.from(Uint32Array.of(n).buffer)
  const fields = items.map(([key, value]) =>
    Buffer.concat([number(Buffer.byteLength(value)), number(0), Buffer.from(`${key}\0${value}`)]),
  )
  const body = repeated(Buffer.concat(fields), copies)
  const edge = (flags: number) =>
    Buffer.concat([
      Buffer.from('APETAGEX'),
      ...[2000, body.length + 32, fields.length * copies, flags, 0, 0].map(number),
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
