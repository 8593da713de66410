import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bareEnvironment } from '@solstice/adapters'
import { SAMPLE_RATE } from '@solstice/demo-music'

const KEPT_COMPLAINT = 2_000

/** Tags written into the file. */
export interface Tags {
  /** A JPEG. */
  cover: Buffer
  title: string
  artist: string
  album: string
  year: number
}

/**
 * Encodes 16-bit stereo samples as an MP3 of 192 kbit/s with ID3v2.4 tags and a LAME header, calls `use` with its path and
 * deletes it. A pipe would not do: ffmpeg seeks back to write the header at the end.
 *
 * @throws when ffmpeg is missing or fails.
 */
export async function withMp3(
  ffmpegPath: string,
  pcm: Buffer,
  tags: Tags,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-demo-'))
  const [path, coverPath] = [join(folder, 'piece.mp3'), join(folder, 'cover.jpg')]
  const { year, cover, ...texts } = tags
  const written = { ...texts, date: String(year) }
  const metadata = Object.entries(written).flatMap(([name, value]) => ['-metadata', `${name}=${value}`])
  try {
    await writeFile(coverPath, cover)
    const input = ['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2', '-i', 'pipe:0', '-i', coverPath]
    const picture = ['-map', '0:a', '-map', '1:v', '-c:v', 'copy', '-disposition:v', 'attached_pic']
    const front = ['-metadata:s:v', 'comment=Cover (front)']
    const format = ['-c:a', 'libmp3lame', '-b:a', '192k', '-id3v2_version', '4', '-write_id3v1', '0']
    await runFfmpeg(
      ffmpegPath,
      [...input, ...picture, ...front, ...format, ...metadata, '-f', 'mp3', path],
      pcm,
    )
    await use(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Encodes interleaved RGB pixels as a JPEG. @throws when ffmpeg is missing or fails. */
export function toJpeg(ffmpegPath: string, pixels: Buffer, width: number, height: number): Promise<Buffer> {
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-i', 'pipe:0']
  const format = [
    '-frames:v',
    '1',
    '-c:v',
    'mjpeg',
    '-pix_fmt',
    'yuvj420p',
    '-q:v',
    '3',
    '-f',
    'mjpeg',
    'pipe:1',
  ]
  return runFfmpeg(ffmpegPath, [...input, ...format], pixels)
}

/** Runs ffmpeg with an input and returns its output. */
async function runFfmpeg(ffmpegPath: string, args: string[], input: Buffer): Promise<Buffer> {
  const ffmpeg = spawn(ffmpegPath, ['-nostdin', '-loglevel', 'error', '-y', ...args], {
    env: bareEnvironment(),
  })
  const output: Buffer[] = []
  let complaint = ''
  ffmpeg.stdout.on('data', (bytes: Buffer) => output.push(bytes))
  ffmpeg.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes).slice(-KEPT_COMPLAINT)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    ffmpeg.once('error', reject)
    ffmpeg.once('close', resolve)
  })
  // If ffmpeg exits early, its status tells the reason, not the broken pipe.
  const fed = pipeline(Readable.from([input]), ffmpeg.stdin).catch(() => {})
  const [code] = await Promise.all([ended, fed])
  if (code !== 0) throw new Error(`ffmpeg exited with status ${code}: ${complaint.trim()}`)
  return Buffer.concat(output)
}
