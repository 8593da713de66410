import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AirEntry, AirPlan, Phrase, QueueEntry } from '@solstice/playout'
import type { FrameChunk, Mount, MountId } from '@solstice/station'
import { pino } from 'pino'
import {
  type Broadcast,
  type PlaybackPlan,
  startBroadcast,
} from '../../../apps/stream-worker/src/audio/broadcast.ts'
import { type Teardown, temporaryFolder } from '../processes/processes.ts'
import { waiting } from '../until.ts'
import { decode, makeTone } from './audio.ts'

export const RATE = 44_100

export const FRAME = 1152

export const START_MS = 1_700_000_000_000

const AHEAD_MS = 1500

export const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })

/** Tracks one after the other, then silence; the least that a broadcast can be given. */
export class Playlist implements PlaybackPlan {
  readonly entries: AirEntry[]
  /** By the id of their entry. */
  readonly phrases: Record<string, Phrase>
  readonly ended: string[] = []
  readonly unplayables: string[] = []
  index = 0
  startedAtMs: number | null = null

  constructor(entries: AirEntry[], phrases: Record<string, Phrase> = {}) {
    this.entries = entries
    this.phrases = phrases
  }
  at(atMs: number): AirPlan {
    const entry = this.entries[this.index]
    if (!entry) return { current: null, next: null }
    this.startedAtMs ??= atMs
    if (atMs < this.startedAtMs) return { current: null, next: entry, beginsInMs: this.startedAtMs - atMs }
    const positionMs = atMs - this.startedAtMs
    const phrase = this.phrases[entry.entryId]
    return {
      current: { entry, positionMs, ...(phrase && { phrase }) },
      next: this.entries[this.index + 1] ?? null,
    }
  }
  soundEnded(entryId: string, atMs: number) {
    this.ended.push(entryId)
    this.go(entryId, this.index + 1, atMs)
  }
  unplayable(entryId: string, atMs: number) {
    this.unplayables.push(entryId)
    if (this.entries[this.index]?.entryId === entryId) this.go(entryId, this.index + 1, atMs)
    else this.remove(entryId)
  }
  blank(entryId: string) {
    throw new Error(`${entryId} is no silence`)
  }
  late(entryId: string) {
    throw new Error(`${entryId} is not late`)
  }
  go(fromId: string, index: number, atMs: number) {
    if (this.entries[this.index]?.entryId !== fromId) throw new Error(`${fromId} is not on air`)
    this.index = index
    this.startedAtMs = atMs
  }
  clipUnplayable(clipId: string, atMs: number) {
    this.unplayables.push(clipId)
    const jingle = this.entries.find((entry) => 'clip' in entry && entry.clip.id === clipId)
    if (!jingle) delete this.phrases[this.entries[this.index]!.entryId]
    else if (jingle === this.entries[this.index]) this.go(jingle.entryId, this.index + 1, atMs)
    else this.remove(jingle.entryId)
  }
  remove(entryId: string) {
    const at = this.entries.findIndex((entry) => entry.entryId === entryId)
    if (at > this.index) this.entries.splice(at, 1)
  }
}

export function entry(name: string, seconds: number | null): QueueEntry {
  const durationMs = seconds === null ? null : seconds * 1000
  const track = { id: name, title: `Title ${name}`, artist: 'Artist', album: '', year: null, durationMs }
  return { entryId: `entry-${name}`, track, orderType: null, tier: null }
}

export function jingle(name: string, seconds: number | null, after: QueueEntry): AirEntry {
  return { entryId: `jingle-${name}`, clip: clip(name, seconds), after }
}

export function clip(name: string, seconds: number | null) {
  return { id: `clip-${name}`, media: name, durationMs: seconds === null ? null : seconds * 1000 }
}

interface Air {
  readonly chunks: FrameChunk[]
  /** Those of the mounts beside the first. */
  readonly others: Map<MountId, FrameChunk[]>
  readonly broadcast: Broadcast
  nowMs(): number
  /** The clock goes on by so much at once, as it does for a process that was not run for a while. */
  pass(ms: number): void
  /** Resolves when so many seconds were published. */
  published(seconds: number): Promise<void>
}

interface AirOptions {
  after?: FrameChunk | null
  others?: { mounts: readonly Mount[]; after: ReadonlyMap<MountId, FrameChunk> }
  speakers?(): string[]
  crossfadeMs?: number
  speed?: number
  lateMs?: number
  /** From `afterMs` after the start the clock runs at a tenth of its speed, until `until` is true. */
  crawls?: { afterMs: number; until(): boolean }
}

/** Broadcasts faster than real time; the clock waits when it is too far ahead of what was published. */
export function onAir(t: Teardown, folder: string, plan: PlaybackPlan, options: AirOptions = {}): Air {
  const { after = null, others, speakers, crossfadeMs = 0, speed = 20, lateMs = 0, crawls } = options
  let clockMs = after ? endOf(after) + lateMs : START_MS
  let limitMs = clockMs + AHEAD_MS
  let leapMs = 0
  let readAt = performance.now()
  const chunks: FrameChunk[] = []
  const ofOthers = new Map<MountId, FrameChunk[]>()
  const news = waiting()
  const seconds = () => (chunks.length * 19 * FRAME) / RATE
  const nowMs = () => {
    const at = performance.now()
    if (leapMs > 0) {
      clockMs += leapMs
      limitMs = clockMs + AHEAD_MS
      readAt = at
      leapMs = 0
    }
    const crawlsFromMs = crawls && !crawls.until() ? START_MS + crawls.afterMs : Number.POSITIVE_INFINITY
    const aheadMs = Math.max(clockMs, crawlsFromMs) + (at - readAt) / 10
    clockMs = Math.max(clockMs, Math.min(limitMs, aheadMs, clockMs + (at - readAt) * speed))
    readAt = at
    return clockMs
  }
  const broadcast = startBroadcast({
    plan,
    source: async (media) => join(folder, `${media}.mp3`),
    async publish(chunk, mount) {
      if (mount) return void ofOthers.set(mount, [...(ofOthers.get(mount) ?? []), chunk])
      chunks.push(chunk)
      limitMs = Math.max(limitMs, endOf(chunk) + AHEAD_MS)
      news.changed()
    },
    nowMs,
    after,
    ...(others && { others }),
    ...(speakers && { speakers }),
    settings: { ffmpegPath: 'ffmpeg', bitrate: 128, crossfadeMs },
    log,
  })
  t.teardown(() => broadcast.stop())
  return {
    chunks,
    others: ofOthers,
    broadcast,
    nowMs,
    pass(ms) {
      leapMs += ms
    },
    published: (wanted) => news.until(`${wanted} s are published`, () => seconds() >= wanted),
  }
}

export const endOf = (chunk: FrameChunk) => chunk.atMs + (chunk.frames * FRAME * 1000) / RATE

/** The markers at the start of tracks and jingles. */
export const starts = (chunks: FrameChunk[]) =>
  chunks
    .flatMap((chunk) => chunk.markers)
    .filter((marker) => marker.entryId !== null && marker.positionMs < 26)

export const soundOf = (chunks: FrameChunk[], codec: Mount['codec'] = 'mp3') =>
  decode(Buffer.concat(chunks.map((chunk) => chunk.audio)), codec === 'opus' ? 'ogg' : codec)

/** Fails unless frames, bytes and times of the chunks follow one another. */
export function consecutive(t: Verdict, chunks: FrameChunk[], frameSamples = FRAME) {
  for (let i = 1; i < chunks.length; i++) {
    const [before, chunk] = [chunks[i - 1]!, chunks[i]!]
    const endMs = before.atMs + (before.frames * frameSamples * 1000) / RATE
    if (chunk.frame !== before.frame + before.frames) t.fail(`frame ${chunk.frame} after ${before.frame}`)
    if (chunk.byte !== before.byte + before.audio.length) t.fail(`byte ${chunk.byte} at ${chunk.frame}`)
    if (Math.abs(chunk.atMs - endMs) > 0.01) t.fail(`${chunk.frame} is due ${chunk.atMs - endMs} ms late`)
  }
  t.pass(`${chunks.length} chunks without a hole`)
}

interface Verdict {
  pass(what: string): unknown
  fail(what: string): unknown
}

/** Sounds named by their pitch in Hz, and files that are none or not whole. */
export async function makeSounds(t: Teardown): Promise<string> {
  const folder = await temporaryFolder(t)
  const tone = (hz: number, seconds: number) => makeTone(join(folder, `${hz}.mp3`), { hz, seconds })
  await Promise.all([tone(300, 3), tone(450, 2.5), tone(600, 4), tone(750, 40), tone(900, 0.4)])
  await writeFile(join(folder, 'letter.mp3'), 'Dear listener, this is no music at all. '.repeat(100))
  await writeFile(join(folder, 'empty.mp3'), '')
  await writeFile(join(folder, 'list.mp3'), "ffconcat version 1.0\nfile '300.mp3'\n")
  const whole = await readFile(join(folder, '750.mp3'))
  await writeFile(join(folder, 'cut.mp3'), whole.subarray(0, whole.length / 4))
  return folder
}
