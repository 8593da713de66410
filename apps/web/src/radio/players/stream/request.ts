import { apiUrl } from '../../../api.ts'
import type { RenewingToken } from '../../connection/renewing-token.ts'
import { clearAudio, startAudio } from '../player.ts'

/** The endless request for the broadcast, in an audio element. */
export interface StreamRequest {
  isOpen(): boolean
  /** Changes whenever the request is opened or dropped. */
  generation(): number
  /**
   * Opens it anew. `unavailable`: there is no token; `superseded`: it was opened or dropped again meanwhile.
   *
   * @param onSource called right before the request is sent.
   */
  open(onSource: () => void): Promise<'started' | 'blocked' | 'failed' | 'unavailable' | 'superseded'>
  drop(): void
  /** Finds out why it failed, and renews a refused token. An element doesn't say why; the station does. */
  diagnose(): Promise<'not-ready' | 'lost' | 'superseded'>
}

export function createStreamRequest(audio: HTMLAudioElement, artToken: RenewingToken): StreamRequest {
  let generation = 0
  return {
    isOpen: () => audio.hasAttribute('src'),
    generation: () => generation,
    async open(onSource) {
      const mine = ++generation
      const isSuperseded = () => mine !== generation
      let token: string
      try {
        token = artToken.peek() ?? (await artToken.get())
      } catch {
        return isSuperseded() ? 'superseded' : 'unavailable'
      }
      if (isSuperseded()) return 'superseded'
      onSource()
      audio.src = apiUrl('/api/stream', { token })
      const result = await startAudio(audio)
      return isSuperseded() ? 'superseded' : result
    },
    drop() {
      generation++
      clearAudio(audio)
    },
    async diagnose() {
      const mine = generation
      const status = await statusOf(await artToken.get().catch(() => ''))
      if (mine !== generation) return 'superseded'
      if (status === 401) await artToken.renew().catch(() => {})
      return status === 503 ? 'not-ready' : 'lost'
    },
  }
}

/** The status with which the station answers a request for the stream; 0 = it doesn't answer. */
async function statusOf(token: string): Promise<number> {
  const stop = new AbortController()
  const answer = fetch(apiUrl('/api/stream', { token }), { signal: stop.signal })
  const status = await answer.then((response) => response.status).catch(() => 0)
  stop.abort()
  return status
}
