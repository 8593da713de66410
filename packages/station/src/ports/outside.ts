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

/** The tags that the editor changes. */
export interface EditableTags {
  title: string
  artist: string
  album: string
  year: number | null
}

export interface AudioTags {
  /** What an MP3 says, for files from strangers too; null when it is none, whatever it is called. @throws when it cannot be read. */
  readMp3(path: string): Promise<AudioFacts | null>
  /** What a file of the library says, of whatever format. @throws when the file is not audio. */
  read(path: string): Promise<AudioFacts>
  /**
   * Rewrites these tags of an MP3; its sound and all its other tags stay as they are, which is verified.
   * @throws when the file cannot be rewritten like that; it may be spoilt then.
   */
  write(path: string, tags: EditableTags): Promise<void>
}

/** What is heard in an audio file; see `MeasurementRecord` and `WaveformRecord`. */
export interface Measured {
  lufs: number | null
  peakDb: number | null
  isMono: boolean
  startMs: number
  endMs: number | null
  peaks: string
}

export interface LoudnessMeter {
  /**
   * Measures a file (path or http address) with as little claim on the machine as possible.
   *
   * @returns null when the file cannot be measured, or not within the time that it is worth.
   * @throws when `stopping` is aborted, and when something else breaks it off; the error of the system, with `syscall` `spawn …`,
   * when there is nothing to measure with.
   */
  measure(source: string, stopping: AbortSignal): Promise<Measured | null>
}

/** Passwords as they are kept. */
export interface Passwords {
  /** argon2id. */
  hash(password: string): Promise<string>
  /** Compares with an argon2id or a bcrypt hash; against `null` it takes as long and is never right. */
  isRight(password: string, hash: string | null): Promise<boolean>
}

/** The tracks behind a link: the first of them, and how many there are in all. */
export interface VideoList {
  tracks: { url: string; title: string }[]
  total: number
}

/** What a video site says of a video. */
export interface VideoFacts {
  title: string
  /** '' when the site knows of no song in it. */
  artist: string
  album: string
  year: number | null
  publisher: string
  /** Where the video really is; '' when that is not said. */
  url: string
  /** It came out of a list, although one video was asked for. */
  isOfList: boolean
}

/** What songs are taken from video links with. */
export interface VideoTools {
  /** Which of the programs are here; looked up anew once a minute. */
  find(): Promise<{ downloader: boolean; ffmpeg: boolean }>
  /** Keeps cookies of the video site for a day, for all processes. @throws Failure AIR_UNAVAILABLE while Redis is away. */
  keepCookies(cookies: string): Promise<void>
  /** @throws Failure AIR_UNAVAILABLE while Redis is away. */
  forgetCookies(): Promise<void>
  /**
   * Reads what is behind a link, at most `maxTracks` of it.
   *
   * @throws Failure BAD_REQUEST of `url`, TOOL_UNAVAILABLE, TOOL_TIMEOUT; the reason of `stopping`.
   */
  list(url: string, maxTracks: number, stopping: AbortSignal): Promise<VideoList>
  /**
   * Downloads the sound of a video and hands it to `run.use` as an MP3 with the tags that `run.describe` gives. That is
   * told what the site says before anything is downloaded, and refuses by throwing. Nothing of it is left afterwards.
   *
   * @throws Failure as `list`; what `describe` and `use` throw.
   */
  download<T>(
    url: string,
    run: {
      describe(facts: VideoFacts): Promise<EditableTags>
      /** 0 to 1 */
      progress(share: number): void
      use(mp3: AsyncIterable<Uint8Array>): Promise<T>
    },
    stopping: AbortSignal,
  ): Promise<T>
}
