import type { SoundTitle } from './players/player.ts'
import { type Airing, heardAt } from './timeline.ts'

/** A segment names the track at its middle: around a change the timeline knows better. */
const EXACT_WITHIN_MS = 7_000

/**
 * A function that tells the airing heard at a moment of the station. What the sound itself names counts where the timeline
 * knows nothing of it, for instance while the station can't be reached and a cache has its sound.
 */
export function createHeard(): (
  airings: readonly Airing[],
  momentMs: number,
  named: SoundTitle | null,
) => Airing | null {
  let unknown: Airing | null = null
  return (airings, momentMs, named) => {
    const heard = heardAt(airings, momentMs)
    if (!heard || !named) return heard
    const isNamed = ({ state }: Airing) => state.title === named.title && state.artist === named.artist
    const near = [-EXACT_WITHIN_MS, 0, EXACT_WITHIN_MS].map((byMs) => heardAt(airings, momentMs + byMs)!)
    if (near.some(isNamed)) return heard
    const known = airings.findLast(isNamed)
    if (known) return known
    if (!unknown || !isNamed(unknown)) unknown = unknownAiring(heard, named, momentMs)
    return unknown
  }
}

/** A track of which nothing but its name is known. */
function unknownAiring({ state }: Airing, named: SoundTitle, momentMs: number): Airing {
  const nothing = { track: null, album: '', year: null, duration: 0, seek: 0, cover: null }
  const unpaid = { orderType: null, tier: null, isPreparing: false }
  return { state: { ...state, ...nothing, ...unpaid, ...named }, startedAtMs: momentMs }
}
