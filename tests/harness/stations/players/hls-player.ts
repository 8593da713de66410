import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adtsFrameBytes, type FrameChunk, frameBytes, sleep } from '@solstice/station'
import type { Test } from 'tap'
import { type Teardown, temporaryFolder } from '../../processes/processes.ts'
import { waiting } from '../../until.ts'

const POLL_MS = 1_000
/** In a segment. */
export const FRAMES = { mp3: 232, aac: 261 } as const

/** A segment as a player got it. */
export interface PlayedSegment extends ListedSegment {
  bytes: Buffer
}

interface ListedSegment {
  number: number
  name: string
  /** `EXT-X-DISCONTINUITY`s before it, counted by the station. */
  breaks: number
  /** `EXT-X-PROGRAM-DATE-TIME`, NaN without one. */
  atMs: number
  isGap: boolean
}

/** The segments in a media playlist. */
export function segmentsIn(playlist: string): ListedSegment[] {
  const tag = (name: string) => Number(new RegExp(`^#EXT-X-${name}:(\\d+)$`, 'm').exec(playlist)?.[1])
  const first = tag('MEDIA-SEQUENCE')
  let breaks = tag('DISCONTINUITY-SEQUENCE')
  return [...playlist.matchAll(/((?:^#.*\n)*)^([^#\n].*)$/gm)].map(([, tags, name], i) => {
    breaks += tags!.split('#EXT-X-DISCONTINUITY\n').length - 1
    const [, date] = /#EXT-X-PROGRAM-DATE-TIME:(.*)/.exec(tags!) ?? []
    return {
      number: first + i,
      name: name!,
      breaks,
      atMs: Date.parse(date ?? ''),
      isGap: tags!.includes('#EXT-X-GAP\n'),
    }
  })
}

/** The bytes of a segment behind its ID3 tag. */
function withoutTag(bytes: Buffer): Buffer {
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | bytes[at]!, 0)
  return bytes.subarray(10 + size)
}

/**
 * A player of HLS that asks another replica each time, and the next one where one is away.
 *
 * @param path of the playlist of a mount.
 */
export function openHlsPlayer(t: Teardown, origins: readonly string[], path: string) {
  const played: PlayedSegment[] = []
  const told = waiting()
  let turn = 0
  let isOver = false
  const ask = async (path: string): Promise<Response | null> => {
    turn++
    for (let i = 0; i < origins.length; i++) {
      const answer = await fetch(origins[(turn + i) % origins.length] + path).catch(() => null)
      if (answer?.ok) return answer
    }
    return null
  }
  const playing = (async () => {
    while (!isOver) {
      const playlist = await (await ask(path))?.text().catch(() => undefined)
      for (const segment of segmentsIn(playlist ?? '')) {
        const before = played.at(-1)?.number
        if (segment.isGap || (before !== undefined && segment.number <= before)) continue
        const url = path.replace('live.m3u8', segment.name)
        const answer = await ask(url)
        const bytes = await answer?.arrayBuffer().catch(() => undefined)
        if (!bytes) break
        played.push({ ...segment, bytes: Buffer.from(bytes) })
        told.changed()
      }
      await sleep(POLL_MS)
    }
  })()
  t.teardown(async () => {
    isOver = true
    await playing
  })
  return {
    played,
    /** Resolves when the segment of this number was played. */
    until: (number: number) => told.until(`segment ${number}`, () => (played.at(-1)?.number ?? 0) >= number),
  }
}

/** The first frames of these chunks from a frame on, as one piece of this many bytes. */
function framesFrom(chunks: readonly FrameChunk[], frame: number, bytes: number): Buffer {
  const all = chunks.filter((chunk) => chunk.frame + chunk.frames > frame)
  const [first] = all
  if (!first || first.frame > frame) throw new Error(`frame ${frame} is not there`)
  const lengthAt = (at: number) => frameBytes(first.audio, at) ?? adtsFrameBytes(first.audio, at) ?? 0
  let skipped = 0
  for (let number = first.frame; number < frame; number++) skipped += lengthAt(skipped)
  return Buffer.concat(all.map(({ audio }) => audio)).subarray(skipped, skipped + bytes)
}

/** False when a slow machine left frames of a mount out: HLS cannot have them either. */
export const isWhole = (chunks: readonly FrameChunk[]) =>
  chunks.every((chunk, i) => i === 0 || chunk.frame === chunks[i - 1]!.frame + chunks[i - 1]!.frames)

/** Fails unless the segments follow each other, and hold the frames of the broadcast. */
export function assertPlayedWhole(
  t: Test,
  played: readonly PlayedSegment[],
  chunks: readonly FrameChunk[],
  codec: 'mp3' | 'aac',
): void {
  const numbers = played.map(({ number }) => number)
  const expected = numbers.map((_, i) => numbers[0]! + i)
  t.same(numbers, expected, `${numbers.length} segments, each once`)
  const heard = Buffer.concat(played.map(({ bytes }) => withoutTag(bytes)))
  const told = framesFrom(chunks, numbers[0]! * FRAMES[codec], heard.length)
  t.ok(told.equals(heard), `${codec}: the frames of the broadcast`)
}

/** Fails where a playlist told of a discontinuity between two of these segments, or time and samples don't go together. */
export function assertUnbroken(
  t: Test,
  played: readonly PlayedSegment[],
  wallSetMs: readonly number[] = [0],
): void {
  const [first] = played
  const mayDifferByMs = wallSetMs.flatMap((one) => wallSetMs.map((other) => one - other))
  const maxErrorMs = wallSetMs.length > 1 ? MAX_STEP_ERROR_MS : MAX_DATE_ERROR_MS
  const flaws = played.filter(({ number, breaks, atMs }) => {
    const offMs = atMs - first!.atMs - (number - first!.number) * SEGMENT_MS
    return breaks !== first!.breaks || !mayDifferByMs.some((byMs) => Math.abs(offMs - byMs) <= maxErrorMs)
  })
  t.same(
    flaws.map(({ number, breaks, atMs }) => ({ number, breaks, atMs })),
    [],
    `dates of ${played.length} segments, 6.06 s apart, with ${first!.breaks} breaks before the first`,
  )
}

/** Fails unless ffmpeg makes the same samples of a playlist and of the continuous stream from the same frame on. */
export async function assertSameSamples(
  t: Test & Teardown,
  url: string,
  chunks: readonly FrameChunk[],
  codec: 'mp3' | 'aac',
): Promise<void> {
  const listed = segmentsIn(await (await fetch(url)).text())
  const heard = await samplesOf(url)
  t.ok(heard.length > (PLAYED_S - 0.1) * 44_100 * 4, `${heard.length} bytes of samples`)
  const folder = await temporaryFolder(t)
  // It begins with the third from the end, which may have changed before it asked.
  const begins = [3, 2].map(async (fromEnd) => {
    const file = join(folder, `${fromEnd}.${codec}`)
    await writeFile(file, framesFrom(chunks, listed.at(-fromEnd)!.number * FRAMES[codec], 1_000_000))
    return (await samplesOf(file, ['-f', codec])).subarray(0, heard.length).equals(heard)
  })
  t.ok((await Promise.all(begins)).includes(true), `${codec}: to the sample`)
}

/** Samples of a stereo sound of 16 bits. */
const BYTES_PER_S = 44_100 * 4

/** ffmpeg as a player of HLS, for as long as the test likes. */
export function openFfmpegPlayer(t: Teardown, url: string) {
  const parts: Buffer[] = []
  const ffmpeg = spawn('ffmpeg', ['-nostdin', '-v', 'quiet', '-i', url, '-f', 's16le', '-'])
  ffmpeg.stdout.on('data', (part: Buffer) => parts.push(part))
  const ended = once(ffmpeg, 'close')
  const stop = async () => {
    ffmpeg.kill('SIGKILL')
    await ended
  }
  t.teardown(stop)
  return {
    /** Ends it and returns its samples. */
    async stop(): Promise<Buffer> {
      await stop()
      return Buffer.concat(parts)
    },
  }
}

/**
 * Fails unless samples that ffmpeg made of segments are those of the broadcast, from the beginning of one of these segments on.
 *
 * @param segments numbers of those that it may have begun with.
 */
export async function assertSamplesOf(
  t: Test & Teardown,
  samples: Buffer,
  segments: readonly number[],
  chunks: readonly FrameChunk[],
  codec: 'mp3' | 'aac',
): Promise<void> {
  const folder = await temporaryFolder(t)
  for (const number of segments) {
    const file = join(folder, `${number}.${codec}`)
    await writeFile(file, framesFrom(chunks, number * FRAMES[codec], Number.POSITIVE_INFINITY))
    const told = await samplesOf(file, ['-f', codec], [])
    if (told.subarray(0, samples.length).equals(samples)) {
      t.pass(`${codec}: ${Math.round(samples.length / BYTES_PER_S)} s to the sample`)
      return
    }
  }
  t.fail(`${codec}: not the samples of the broadcast`)
}

const SEGMENT_MS = (267_264 * 1000) / 44_100
/** Dates are cut to the ms. */
const MAX_DATE_ERROR_MS = 2
/** By how much a clock was set is measured over the way to Redis. */
const MAX_STEP_ERROR_MS = 1_000
const PLAYED_S = 11

/** The samples that ffmpeg makes of a playlist or a file, both channels. */
function samplesOf(
  url: string,
  input: string[] = [],
  length: string[] = ['-t', `${PLAYED_S}`],
): Promise<Buffer> {
  const args = ['-nostdin', '-v', 'error', ...input, '-i', url, ...length, '-f', 's16le', '-']
  return new Promise((resolve, reject) => {
    execFile('ffmpeg', args, { encoding: 'buffer', maxBuffer: 2 ** 27 }, (error, samples) =>
      error ? reject(error) : resolve(samples),
    )
  })
}
