import type { AirEntry, AirPlan } from '@solstice/playout'
import type { Logger } from 'pino'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { aboutEntry, type Placed } from './air-entry.ts'
import type { Turn } from './sequencer.ts'
import { currentOf, isSameOnAir, placedOf, type Stage } from './stage.ts'

/** The engine as the sound sees it: says what is to be heard, and learns what was. All moments are station time. */
export interface PlaybackPlan {
  /** The plan for a moment: what is to be heard, and what follows it. */
  at(atMs: number): AirPlan
  /** The last sample of a track, jingle or background music was mixed, or its crossfade began; the next one starts at that moment. */
  soundEnded(entryId: string, atMs: number): void
  /** An entry cannot be decoded. On air it gives way at that moment, further back it leaves the queue. */
  unplayable(entryId: string, atMs: number): void
  /** A track or jingle on air has been silent for too long and gives way at that moment; `wasHeard`: it had sound before. */
  blank(entryId: string, atMs: number, wasHeard: boolean): void
  /** An entry on air gave way since its decoder started too late; it is worth another try soon. `wasHeard` as in `blank`. */
  late(entryId: string, atMs: number, wasHeard: boolean): void
  /** A jingle, a phrase or background music cannot be decoded. On air it gives way at that moment, but for a phrase. */
  clipUnplayable(clipId: string, atMs: number): void
}

/** Tells the engine and the listeners what was done at a sample of the broadcast. */
export interface Report {
  /** A turn falls on a sample. A tail's end is not told: the engine knows. */
  turn(turn: Turn, at: number): void
  /** An entry cannot be decoded. */
  undecodable(entry: AirEntry, at: number): void
  /** The stage is another one from a sample on. */
  heard(before: Stage, after: Stage, at: number): void
}

export function createReport(options: {
  plan: PlaybackPlan
  timeOf(sample: number): number
  onHeard(sample: number, placed: Placed | null): void
  log: Logger
}): Report {
  const { plan, timeOf, onHeard, log } = options

  function undecodable(entry: AirEntry, at: number) {
    const { clip } = aboutEntry(entry)
    if (clip) plan.clipUnplayable(clip.id, timeOf(at))
    else plan.unplayable(entry.entryId, timeOf(at))
  }

  return {
    undecodable,
    turn(turn, at) {
      if (turn.do === 'begin' || turn.voice.isTail) return
      const { entry, blank } = turn.voice
      const { entryId } = entry
      if (turn.do === 'refuse') return undecodable(entry, at)
      if (turn.do !== 'blank' && turn.do !== 'late') return plan.soundEnded(entryId, timeOf(at))
      // Operators have to see this: the file is at fault, or something on the way to it.
      const { wasHeard } = blank
      const about = { media: aboutEntry(entry).media, entryId, wasHeard }
      log.error(about, turn.do === 'blank' ? 'blank track left' : 'track left: its decoder did not start')
      plan[turn.do](entryId, timeOf(at), wasHeard)
    },
    heard(before, after, at) {
      if (isSameOnAir(before.onAir, after.onAir)) return
      const placed = placedOf(after.onAir)
      const voice = currentOf(after)
      onHeard(voice ? Math.max(at, voice.startsAt) : at, placed)
      if (!voice || voice.isTail || voice.id === currentOf(before)?.id) return
      const { entry, media, startsAt } = voice
      const positionMs = Math.round((at - startsAt) / SAMPLES_PER_MS)
      log.info({ media, entryId: entry.entryId, positionMs }, 'on air')
    },
  }
}
