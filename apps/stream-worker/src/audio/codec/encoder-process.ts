import { type ChildProcess, spawn } from 'node:child_process'
import { bareEnvironment } from '@solstice/adapters'
import { createFrameCutter } from './mp3-frames.ts'

const MAX_COMPLAINT_CHARACTERS = 500

/** One ffmpeg that encodes s16le stereo at 44.1 kHz to constant bit rate MP3. */
export interface EncoderProcess {
  readonly pid: number | undefined
  readonly isWritable: boolean
  /** Sends pieces of audio in one write. */
  write(pieces: readonly Uint8Array[]): void
  /** Resolves with the reason when the process is gone. */
  readonly ended: Promise<object>
  kill(): void
}

/** @param onFrames called with the frames completed by each piece of output. */
export function startEncoderProcess(
  { ffmpegPath, bitrate }: { ffmpegPath: string; bitrate: number },
  onFrames: (frames: readonly Buffer[]) => void,
): EncoderProcess {
  const child: ChildProcess = spawn(ffmpegPath, encoderArgs(bitrate), {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own session, so that Ctrl-C reaches only the worker: an encoder that exits cleanly pads its last frame with silence.
    detached: true,
    windowsHide: true,
    env: bareEnvironment(),
  })
  const stdin = child.stdin!
  const cut = createFrameCutter()
  let complaint = ''
  child.stdout!.on('data', (bytes: Buffer) => onFrames(cut(bytes)))
  child.stderr!.on('data', (text: Buffer) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT_CHARACTERS)
  })
  stdin.on('error', () => {}) // reported by 'close'
  const ended = new Promise<object>((resolve) => {
    child.once('error', (err) => resolve({ err, complaint }))
    child.once('close', (code, signal) => resolve({ code, signal, complaint }))
  })
  return {
    get pid() {
      return child.pid
    },
    get isWritable() {
      return stdin.writable
    },
    write(pieces) {
      stdin.cork()
      for (const piece of pieces) stdin.write(piece)
      stdin.uncork()
    },
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}

function encoderArgs(bitrate: number): string[] {
  // Without `-fflags nobuffer`, which makes ffmpeg drop the first 1024 samples.
  const input = '-f s16le -ar 44100 -ac 2 -probesize 32 -analyzeduration 0 -i pipe:0'
  const output = `-c:a libmp3lame -b:a ${bitrate}k -reservoir 0 -write_xing 0 -id3v2_version 0 -flush_packets 1`
  return `-hide_banner -loglevel error ${input} ${output} -f mp3 pipe:1`.split(' ')
}
