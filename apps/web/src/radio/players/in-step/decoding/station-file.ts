import { apiUrl } from '../../../../api.ts'
import type { RenewingToken } from '../../../connection/renewing-token.ts'
import type { FetchRange, FramePlaces } from './frame-reader.ts'

/** The file of a track, as the station sends it. */
export interface StationFile {
  /** @throws RangesIgnored */
  fetchRange: FetchRange
  /** Where its frames lie; null when the station doesn't say. */
  fetchPlaces: () => Promise<FramePlaces | null>
}

/** Something between the station and this page answers with whole files only. */
export class RangesIgnored extends Error {}

const FETCH_TIMEOUT_MS = 20_000

/** @param lifeS how long the tokens have to be valid. */
export function openStationFile(
  track: string,
  lifeS: number,
  { artToken, audioToken }: { artToken: RenewingToken; audioToken: RenewingToken },
  signal: AbortSignal,
): StationFile {
  /** Takes an answer within the time limit. */
  async function ask<T>(
    path: string,
    headers: Record<string, string>,
    take: (response: Response) => Promise<T>,
  ): Promise<T> {
    const tokens = {
      artToken: artToken.peek(lifeS) ?? (await artToken.get(lifeS)),
      audioToken: audioToken.peek(lifeS) ?? (await audioToken.get(lifeS)),
    }
    const stop = new AbortController()
    const abort = () => stop.abort()
    signal.addEventListener('abort', abort)
    const timer = setTimeout(abort, FETCH_TIMEOUT_MS)
    try {
      const url = apiUrl(path, { track, ...tokens })
      const response = await fetch(url, { headers, credentials: 'include', signal: stop.signal })
      // An expired token is the likeliest cause of a refusal.
      if (response.status === 401) await audioToken.renew()
      return await take(response)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      abort()
    }
  }

  return {
    fetchRange: (start, end) =>
      ask('/api/audio/stream', { Range: `bytes=${start}-${end - 1}` }, async (response) => {
        const { status } = response
        if (status === 200) throw new RangesIgnored('A request for a part brought the whole file')
        if (status === 416) return { bytes: new Uint8Array(0), size: start }
        const size = Number(response.headers.get('Content-Range')?.split('/')[1])
        if (status !== 206 || !size) throw new Error(`The station answered ${status}`)
        return { bytes: new Uint8Array(await response.arrayBuffer()), size }
      }),
    fetchPlaces: () =>
      ask('/api/audio/frames', {}, (response) => (response.ok ? response.json() : Promise.resolve(null))),
  }
}
