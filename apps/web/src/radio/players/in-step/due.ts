import type { Connection } from '../../connection/connection.ts'
import { localNowMs } from '../../connection/station-clock.ts'
import { type Airing, hasFile } from '../../timeline.ts'
import type { Deck } from './decoding/deck.ts'
import type { TrackSound } from './decoding/track-sound.ts'

/** A track that is due, now or soon. */
export interface Due {
  sound: TrackSound
  /** The position that is due at a local moment, in seconds, negative before its beginning; null when nothing is. */
  positionS: (localMs: number) => number | null
  /** Amplitude: 1 = as loud as the file. */
  gain: number
}

/** The track that begins when the one on air ends, as far as that is known beforehand. */
export interface ExpectedTrack {
  track: string
  /** Station time, epoch ms, of its first second. */
  startedAtMs: number
  gainDb: number | undefined
}

/** The track that follows an airing in sync mode; null when the station has not said it, or may still change the mode before. */
export function expectedAfter(airing: Airing): ExpectedTrack | null {
  const { state, startedAtMs } = airing
  const [next] = state.playlist
  if (!next || !hasFile(airing) || state.duration <= 0) return null
  const endsAtMs = startedAtMs + state.duration * 1000
  const { pendingModeSwitch: pending } = state
  // A switch without a moment waits for the end of the track.
  if (pending && (pending.executeAtMs ?? endsAtMs) <= endsAtMs) return null
  return { track: next.id, startedAtMs: endsAtMs, gainDb: state.nextGainDb }
}

export const gainOf = (db = 0): number => 10 ** (db / 20)

/** The track of a deck, if that is on air or comes next. */
export function dueOf(
  { timeline, stationNowMs }: Pick<Connection, 'timeline' | 'stationNowMs'>,
  { track, sound }: Pick<Deck, 'track' | 'sound'>,
): Due | null {
  const placeNow = () => {
    const airing = timeline.value.at(-1)
    if (!airing || !hasFile(airing)) return null
    const { state, startedAtMs } = airing
    if (state.track === track) return { startedAtMs, gainDb: state.gainDb }
    const next = expectedAfter(airing)
    return next?.track === track ? next : null
  }
  const place = placeNow()
  if (!place || !sound) return null
  const positionS = (localMs: number) => {
    const now = placeNow()
    return now && (stationNowMs() + localMs - localNowMs() - now.startedAtMs) / 1000
  }
  return { sound, positionS, gain: gainOf(place.gainDb) }
}
