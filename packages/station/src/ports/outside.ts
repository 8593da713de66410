import type { LyricsEntry } from '@solstice/contracts'

/** A lyrics service in the LRCLIB form. */
export interface LyricsLookup {
  /** The lyrics, or null when the service knows none or lookups are off. @throws when the service cannot be reached. */
  find(song: {
    title: string
    artist: string
    album?: string
    durationSecs?: number
  }): Promise<Pick<LyricsEntry, 'synced' | 'lines'> | null>
}

/** What is written in an audio file. */
export interface AudioFacts {
  title: string | null
  artist: string | null
  album: string | null
  year: number | null
  /** Seconds, measured over the whole file. */
  duration: number | null
}

export interface AudioTags {
  /** @throws when the file is not audio. */
  read(path: string): Promise<AudioFacts>
}
