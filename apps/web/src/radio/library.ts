import type { LibraryItem } from '@solstice/contracts'
import { createStore, type Store } from '../ui/store.ts'

/** A track with its text for the search. */
export interface SearchableTrack {
  track: LibraryItem
  text: string
}

export type LibraryState =
  | { is: 'loading' }
  | { is: 'failed' }
  | { is: 'loaded'; tracks: readonly SearchableTrack[] }

export interface TrackLibrary {
  readonly state: Store<LibraryState>
  /** Loads the tracks unless they are current, and follows changes until the returned function is called. */
  open(): () => void
  /** The station's library has changed. */
  invalidate(): void
  /** Tries to load it again. */
  retry(): void
}

const RELOAD_SPREAD_MS = 3000

/** Sorts tracks by artist and title and prepares them for the search. */
export function indexTracks(tracks: readonly LibraryItem[]): SearchableTrack[] {
  const { compare } = new Intl.Collator(['uk', 'en'], { numeric: true })
  return tracks
    .map((track) => ({ track, text: `${track.artist} ${track.title}`.toLowerCase() }))
    .sort((a, b) => compare(a.track.artist, b.track.artist) || compare(a.track.title, b.track.title))
}

/** The tracks in whose artist or title every word of the query occurs; without words, all of them. */
export function findTracks(tracks: readonly SearchableTrack[], query: string): readonly SearchableTrack[] {
  const words = query
    .toLowerCase()
    .split(/[\s\p{Pd},|]+/u)
    .filter(Boolean)
  return words.length ? tracks.filter(({ text }) => words.every((word) => text.includes(word))) : tracks
}

/** Keeps the library up to date while it is open. */
export function createLibrary(read: () => Promise<LibraryItem[]>): TrackLibrary {
  const state = createStore<LibraryState>({ is: 'loading' })
  let isStale = true
  let isOpen = false
  let loads = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    const mine = ++loads
    clearTimeout(timer)
    isStale = false
    if (state.value.is === 'failed') state.set({ is: 'loading' })
    try {
      const tracks = await read()
      if (mine === loads) state.set({ is: 'loaded', tracks: indexTracks(tracks) })
    } catch {
      if (mine !== loads) return
      isStale = true
      state.set({ is: 'failed' })
    }
  }

  return {
    state,
    open() {
      isOpen = true
      if (isStale) void load()
      return () => {
        isOpen = false
        clearTimeout(timer)
      }
    },
    invalidate() {
      isStale = true
      if (!isOpen) return
      // All listeners learn of the change at once; their requests are spread over three seconds.
      clearTimeout(timer)
      timer = setTimeout(() => void load(), Math.random() * RELOAD_SPREAD_MS)
    },
    retry: () => void load(),
  }
}
