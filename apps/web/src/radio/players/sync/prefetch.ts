import type { Airing } from '../../timeline.ts'
import { tokenLifeS } from '../token-life.ts'
import type { TrackFile } from './track-file.ts'

/** Listeners who all hear the same track are spread over as long again. */
const PREFETCHED_BEFORE_S = 20

/**
 * Has the file of the next track in memory shortly before its turn.
 *
 * @param mayRead false where files come from another origin, from which a page may play but not read.
 * @returns the function to call several times a second, with the track that plays and what is left of it.
 */
export function createPrefetch(
  audio: HTMLAudioElement,
  file: Pick<TrackFile, 'prepare'>,
  mayRead: () => boolean,
): (airing: Airing, leftS: number) => void {
  const beforeS = PREFETCHED_BEFORE_S * (1 + Math.random())
  return ({ state }, leftS) => {
    const [next] = state.playlist
    const isLoaded = audio.readyState === HTMLMediaElement.HAVE_ENOUGH_DATA
    if (next && leftS < beforeS && isLoaded && mayRead()) file.prepare(next.id, tokenLifeS(leftS))
  }
}
