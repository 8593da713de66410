import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bareEnvironment, FORMATS } from '../process/started-programs.ts'
import type { TagTexts } from './tag-texts.ts'

const LIMIT_MS = 10_000
const MAX_PRINTED_BYTES = 1024 * 1024

/**
 * What ffmpeg says of a file that is no plain MP3: of a FLAC, WAV, Ogg, MP4 or Matroska.
 *
 * @throws when it is not one of these, or ffmpeg is missing or takes too long.
 */
export async function readContainer(
  path: string,
  ffmpegPath: string,
): Promise<TagTexts & { duration: number }> {
  const { stdout, stderr } = await promisify(execFile)(ffmpegPath, args(path), {
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_PRINTED_BYTES,
    env: bareEnvironment(),
  }).catch((cause: unknown) => {
    // Its status is no error of the system, which would say nothing about the file.
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

/** Reads the form `ffmetadata` (ffmpeg-formats(1)); what is said of the file counts before what is said of its sound. */
function readMetadata(printed: string): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [, name, value] of printed.matchAll(/^((?:[^=;#\\\n]|\\.)+)=((?:[^\\\n]|\\.)*)$/gms)) {
    const key = name!.toLowerCase()
    if (!texts.has(key)) texts.set(key, value!.replace(/\\(.)/gs, '$1'))
  }
  return texts
}
