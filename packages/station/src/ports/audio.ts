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
