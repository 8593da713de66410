import type { ProgrammeSettings } from './commands.ts'
import { shuffle } from './random.ts'
import type { TrackRef } from './state.ts'

/** Counted for a track of unknown length wherever lengths are summed up. */
export const ASSUMED_DURATION_MS = 180_000
/** So that there are always ten upcoming entries, a smaller library is played in several rounds. */
export const SMALLEST_LIST = 11

export interface Programme {
  tracks: TrackRef[]
  /** The library was too small for one round. */
  repeats: boolean
  seed: number
}

/**
 * Makes a list out of a library (rules G1–G4): shuffled, no artist twice in a row where that can be avoided, as long as
 * the settings allow.
 *
 * @param after the track before the list, so that the border is as good as the inside.
 */
export function generate(
  library: readonly TrackRef[],
  settings: ProgrammeSettings,
  seed: number,
  after: TrackRef | null,
): Programme {
  const limitMs = settings.useAll ? Number.POSITIVE_INFINITY : settings.maxDurationMs
  const tracks: TrackRef[] = []
  let rounds = 0
  while (library.length > 0 && tracks.length < SMALLEST_LIST) {
    const shuffled = shuffle(library, seed)
    seed = shuffled.seed
    tracks.push(...round(shuffled.items, limitMs, tracks.at(-1) ?? after))
    rounds++
    if (tracks.length === 0) break
  }
  return { tracks, repeats: rounds > 1, seed }
}

/** One round through a shuffled library: first those that suit their neighbour, then the others that still fit. */
function round(shuffled: readonly TrackRef[], limitMs: number, after: TrackRef | null): TrackRef[] {
  const taken: TrackRef[] = []
  const skipped: TrackRef[] = []
  let lengthMs = 0
  const fits = (track: TrackRef) => taken.length === 0 || lengthMs + durationOf(track) <= limitMs
  const take = (track: TrackRef) => {
    taken.push(track)
    lengthMs += durationOf(track)
  }

  for (const track of shuffled) {
    const before = taken.at(-1) ?? after
    if (fits(track) && !(before && sameArtist(before, track))) take(track)
    else skipped.push(track)
  }
  for (const track of skipped) if (fits(track)) take(track)

  if (taken.length > 1 && taken[0]!.id === after?.id) taken.push(taken.shift()!)
  return taken
}

/** The length of a track where lengths are summed up, ms. */
export const durationOf = (track: TrackRef) => track.durationMs ?? ASSUMED_DURATION_MS
const sameArtist = (a: TrackRef, b: TrackRef) => a.artist.toLowerCase() === b.artist.toLowerCase()
