import type { CuePoints, TrackRef } from './state.ts'
import { noteLook } from './track-places.ts'

// Notes by which those who look at all cue points find what has changed. They are shortcuts: what has no note is compared.

/** Cue points by track id; never changed, but followed by others. */
export type AllCuePoints = Readonly<Record<string, CuePoints>>

interface Entry {
  track: TrackRef
}

const followed = new WeakMap<AllCuePoints, { before: WeakRef<AllCuePoints>; trackIds: ReadonlySet<string> }>()
const tracksWith = new WeakMap<readonly TrackRef[], AllCuePoints>()
const none: ReadonlySet<string> = new Set()

/** Notes how cue points differ from those before: in those of some tracks, and in no other. */
export function noteCuePoints(
  before: AllCuePoints,
  after: AllCuePoints,
  trackIds: ReadonlySet<string>,
): void {
  // A strong reference would keep all cue points there ever were.
  if (after !== before) followed.set(after, { before: new WeakRef(before), trackIds })
}

/** The tracks whose cue points differ from those before; null where that is unknown. */
export function cuePointsChanged(before: AllCuePoints, after: AllCuePoints): ReadonlySet<string> | null {
  if (before === after) return none
  const note = followed.get(after)
  return note?.before.deref() === before ? note.trackIds : null
}

/** Notes that the tracks of a list have exactly these cue points. */
export function noteTracks(tracks: readonly TrackRef[], cuePoints: AllCuePoints): void {
  tracksWith.set(tracks, cuePoints)
}

/** Notes the same of a playlist that is made of such a list and of nothing else. */
export function noteMadeOf(tracks: readonly TrackRef[], entries: readonly Entry[]): void {
  const cuePoints = tracksWith.get(tracks)
  if (cuePoints) noteLook(entries, { by: cuePoints, news: none })
}
