import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { LoudnessMeter, Measured } from '@solstice/station'
import { lowerPriority } from '../process/low-priority.ts'
import { bareEnvironment, FORMATS } from '../process/started-programs.ts'

/** A file that takes longer is not worth the work, or ffmpeg hangs. */
const MEASURE_TIMEOUT_MS = 15 * 60 * 1000
const SAMPLE_RATE = 44_100
/** −60 dBFS: the noise of an encoder or a quiet room stays below it, the end of a fade does not. */
const SILENCE_THRESHOLD = 32_768 / 1000
/** The absolute gate of EBU R128: nothing below it counts. */
const GATE_LUFS = -70
const POINTS = 800
/** Samples of all channels that one value of the outline stands for; bounds the memory of long files. */
const SPAN = 4096
/** ffmpeg prints metadata of the file, which may be of any length. */
const MAX_LINE_CHARACTERS = 4096

/**
 * Measures each file with an ffmpeg of its own at the lowest priority: loudness and true peak by its `ebur128` filter (EBU
 * R128, ITU-R BS.1770), everything else from the decoded samples.
 */
export function openLoudnessMeter(ffmpegPath: string, timeoutMs = MEASURE_TIMEOUT_MS): LoudnessMeter {
  return {
    async measure(source, stopping) {
      stopping.throwIfAborted()
      const ffmpeg = spawn(ffmpegPath, args(source), {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: bareEnvironment(),
      })
      const kill = () => ffmpeg.kill('SIGKILL')
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        kill()
      }, timeoutMs)
      stopping.addEventListener('abort', kill)
      try {
        const ended = once(ffmpeg, 'close')
        ended.catch(() => {})
        lowerPriority(ffmpeg.pid)
        const report = readReport(ffmpeg)
        const outline = await outlineOf(ffmpeg)
        const [code, signal] = await ended
        stopping.throwIfAborted()
        if (signal !== null && !isLate) throw new Error(`ffmpeg was ended by ${signal}`)
        return code === 0 ? summary(report, outline) : null
      } finally {
        clearTimeout(timer)
        stopping.removeEventListener('abort', kill)
        kill()
      }
    },
  }
}

function args(source: string): string[] {
  const isAddress = /^https?:\/\//.test(source)
  return [
    ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'info', '-threads', '1'],
    ...['-protocol_whitelist', isAddress ? 'http,https,tcp,tls' : 'file', '-format_whitelist', FORMATS],
    ...['-i', isAddress ? source : `file:${source}`],
    ...['-map', '0:a:0', '-map_metadata', '-1', '-vn', '-sn', '-dn'],
    ...['-af', `aresample=${SAMPLE_RATE},ebur128=peak=true:dualmono=true:framelog=verbose`],
    ...['-f', 's16le', '-c:a', 'pcm_s16le', '-ar', String(SAMPLE_RATE), 'pipe:1'],
  ]
}

/** ffmpeg's report on the sound. */
interface Report {
  channels: number
  lufs: number | null
  peakDb: number | null
}

const channelNames: Record<string, number> = { mono: 1, stereo: 2 }

/** Reads the printed lines as they come; the summary is the last. */
function readReport({ stderr }: ChildProcess): Report {
  const report: Report = { channels: 2, lufs: null, peakDb: null }
  let rest = ''
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!.slice(0, MAX_LINE_CHARACTERS)
    for (const line of lines) {
      const [, layout] = /^ {2}Stream #0:0.*: Audio: pcm_s16le,.* \d+ Hz, ([\w.]+)/.exec(line) ?? []
      const [, lufs] = /^ {4}I: +(-?[\d.]+) LUFS$/.exec(line) ?? []
      const [, peakDb] = /^ {4}Peak: +(-?[\d.]+) dBFS$/.exec(line) ?? []
      if (layout) report.channels = channelNames[layout] ?? channelsIn(layout)
      if (lufs) report.lufs = Number(lufs)
      if (peakDb) report.peakDb = Number(peakDb)
    }
  })
  return report
}

/** The number of channels of a layout such as `5.1`. */
function channelsIn(layout: string): number {
  const [main, low] = layout.split('.')
  return Number.parseInt(main!, 10) + (Number.parseInt(low ?? '0', 10) || 0) || 2
}

/** Counted in samples of all channels together. */
interface Outline {
  count: number
  /** The first sound, and the last; −1 = there is none. */
  first: number
  last: number
  /** The highest sample of each span. */
  spans: number[]
}

async function outlineOf({ stdout }: ChildProcess): Promise<Outline> {
  const outline: Outline = { count: 0, first: -1, last: -1, spans: [] }
  let odd: Buffer | null = null
  let highest = 0
  for await (const piece of stdout!) {
    const bytes: Buffer = odd ? Buffer.concat([odd, piece]) : piece
    const whole = bytes.length - (bytes.length % 2)
    odd = whole < bytes.length ? bytes.subarray(whole) : null
    for (let at = 0; at < whole; at += 2) {
      const level = Math.abs(bytes.readInt16LE(at))
      if (level > SILENCE_THRESHOLD) {
        if (outline.first < 0) outline.first = outline.count
        outline.last = outline.count
      }
      if (level > highest) highest = level
      if (++outline.count % SPAN === 0) {
        outline.spans.push(highest)
        highest = 0
      }
    }
  }
  if (outline.count % SPAN > 0) outline.spans.push(highest)
  return outline
}

function summary({ channels, lufs, peakDb }: Report, { count, first, last, spans }: Outline): Measured {
  const perMs = (channels * SAMPLE_RATE) / 1000
  const isLoud = lufs !== null && lufs > GATE_LUFS
  return {
    lufs: isLoud ? lufs : null,
    peakDb: isLoud ? peakDb : null,
    isMono: channels === 1,
    startMs: Math.floor(Math.max(0, first) / perMs),
    endMs: last < 0 ? null : Math.ceil((last + 1) / perMs),
    peaks: count === 0 ? '' : waveform(spans).toString('base64'),
  }
}

function waveform(spans: number[]): Buffer {
  return Buffer.from(
    Array.from({ length: POINTS }, (_, i) => {
      const from = Math.floor((i * spans.length) / POINTS)
      const to = Math.max(from + 1, Math.floor(((i + 1) * spans.length) / POINTS))
      return Math.min(255, Math.round((Math.max(...spans.slice(from, to)) / 32_768) * 255))
    }),
  )
}
