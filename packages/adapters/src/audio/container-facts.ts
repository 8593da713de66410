import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bareEnvironment, FORMATS } from '../process/started-programs.ts'
import type { TagTexts } from './mp3/tag-texts.ts'

const PROBE_TIMEOUT_MS = 10_000
const MAX_PRINTED_BYTES = 1024 * 1024

/**
 * Reads texts and length of a FLAC, WAV, Ogg, MP4 or Matroska file with ffmpeg.
 *
 * @throws when it is none of these, or ffmpeg is missing or too slow.
 */
export async function readContainer(
  path: string,
  ffmpegPath: string,
): Promise<TagTexts & { duration: number }> {
  const { stdout, stderr } = await promisify(execFile)(ffmpegPath, args(path), {
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_PRINTED_BYTES,
    env: bareEnvironment(),
  }).catch((cause: unknown) => {
    // Not passed on as it is: the `code` of the error is ffmpeg's exit status, not that of a system error.
    throw new Error(`${path} is not audio`, { cause })
  })
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d+):([\d.]+),/m.exec(stderr) ?? []
  const duration = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  if (!duration) throw new Error(`${path} is not audio`)
  const texts = readMetadata(stdout)
  const text = (name: string) => texts.get(name) ?? null
  const year = Number(/^\d{4}/.exec(text('date') ?? text('year') ?? '')?.[0])
  return { title: text('title'), artist: text('artist'), album: text('album'), year: year || null, duration }
}

function args(path: string): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'info', '-threads', '1'],
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS, '-i', `file:${path}`],
    ...['-map', '0:a:0', '-c', 'copy', '-t', '0', '-f', 'ffmetadata', 'pipe:1'],
  ]
}

/** Parses `ffmetadata` (ffmpeg-formats(1)). Tags of the file come first and win over those of its stream. */
function readMetadata(printed: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [, name, value] of printed.matchAll(/^((?:[^=;#\\\n]|\\.)+)=((?:[^\\\n]|\\.)*)$/gms)) {
    const key = name!.toLowerCase()
    if (!texts.has(key)) texts.set(key, value!.replace(/\\(.)/gs, '$1'))
  }
  return texts
}
