import { apiUrl } from '../../../../api.ts'
import type { RenewingToken } from '../../../connection/renewing-token.ts'
import { createRetry } from '../../retry.ts'
import { createFrameReader, type FetchRange, NotMp3 } from './frame-reader.ts'
import { createTrackSound, type Decoder, RATE, type TrackSound } from './track-sound.ts'

/** Holds the sound of one track, and fetches its file by ranges. */
export interface Deck {
  /** The loaded track, also while its file is being fetched or retried; null = none. */
  readonly track: string | null
  readonly sound: TrackSound | null
  /** @param lifeS how long the tokens have to be valid. */
  load(track: string, lifeS: number): void
  /** Fetches now what would be fetched later, after a failure. */
  retryNow(): void
  unload(): void
}

interface Dependencies {
  artToken: RenewingToken
  audioToken: RenewingToken
  /** Fetching failed, and is retried. */
  onRetry: () => void
  /** The file can't be played this way. */
  onUnfit: () => void
}

const FETCH_TIMEOUT_MS = 20_000
const DECODE_TIMEOUT_MS = 15_000

export function createDeck(dependencies: Dependencies): Deck {
  const { onRetry, onUnfit } = dependencies
  const retry = createRetry()
  let loaded: { track: string; sound: TrackSound; stop: AbortController; retryNow: () => void } | null = null

  function load(track: string, lifeS: number): void {
    unload()
    const stop = new AbortController()
    const isMine = () => loaded?.stop === stop
    let isWaiting = false
    let wanted = 0
    const fetchRange = rangesOf(track, lifeS, dependencies, stop.signal)
    const reader = createFrameReader(async (start, end) => {
      const range = await fetchRange(start, end)
      retry.reset()
      return range
    })
    const sound = createTrackSound(reader, decoder, (error) => {
      if (!isMine()) return
      if (error instanceof NotMp3 || error instanceof Undecodable) {
        // Whoever presses Listen later learns it again.
        unload()
        onUnfit()
        return
      }
      isWaiting = true
      onRetry()
      retry.schedule(again)
    })
    const again = () => {
      isWaiting = false
      sound.want(wanted)
    }
    const retryNow = () => {
      if (!isWaiting) return
      retry.cancel()
      again()
    }
    const want = (sample: number) => {
      wanted = sample
      if (!isWaiting) sound.want(sample)
    }
    loaded = { track, sound: { ...sound, want }, stop, retryNow }
    want(0)
  }

  function unload(): void {
    retry.cancel()
    loaded?.stop.abort()
    loaded = null
  }

  return {
    get track() {
      return loaded?.track ?? null
    },
    get sound() {
      return loaded?.sound ?? null
    },
    load,
    retryNow: () => loaded?.retryNow(),
    unload,
  }
}

/** The browser can't decode the frames, now or later. */
class Undecodable extends Error {}

function rangesOf(
  track: string,
  lifeS: number,
  { artToken, audioToken }: Pick<Dependencies, 'artToken' | 'audioToken'>,
  signal: AbortSignal,
): FetchRange {
  return async (start, end) => {
    const tokens = {
      artToken: artToken.peek(lifeS) ?? (await artToken.get(lifeS)),
      audioToken: audioToken.peek(lifeS) ?? (await audioToken.get(lifeS)),
    }
    const stop = new AbortController()
    const abort = () => stop.abort()
    signal.addEventListener('abort', abort)
    const timer = setTimeout(abort, FETCH_TIMEOUT_MS)
    try {
      const response = await fetch(apiUrl('/api/audio/stream', { track, ...tokens }), {
        headers: { Range: `bytes=${start}-${end - 1}` },
        credentials: 'include',
        signal: stop.signal,
      })
      // An expired token is the likeliest cause of a refusal.
      if (response.status === 401) await audioToken.renew()
      const size = Number(response.headers.get('Content-Range')?.split('/')[1])
      if (response.status === 416) return { bytes: new Uint8Array(0), size: start }
      if (response.status !== 206 || !size) throw new Error(`The station answered ${response.status}`)
      return { bytes: new Uint8Array(await response.arrayBuffer()), size }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }
}

/** The browser's decoder, which works without a running context too. */
const decoder: Decoder = {
  async decode(mp3) {
    const buffer = await decodeInTime(mp3).catch((error) => {
      throw new Undecodable('The browser decodes no frames', { cause: error })
    })
    const channels = Array.from({ length: Math.min(2, buffer.numberOfChannels) }, (_, i) =>
      buffer.getChannelData(i),
    )
    return { channels, length: buffer.length }
  },
}

async function decodeInTime(mp3: ArrayBuffer): Promise<AudioBuffer> {
  const context = new OfflineAudioContext(2, 1, RATE)
  const late = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error('The decoder is silent')), DECODE_TIMEOUT_MS),
  )
  return Promise.race([context.decodeAudioData(mp3), late])
}
