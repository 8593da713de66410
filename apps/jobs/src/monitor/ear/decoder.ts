import { spawn } from 'node:child_process'
import { bareEnvironment } from '@solstice/adapters'
import type { Mount } from '@solstice/station'

/** Samples per second of everything that is decoded here: stereo, 16 bit little endian. */
export const PCM_RATE = 44_100
export const PCM_BYTES_PER_MS = (PCM_RATE * 4) / 1000
const PCM = ['-f', 's16le', '-ar', String(PCM_RATE), '-ac', '2']
const QUICK = ['-nostdin', '-loglevel', 'quiet', '-threads', '1']
const AT_ONCE = ['-probesize', '4096', '-analyzeduration', '0']
const FORMATS: Record<Mount['codec'], string> = { mp3: 'mp3', aac: 'aac', opus: 'ogg' }
const EVIDENCE_BITRATE = '128k'
/** A machine that is busy takes seconds to start a program. */
const RUN_TIMEOUT_MS = 60_000
/** Longer than sound is remembered that may come again. */
const MAX_OUTPUT_BYTES = 130_000 * PCM_BYTES_PER_MS

/** Decodes a stream as it comes, in an ffmpeg that ends with its input. */
export function startDecoder(ffmpegPath: string, codec: Mount['codec'], onSound: (pcm: Buffer) => void) {
  const input = [...AT_ONCE, '-f', FORMATS[codec], '-i', 'pipe:0']
  const ffmpeg = spawn(ffmpegPath, [...QUICK, ...input, ...PCM, 'pipe:1'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: bareEnvironment(),
  })
  ffmpeg.on('error', () => {})
  ffmpeg.stdin.on('error', () => {})
  ffmpeg.stdout.on('data', onSound)
  return {
    write: (sound: Buffer) => void (ffmpeg.stdin.writable && ffmpeg.stdin.write(sound)),
    stop: () => void ffmpeg.kill('SIGKILL'),
  }
}

/** Decodes a part of a file. @throws when it can't be read. */
export function decodePart(
  ffmpegPath: string,
  path: string,
  { fromMs, lengthMs }: { fromMs: number; lengthMs: number },
): Promise<Buffer> {
  const part = ['-ss', (fromMs / 1000).toFixed(3), '-t', (lengthMs / 1000).toFixed(3)]
  return run(ffmpegPath, [...QUICK, ...part, '-i', `file:${path}`, '-map', '0:a:0', ...PCM, 'pipe:1'])
}

/** Encodes decoded sound as MP3. @throws when ffmpeg can't. */
export function encodeMp3(ffmpegPath: string, pcm: Buffer): Promise<Buffer> {
  const output = ['-f', 'mp3', '-b:a', EVIDENCE_BITRATE, 'pipe:1']
  return run(ffmpegPath, [...QUICK, ...PCM, '-i', 'pipe:0', ...output], pcm)
}

function run(ffmpegPath: string, parameters: string[], input: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const ffmpeg = spawn(ffmpegPath, parameters, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: bareEnvironment(),
      timeout: RUN_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    const parts: Buffer[] = []
    let bytes = 0
    ffmpeg.stdout.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes <= MAX_OUTPUT_BYTES) parts.push(part)
    })
    ffmpeg.on('error', reject)
    ffmpeg.stdin.on('error', () => {})
    ffmpeg.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts))
      else reject(new Error(`ffmpeg ended with ${code}`))
    })
    ffmpeg.stdin.end(input)
  })
}
