import type { RadioState } from '@solstice/contracts'

/** The length of a track that the station doesn't tell. */
const USUAL_TRACK_S = 210

/** How a track comes into the queue: paid in this tier, or requested. */
export type Way = { is: 'paid'; tier: number } | { is: 'requested' }

/**
 * Seconds until a track would be heard that came into the queue now; null while nobody can say. Paid tracks are ahead of
 * requested ones, higher tiers ahead of lower ones, and those ahead of the programme.
 *
 * @param positionS into the track on air.
 */
export function expectedWaitS(state: RadioState, positionS: number, way: Way): number | null {
  const { isPlaying, isPreparing, duration, playlist } = state
  if (!isPlaying || isPreparing || duration <= 0) return null
  const ahead = playlist.filter(
    ({ orderType, tier }) =>
      (orderType === 'donated' && (way.is === 'requested' || (tier ?? 1) >= way.tier)) ||
      (orderType === 'lastinline' && way.is === 'requested'),
  )
  return Math.max(0, duration - positionS) + ahead.length * USUAL_TRACK_S
}
