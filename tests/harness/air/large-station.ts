import { initialState, type PlayoutState, type QueueEntry, type TrackRef } from '@solstice/playout'
import { alwaysDay, NOON } from './programme.ts'

const cuePoints = { gainDb: -3.2, startMs: 120, endMs: 199_000 }

/** A station in the middle of a list that holds its whole library, as the prepared lists of both modes do. */
export function largeStation(tracksOfMode: number): PlayoutState {
  const songs = (mode: 'day' | 'night'): TrackRef[] =>
    Array.from({ length: tracksOfMode }, (_, i) => ({
      id: `${mode}/Some Artist ${i % 900} - A Song Of Usual Length ${i}.mp3`,
      title: `A Song Of Usual Length ${i}`,
      artist: `Some Artist ${i % 900}`,
      album: `An Album ${i % 2000}`,
      year: 2001,
      durationMs: 200_000 + i,
      cuePoints,
    }))
  const [day, night] = [songs('day'), songs('night')]
  let serial = 0
  const list = (its: TrackRef[]) => ({
    repeats: false,
    entries: its.map(
      (track): QueueEntry => ({ entryId: `e${serial++}`, track, orderType: null, tier: null }),
    ),
  })
  const current = { ...list(day), index: Math.floor(tracksOfMode / 2) }
  return {
    ...initialState(1, 'sound', alwaysDay, NOON),
    playlist: current,
    prepared: { day: list(day), night: list(night) },
    serial,
    onAir: { phase: 'track', entry: current.entries[current.index]!, startedAtMs: NOON },
  }
}
