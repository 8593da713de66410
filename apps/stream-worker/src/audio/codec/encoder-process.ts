import { type ChildProcess, spawn } from 'node:child_process'
import { bareEnvironment } from '@solstice/adapters'
import { codecs, type Mount } from '@solstice/station'
import { createFrameCutter } from './mp3-frames.ts'
import { createPacketCutter } from './opus-pages.ts'

const MAX_COMPLAINT_CHARACTERS = 500

/** One ffmpeg that encodes s16le stereo at 44.1 kHz for a mount. */
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
  { ffmpegPath, mount }: { ffmpegPath: string; mount: Mount },
  onFrames: (frames: readonly Buffer[]) => void,
): EncoderProcess {
  const child: ChildProcess = spawn(ffmpegPath, encoderArgs(mount), {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own session, so that Ctrl-C reaches only the worker: an encoder that exits cleanly pads its last frame with silence.
    detached: true,
    windowsHide: true,
    env: bareEnvironment(),
  })
  const stdin = child.stdin!
  const cut = mount.codec === 'opus' ? createPacketCutter() : createFrameCutter(codecs[mount.codec])
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

const outputs: Record<Mount['codec'], (bitrate: number) => string> = {
  // A constant bit rate without reservoir, so that each frame stands alone.
  mp3: (kbits) => `-c:a libmp3lame -b:a ${kbits}k -reservoir 0 -write_xing 0 -id3v2_version 0 -f mp3`,
  // AAC-LC. A frame overlaps with the one before it, and depends on nothing else.
  aac: (kbits) => `-c:a aac -profile:a aac_low -b:a ${kbits}k -f adts`,
  // Ready for lost packets, a frame depends little on those before it: some decoders begin anew at each title, as a listener
  // does who joins. A page per packet comes out at once.
  opus: (kbits) =>
    `-c:a libopus -b:a ${kbits}k -vbr constrained -frame_duration 20 -packet_loss 10 -f ogg -page_duration 20000`,
}

function encoderArgs({ codec, bitrate }: Mount): string[] {
  // Without `-fflags nobuffer`, which makes ffmpeg drop the first 1024 samples.
  const input = '-f s16le -ar 44100 -ac 2 -probesize 32 -analyzeduration 0 -i pipe:0'
  return `-hide_banner -loglevel error ${input} -flush_packets 1 ${outputs[codec](bitrate)} pipe:1`.split(' ')
}
