import { isSparing } from '../../sparing.ts'
import { createDeck, type Deck, type DeckOptions } from './deck.ts'

/** The deck of the track on air, and one on which the beginning of the next track is put in time. */
export interface Decks extends Pick<Deck, 'track' | 'sound' | 'rest' | 'resume' | 'unload'> {
  /** The track that is put on in time. */
  readonly next: Pick<Deck, 'track' | 'sound'>
  /** Loads a track, or takes what was prepared of it. */
  load(track: string, lifeS: number, positionS: number): void
  /**
   * Fetches the beginning of the track that comes next; null when none is known. Call it often: nothing is fetched before the
   * file on air is wholly there, on lines where every byte counts, or a second time after a failure.
   */
  prepare(track: string | null, lifeS: number): void
}

export function createDecks({ onRetry, onUnfit, ...tokens }: DeckOptions): Decks {
  let onAir = openDeck()
  let next = openDeck()
  /** A track that could not be prepared is fetched when it is on air. */
  let failed: string | null = null

  function openDeck(): Deck {
    const giveUp = () => {
      failed = deck.track
      deck.unload()
    }
    const deck: Deck = createDeck({
      ...tokens,
      onRetry: () => (deck === onAir ? onRetry() : giveUp()),
      onUnfit: (track) => {
        if (deck === onAir) onUnfit(track)
        else failed = track
      },
    })
    return deck
  }

  function clearNext(): void {
    next.unload()
    failed = null
  }

  return {
    get track() {
      return onAir.track
    },
    get sound() {
      return onAir.sound
    },
    get next() {
      return next
    },
    load(track, lifeS, positionS) {
      if (next.track === track) [onAir, next] = [next, onAir]
      else onAir.load(track, lifeS, positionS)
      clearNext()
    },
    prepare(track, lifeS) {
      if (track === null) return clearNext()
      if (track === next.track || track === failed) return
      clearNext()
      const isWhole = onAir.sound !== null && onAir.sound.endsAt() !== null
      if (isWhole && track !== onAir.track && !isSparing()) next.load(track, lifeS)
    },
    rest() {
      onAir.rest()
      clearNext()
    },
    resume: () => onAir.resume(),
    unload() {
      onAir.unload()
      clearNext()
    },
  }
}
