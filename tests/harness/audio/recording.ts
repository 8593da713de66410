import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CLUSTER = Buffer.of(0x1f, 0x43, 0xb6, 0x75)

/** A browser's microphone recording: WebM with Opus at 64 kbit/s, from an ffmpeg source such as `sine=frequency=440`. */
export async function makeRecording(source: string, seconds: number): Promise<Buffer> {
  const input = ['-f', 'lavfi', '-i', source, '-t', String(seconds), '-ac', '1', '-ar', '48000']
  const opus = ['-c:a', 'libopus', '-b:a', '64k', '-vbr', 'off', '-frame_duration', '20']
  const webm = ['-f', 'webm', '-live', '1', '-cluster_time_limit', '2000', 'pipe:1']
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', ...input, ...opus, ...webm], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

/** Cuts a recording into pieces of equal length in ms, without regard to the structure inside. */
export function cut(recording: Buffer, seconds: number, pieceMs: number): Buffer[] {
  const count = Math.round((seconds * 1000) / pieceMs)
  const head = recording.indexOf(CLUSTER)
  const at = (i: number) => (i === 0 ? 0 : head + Math.round(((recording.length - head) * i) / count))
  return Array.from({ length: count }, (_, i) => recording.subarray(at(i), at(i + 1)))
}
