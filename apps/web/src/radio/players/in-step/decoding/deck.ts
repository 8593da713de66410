import type { RenewingToken } from '../../../connection/renewing-token.ts'
import { createRetry } from '../../retry.ts'
import { createFrameReader, NotMp3 } from './frame-reader.ts'
import { openStationFile, RangesIgnored } from './station-file.ts'
import { createTrackSound, type Decoder, RATE, type TrackSound } from './track-sound.ts'

/** Holds the sound of one track, and fetches its file by ranges. */
export interface Deck {
  /** The loaded track, also while its file is being fetched or retried; null = none. */
  readonly track: string | null
  readonly sound: TrackSound | null
  /**
   * @param lifeS how long the tokens have to be valid.
   * @param positionS where in the track the sound is needed first.
   */
  load(track: string, lifeS: number, positionS?: number): void
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

const DECODE_TIMEOUT_MS = 15_000

export function createDeck(options: DeckOptions): Deck {
  const { onRetry, onUnfit } = options
  const retry = createRetry()
  let loaded: { track: string; sound: TrackSound; stop: AbortController; resume: () => void } | null = null
  let state: 'fetching' | 'retrying' | 'resting' = 'fetching'

  function load(track: string, lifeS: number, positionS = 0): void {
    unload()
    const stop = new AbortController()
    state = 'fetching'
    let wanted: number | null = null
    const file = openStationFile(track, lifeS, options, stop.signal)
    const reader = createFrameReader(async (start, end) => {
      const range = await file.fetchRange(start, end)
      retry.reset()
      return range
    }, file.fetchPlaces)
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
      if (wanted === null) sound.open(positionS)
      else sound.want(wanted)
    }
    const want = (sample: number) => {
      wanted = sample
      if (state === 'fetching') sound.want(sample)
    }
    loaded = { track, sound: { ...sound, want }, stop, resume }
    sound.open(positionS)
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
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The decoder is silent')), DECODE_TIMEOUT_MS)
  })
  return Promise.race([context.decodeAudioData(mp3), late]).finally(() => clearTimeout(timer))
}
