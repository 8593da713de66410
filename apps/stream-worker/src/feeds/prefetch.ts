import { backgroundInReserve, type PlayoutState, projectAir, upcoming } from '@solstice/playout'
import type { MediaKey } from '@solstice/station'
import { aboutEntry } from '../audio/sequencer/air-entry.ts'

/** Enough to bridge a bucket outage of some minutes. */
const PREFETCHED_TRACKS = 3

/** The files needed next, most urgent first; last the background music, in case hosts begin to talk. */
export function filesToPrefetch(state: PlayoutState, nowMs: number): MediaKey[] {
  const { onAir } = state
  const { current, next } = projectAir(state, nowMs)
  const interrupted = onAir.phase === 'chat' && onAir.interrupted && onAir.entry?.track.id
  return [
    ...[current?.entry, next].map((entry) => entry && aboutEntry(entry).media),
    current?.phrase?.clip.media,
    interrupted,
    ...upcoming(state, PREFETCHED_TRACKS).map(({ track }) => track.id),
    backgroundInReserve(state)?.media,
  ].filter((key) => typeof key === 'string')
}

/** True when two states need the same files. */
export function needsSameFiles(one: PlayoutState, other: PlayoutState): boolean {
  const parts = ['onAir', 'playlist', 'prepared', 'clips', 'backgroundChoice'] as const
  return parts.every((part) => one[part] === other[part])
}
