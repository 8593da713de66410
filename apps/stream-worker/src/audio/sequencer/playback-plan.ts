import type { AirEntry, AirPlan } from '@solstice/playout'
import type { Logger } from 'pino'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { aboutEntry, type Placed } from './air-entry.ts'
import type { Turn } from './sequencer.ts'
import { currentOf, isSameOnAir, placedOf, type Stage } from './stage.ts'

/** The engine as playback sees it: it plans what to play and is told what was played. All moments are station time. */
export interface PlaybackPlan {
  /** The plan for a moment: the entry to play and the one that follows. */
  at(atMs: number): AirPlan
  /** The last sample of a track, jingle or background music was mixed, or its crossfade began; the next one starts at that moment. */
  soundEnded(entryId: string, atMs: number): void
  /** An entry cannot be decoded. The entry on air ends at that moment; a later one leaves the queue. */
  unplayable(entryId: string, atMs: number): void
  /** A track or jingle on air was silent for too long and ends at that moment; `wasHeard` when it had sound before. */
  blank(entryId: string, atMs: number, wasHeard: boolean): void
  /** An entry on air was skipped because its decoder started too late; it may be retried soon. `wasHeard` as in `blank`. */
  late(entryId: string, atMs: number, wasHeard: boolean): void
  /** A jingle, phrase or background track cannot be decoded. If it is on air it ends at that moment, except a phrase. */
  clipUnplayable(clipId: string, atMs: number): void
}

/** Reports to the engine and the listeners what happened at a sample of the broadcast. */
export interface Report {
  /** A turn happened at a sample. The end of a tail is not reported, because the engine already knows it. */
  turn(turn: Turn, at: number): void
  /** An entry cannot be decoded. */
  undecodable(entry: AirEntry, at: number): void
  /** The stage changed at a sample. */
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
      // Logged as an error for operators: the file is broken, or something on the way to it.
      const { wasHeard } = blank
      const about = { media: aboutEntry(entry).media, entryId, wasHeard }
      log.error(
        about,
        turn.do === 'blank' ? 'blank track skipped' : 'track skipped: its decoder did not start in time',
      )
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
