import type { LibraryItem } from '@solstice/contracts'
import { createStore, type Store } from '../ui/store.ts'

/** A song with the text in which it is searched. */
export interface SearchableSong {
  song: LibraryItem
  text: string
}

export type LibraryState =
  | { is: 'loading' }
  | { is: 'failed' }
  | { is: 'here'; songs: readonly SearchableSong[] }

export interface SongLibrary {
  readonly state: Store<LibraryState>
  /** Loads what is not known or has changed, and follows changes until the returned function is called. */
  open(): () => void
  /** Another library is on the station now. */
  invalidate(): void
  /** Tries to load it again. */
  retry(): void
}

const CROWD_SPREAD_MS = 3000

/** Puts songs into the order of artist and title, ready to be searched. */
export function indexSongs(songs: readonly LibraryItem[]): SearchableSong[] {
  const { compare } = new Intl.Collator(['uk', 'en'], { numeric: true })
  return songs
    .map((song) => ({ song, text: `${song.artist} ${song.title}`.toLowerCase() }))
    .sort((a, b) => compare(a.song.artist, b.song.artist) || compare(a.song.title, b.song.title))
}

/** The songs in whose artist or title every word of the query occurs; without words, all of them. */
export function findSongs(songs: readonly SearchableSong[], query: string): readonly SearchableSong[] {
  const words = query
    .toLowerCase()
    .split(/[\s\p{Pd},|]+/u)
    .filter(Boolean)
  return words.length ? songs.filter(({ text }) => words.every((word) => text.includes(word))) : songs
}

/** Keeps the library of the station for as long as somebody looks at it. */
export function createLibrary(read: () => Promise<LibraryItem[]>): SongLibrary {
  const shelf = createStore<LibraryState>({ is: 'loading' })
  let isStale = true
  let isOpen = false
  let loads = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    const mine = ++loads
    clearTimeout(timer)
    isStale = false
    if (shelf.value.is === 'failed') shelf.set({ is: 'loading' })
    try {
      const songs = await read()
      if (mine === loads) shelf.set({ is: 'here', songs: indexSongs(songs) })
    } catch {
      if (mine !== loads) return
      isStale = true
      shelf.set({ is: 'failed' })
    }
  }

  return {
    state: shelf,
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
      // Everybody hears of the change in one moment; that everybody asks at once is not needed.
      clearTimeout(timer)
      timer = setTimeout(() => void load(), Math.random() * CROWD_SPREAD_MS)
    },
    retry: () => void load(),
  }
}
