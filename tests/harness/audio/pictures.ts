import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { id3v2 } from './tags.ts'

const run = promisify(execFile)

/** A picture of one colour, or `testsrc` for one of many. */
export async function makePicture(about: {
  width: number
  height: number
  color: string
  type?: 'mjpeg' | 'png' | 'libwebp' | 'gif' | 'tiff' | 'bmp'
}): Promise<Buffer> {
  const { width, height, color, type = 'mjpeg' } = about
  const source = color === 'testsrc' ? 'testsrc=' : `color=c=${color}:`
  const input = ['-f', 'lavfi', '-i', `${source}s=${width}x${height}`, '-frames:v', '1']
  const args = ['-nostdin', '-loglevel', 'error', ...input, '-c:v', type, '-f', 'image2pipe', 'pipe:1']
  return (await run('ffmpeg', args, { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 })).stdout
}

/** An MP3 with this picture as its front cover. */
export function withCover(mp3: Buffer, picture: Buffer, type = 3): Buffer {
  return Buffer.concat([id3v2(3, [['APIC', pictureFrame(picture, { type })]]), mp3])
}

/** The content of an APIC frame. */
export function pictureFrame(
  picture: Buffer,
  { type = 3, encoding = 0, mime = 'image/jpeg', text = '' } = {},
) {
  const isWide = encoding === 1 || encoding === 2
  const description = isWide ? Buffer.from(`\ufeff${text}\0`, 'utf16le') : Buffer.from(`${text}\0`, 'latin1')
  return Buffer.concat([
    Buffer.from([encoding]),
    Buffer.from(`${mime}\0`, 'latin1'),
    Buffer.from([type]),
    description,
    picture,
  ])
}

/** Width and height of a lossy WebP (RFC 9649). @throws for anything else. */
export function webpSize(bytes: Uint8Array): [width: number, height: number] {
  const webp = Buffer.from(bytes)
  const kind = webp.toString('latin1', 0, 4) + webp.toString('latin1', 8, 16)
  if (kind === 'RIFFWEBPVP8 ') return [webp.readUInt16LE(26) & 0x3fff, webp.readUInt16LE(28) & 0x3fff]
  if (kind === 'RIFFWEBPVP8X') return [1 + webp.readUIntLE(24, 3), 1 + webp.readUIntLE(27, 3)]
  throw new Error(`no WebP: ${kind}`)
}
