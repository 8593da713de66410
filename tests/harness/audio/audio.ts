import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { constants, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { keep } from '../processes/kept.ts'
import { id3v2 } from './tags.ts'

const run = promisify(execFile)

export interface ToneFile {
  hz: number
  /** Hz per second: tells the position by the pitch. */
  rise?: number
  seconds: number
  title?: string
  artist?: string
  album?: string
  /** Amplitude in eighths of full scale, 4 by default. */
  volume?: number
  /** Takes half the time to make and to decode. */
  isMono?: boolean
  /** With a variable bit rate. */
  isVariable?: boolean
}

/** Makes an MP3 of a tone of known pitch and length: 44.1 kHz, tags as given. Equal tones are encoded once, whatever their tags. */
export async function makeTone(path: string, tone: ToneFile): Promise<void> {
  const tags = Object.entries({ TIT2: tone.title, TPE1: tone.artist, TALB: tone.album }).flatMap(
    ([id, text]): [string, Buffer][] => (text === undefined ? [] : [[id, Buffer.from(`\u0003${text}`)]]),
  )
  const made = await keptTone(tone)
  await mkdir(dirname(path), { recursive: true })
  if (tags.length === 0) return copyFile(made, path, constants.COPYFILE_FICLONE)
  await writeFile(path, Buffer.concat([id3v2(4, tags), await readFile(made)]))
}

/** Path of the file of a tone, without its tags. */
export async function keptTone(tone: ToneFile): Promise<string> {
  const phase = `2*PI*t*(${tone.hz}+t*${(tone.rise ?? 0) / 2})`
  const source = tone.rise
    ? `aevalsrc=sin(${phase})/8:sample_rate=44100:duration=${tone.seconds}`
    : `sine=frequency=${tone.hz}:sample_rate=44100:duration=${tone.seconds}`
  const channels = ['-ac', tone.isMono ? '1' : '2', ...(tone.isVariable ? [] : ['-compression_level', '9'])]
  const rate = tone.isVariable ? ['-q:a', '5'] : ['-b:a', tone.isMono ? '64k' : '128k']
  const args = [
    '-f',
    'lavfi',
    '-i',
    source,
    '-af',
    `volume=${tone.volume ?? 4}`,
    ...channels,
    ...rate,
    '-id3v2_version',
    '0',
  ]
  const name = createHash('sha256').update(args.join('\n')).digest('hex').slice(0, 16)
  return keep(`tone-${name}.mp3`, (unfinished) =>
    run('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...args, '-f', 'mp3', unfinished]),
  )
}

/** Decodes MP3 bytes, or those of another format, to samples of the left channel at 44.1 kHz, −1 to 1. */
export async function decode(mp3: Uint8Array, format: 'mp3' | 'aac' | 'ogg' = 'mp3'): Promise<Float32Array> {
  const ffmpeg = spawn('ffmpeg', [
    '-loglevel',
    'error',
    '-f',
    format,
    '-i',
    'pipe:0',
    '-f',
    'f32le',
    '-af',
    'pan=mono|c0=c0',
    '-ar',
    '44100',
    'pipe:1',
  ])
  const chunks: Buffer[] = []
  ffmpeg.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  ffmpeg.stdin.on('error', () => {})
  ffmpeg.stdin.end(mp3)
  await new Promise((resolve) => ffmpeg.once('close', resolve))
  const bytes = Buffer.concat(chunks)
  return new Float32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length - (bytes.length % 4)),
  )
}

/** Strength of one pitch in a window of samples (Goertzel): roughly the amplitude of that tone. */
export function pitch(samples: Float32Array, hz: number, from = 0, count = samples.length - from): number {
  const k = 2 * Math.cos((2 * Math.PI * hz) / 44_100)
  let s1 = 0
  let s2 = 0
  for (let i = from; i < from + count; i++) {
    const s = samples[i]! + k * s1 - s2
    s2 = s1
    s1 = s
  }
  return (2 * Math.sqrt(Math.max(0, s1 * s1 + s2 * s2 - k * s1 * s2))) / count
}

/** The strongest of the pitches in each window, or null when it is quiet. */
export function melody(samples: Float32Array, pitches: number[], windowSamples = 2205): (number | null)[] {
  const heard: (number | null)[] = []
  for (let at = 0; at + windowSamples <= samples.length; at += windowSamples) {
    const strengths = pitches.map((hz) => pitch(samples, hz, at, windowSamples))
    const loudest = Math.max(...strengths)
    heard.push(loudest < 0.02 ? null : pitches[strengths.indexOf(loudest)]!)
  }
  return heard
}
