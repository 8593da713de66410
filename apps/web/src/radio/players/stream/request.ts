import { streamBurstMs } from '@solstice/contracts'
import { apiUrl } from '../../../api.ts'
import type { RenewingToken } from '../../connection/renewing-token.ts'
import { clearAudio, startAudio } from '../player.ts'
import { RESTS_FOR_MS } from '../system-pause.ts'
import { frameBehind } from './lag.ts'
import { type Stream, usual } from './usual.ts'

/** The endless request for the broadcast, in an audio element. */
export interface StreamRequest {
  isOpen(): boolean
  /**
   * Opens it anew. `unavailable`: there is no token; `superseded`: it was opened or dropped again meanwhile.
   *
   * @param behindS how far behind the station to begin; null = as new listeners do.
   * @param onSource called right before the request is sent, with how far behind it begins.
   */
  open(
    behindS: (() => number) | null,
    onSource: (behindS: number) => void,
  ): Promise<'started' | 'blocked' | 'failed' | 'unavailable' | 'superseded'>
  drop(): void
  /** Drops it in a while, unless it is opened until then. */
  dropLater(): void
  /** Finds out why it failed, and renews a refused token. An element doesn't say why; the station does. */
  diagnose(): Promise<'not-ready' | 'lost' | 'superseded'>
}

/** @param choose which of the station's streams to open now. */
export function createStreamRequest(
  audio: HTMLAudioElement,
  artToken: RenewingToken,
  choose: () => Stream,
): StreamRequest {
  let generation = 0
  let dropTimer: ReturnType<typeof setTimeout> | undefined
  function drop(): void {
    clearTimeout(dropTimer)
    generation++
    clearAudio(audio)
  }
  return {
    isOpen: () => audio.hasAttribute('src'),
    async open(behindS, onSource) {
      clearTimeout(dropTimer)
      const mine = ++generation
      const isSuperseded = () => mine !== generation
      let token: string
      try {
        token = artToken.peek() ?? (await artToken.get())
      } catch {
        return isSuperseded() ? 'superseded' : 'unavailable'
      }
      const stream = choose()
      const burstFrame = behindS && !isSuperseded() ? await burstFrameOf(stream, token) : null
      if (isSuperseded()) return 'superseded'
      const lagS = behindS && burstFrame !== null ? behindS() : null
      onSource(lagS ?? streamBurstMs / 1000)
      const from = lagS === null ? undefined : String(frameBehind(burstFrame!, lagS, stream.format))
      audio.src = addressOf(stream, token, from)
      const result = await startAudio(audio)
      return isSuperseded() ? 'superseded' : result
    },
    drop,
    dropLater() {
      dropTimer = setTimeout(drop, RESTS_FOR_MS)
    },
    async diagnose() {
      const mine = generation
      const status = await statusOf(addressOf(choose(), await artToken.get().catch(() => '')))
      if (mine !== generation) return 'superseded'
      if (status === 401) await artToken.renew().catch(() => {})
      return status === 503 ? 'not-ready' : 'lost'
    },
  }
}

export const addressOf = ({ path }: Stream, token: string, from?: string) =>
  path === usual.path ? apiUrl('/api/stream', { token, from }) : apiUrl(path, { from })

/** The first frame that the station would send to a new listener; null = it doesn't say. */
async function burstFrameOf(stream: Stream, token: string): Promise<number | null> {
  const answer = await fetch(addressOf(stream, token), { method: 'HEAD' }).catch(() => null)
  const frame = answer?.ok ? answer.headers.get('X-Stream-Frame') : null
  return frame === null ? null : Number(frame)
}

/** The status with which the station answers a request; 0 = it doesn't answer. */
export async function statusOf(url: string): Promise<number> {
  const stop = new AbortController()
  const answer = fetch(url, { signal: stop.signal })
  const status = await answer.then((response) => response.status).catch(() => 0)
  stop.abort()
  return status
}
