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
  /** Nothing is retried until `resume`. */
  rest(): void
  /** Goes on after a rest; what waits for a retry is fetched now. */
  resume(): void
  unload(): void
}

export interface DeckOptions {
  artToken: RenewingToken
  audioToken: RenewingToken
  /** Fetching failed, and is retried. */
  onRetry: () => void
  /** The file can't be played this way. */
  onUnfit: (track: string) => void
}

const FETCH_TIMEOUT_MS = 20_000
const DECODE_TIMEOUT_MS = 15_000

export function createDeck(options: DeckOptions): Deck {
  const { onRetry, onUnfit } = options
  const retry = createRetry()
  let loaded: { track: string; sound: TrackSound; stop: AbortController; resume: () => void } | null = null
  let state: 'fetching' | 'retrying' | 'resting' = 'fetching'

  function load(track: string, lifeS: number): void {
    unload()
    const stop = new AbortController()
    state = 'fetching'
    let wanted = 0
    const fetchRange = rangesOf(track, lifeS, options, stop.signal)
    const reader = createFrameReader(async (start, end) => {
      const range = await fetchRange(start, end)
      retry.reset()
      return range
    })
    const sound = createTrackSound(reader, decoder, (error) => {
      if (loaded?.stop !== stop) return
      if (error instanceof NotMp3 || error instanceof Undecodable || error instanceof RangesIgnored) {
        // Whoever presses Listen later learns it again.
        unload()
        onUnfit(track)
      } else if (state === 'fetching') {
        state = 'retrying'
        retry.schedule(resume)
        onRetry()
      }
    })
    const resume = () => {
      state = 'fetching'
      sound.want(wanted)
    }
    const want = (sample: number) => {
      wanted = sample
      if (state === 'fetching') sound.want(sample)
    }
    loaded = { track, sound: { ...sound, want }, stop, resume }
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
    rest() {
      retry.cancel()
      state = 'resting'
    },
    resume() {
      if (state === 'fetching') return
      retry.cancel()
      loaded?.resume()
    },
    unload,
  }
}

/** The browser can't decode the frames, now or later. */
class Undecodable extends Error {}

/** Something between the station and this page answers with whole files only. */
class RangesIgnored extends Error {}

function rangesOf(
  track: string,
  lifeS: number,
  { artToken, audioToken }: Pick<DeckOptions, 'artToken' | 'audioToken'>,
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
      if (response.status === 200) throw new RangesIgnored('A request for a part brought the whole file')
      if (response.status === 416) return { bytes: new Uint8Array(0), size: start }
      if (response.status !== 206 || !size) throw new Error(`The station answered ${response.status}`)
      return { bytes: new Uint8Array(await response.arrayBuffer()), size }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      abort()
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
