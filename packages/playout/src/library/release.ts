import type { CommandOf } from '../model/commands/commands.ts'
import { withoutTracks } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { lockOf, shownPlaces } from '../queue/projection.ts'

/** Ends a hold that nobody settles (rule K3). */
const WITHHOLD_MS = 60_000

/** Refuses a locked track; a track to be removed leaves the queue and is withheld (rules K1, K2). */
export function releaseTrack(
  state: PlayoutState,
  { trackId, purpose }: CommandOf<'release-track'>,
  nowMs: number,
): Decision<'release-track'> {
  const reason = lockOf(state, trackId)
  if (reason) return refused(state, 'TRACK_LOCKED', { reason })
  if (purpose === 'edit') return accepted(state, { removed: 0 })
  const cleaned = withoutTracks(state, new Set([trackId]))
  const others = state.withheld.filter((hold) => hold.trackId !== trackId)
  const removed = shownPlaces(state, trackId)
  const withheld = [...others, { trackId, untilMs: nowMs + WITHHOLD_MS }]
  return accepted({ ...cleaned, withheld }, { removed })
}
