import { bareEnvironment, FORMATS } from '@solstice/adapters'
import { SAMPLE_RATE } from '@solstice/station'
import prism from 'prism-media'

/** Up to this position a seek decodes from the start, which is exact to the sample and takes about half a second. */
const EXACT_SEEK_SAMPLES = 600 * SAMPLE_RATE
/** Beyond it, ffmpeg jumps to this long before the position and decodes from there. */
const SEEK_RUN_SAMPLES = 5 * SAMPLE_RATE
const MAX_COMPLAINT_CHARACTERS = 500

/** One ffmpeg that decodes a file to 44.1 kHz stereo, s16le. */
export interface DecoderProcess {
  /** The process id while the process runs. */
  readonly pid: number | undefined
  /** The next bytes; null when there are none yet. */
  read(): Buffer | null
  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>
  /** Resolves when all output has been read; never after `kill`. */
  readonly drained: Promise<void>
  kill(): void
}

/** How a process ended; `absent` means that ffmpeg is not installed. */
export type Exit =
  | { is: 'absent'; err?: Error }
  | { is: 'ended' }
  | { is: 'killed'; signal: NodeJS.Signals; complaint: string }
  | { is: 'failed'; code: number | null; complaint: string }

/**
 * @param place path of the file. @param from position of the first sample to deliver.
 * @throws when no process can be started right now
 */
export function startDecoderProcess(
  ffmpegPath: string,
  place: string,
  from: number,
  onReadable: () => void,
): DecoderProcess {
  const stream = new prism.FFmpeg({ args: withoutOurEnvironment(ffmpegPath, decoderArgs(place, from)) })
  const child = stream.process
  let complaint = ''
  child.stderr?.on('data', (text: Buffer) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT_CHARACTERS)
  })
  stream.on('error', () => {}) // told by 'exit'
  stream.on('readable', onReadable)
  const drained = new Promise<void>((resolve) => stream.once('end', resolve))
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (err) => resolve({ is: 'absent', err }))
    child.once('exit', (code, signal) => {
      if (code === NOT_FOUND || code === NOT_EXECUTABLE) resolve({ is: 'absent' })
      else if (signal) resolve({ is: 'killed', signal, complaint })
      else resolve(code === 0 ? { is: 'ended' } : { is: 'failed', code, complaint })
    })
  })
  return {
    get pid() {
      return child.exitCode === null && child.signalCode === null ? child.pid : undefined
    },
    read: () => stream.read(),
    exited,
    drained,
    /** The stream's own `destroy` would leave the pipes open. */
    kill() {
      child.kill('SIGKILL')
      for (const pipe of child.stdio) pipe?.destroy()
    },
  }
}

/** Exit codes of `env` when the program is missing or not executable. */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

// prism-media passes on our environment, which holds the station's secrets. `env` drops it and then
// becomes ffmpeg, so process id, exit code and signals are those of ffmpeg.
prism.FFmpeg.getInfo = () => ({ command: '/usr/bin/env', info: '', version: '', output: '' })

function withoutOurEnvironment(program: string, args: string[]): string[] {
  const variables = Object.entries(bareEnvironment()).map(([name, value]) => `${name}=${value}`)
  return ['-i', ...variables, program, ...args]
}

function decoderArgs(place: string, from: number): string[] {
  const jump = from > EXACT_SEEK_SAMPLES ? from - SEEK_RUN_SAMPLES : 0
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', FORMATS],
    ...(jump ? ['-ss', (jump / SAMPLE_RATE).toFixed(6)] : []),
    ...['-i', `file:${place}`],
    ...['-map', '0:a:0', '-vn', '-sn', '-dn'],
    ...['-af', `aresample=${SAMPLE_RATE},atrim=start_sample=${from - jump}`],
    ...['-f', 's16le', '-ar', String(SAMPLE_RATE), '-ac', '2'], // prism adds where to
  ]
}
