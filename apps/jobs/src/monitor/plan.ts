import { nextDueMs, type PlayoutState, type TrackRef } from '@solstice/playout'
import type { Plan } from './judge.ts'

/**
 * The plan after a state, which goes on from the plan before it.
 *
 * @param loudnessOf integrated loudness of a track's file, LUFS; null = unknown.
 */
export function planOf(
  state: PlayoutState,
  before: Plan | null,
  loudnessOf: (trackId: string) => number | null,
  nowMs: number,
): Plan {
  const { onAir } = state
  const dueMs = nextDueMs(state)
  if (onAir.phase !== 'track' && onAir.phase !== 'jingle')
    return { soundSinceMs: null, title: '', titleSinceMs: nowMs, lufs: null, dueMs }
  const { track } = onAir.entry
  const title = titleOf(track)
  const isSame = before !== null && before.title === title && before.soundSinceMs !== null
  return {
    soundSinceMs: before?.soundSinceMs ?? nowMs,
    title,
    titleSinceMs: isSame ? before.titleSinceMs : nowMs,
    lufs: plannedLoudness(track, loudnessOf(track.id)),
    dueMs,
  }
}

/** As ICY names it. */
function titleOf({ artist, title }: TrackRef): string {
  return [artist, title]
    .map((text) => text.trim())
    .filter(Boolean)
    .join(' - ')
}

function plannedLoudness({ cuePoints }: TrackRef, lufs: number | null): number | null {
  return lufs === null ? null : lufs + (cuePoints?.gainDb ?? 0)
}
