/** Tags and length of an audio file. */
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
  /**
   * Reads an MP3, safely also when it comes from a stranger; null when the content is not MP3, whatever the file's name.
   * @throws when the file cannot be read.
   */
  readMp3(path: string): Promise<AudioFacts | null>
  /** Reads a library file of any audio format. @throws when the file is not audio. */
  read(path: string): Promise<AudioFacts>
  /**
   * Reads the front cover in the tags of an MP3, or else its first picture, as it was written there; null when there is none
   * of a sensible size. The bytes may be anything.
   * @throws when the file cannot be read.
   */
  readCover(path: string): Promise<Uint8Array | null>
  /**
   * Rewrites these tags of an MP3 and verifies that its sound and all other tags are unchanged.
   * @throws when that is not possible; the file may be damaged then.
   */
  write(path: string, tags: EditableTags): Promise<void>
}

/** The result of listening through an audio file; see `MeasurementRecord` and `WaveformRecord`. */
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
   * Measures a file (path or http address) at the lowest process priority.
   *
   * @returns null when the file cannot be measured, or takes too long.
   * @throws when `stopping` is aborted or the measurement is interrupted; the system's error, with `syscall` `spawn …`,
   * when the measuring program is not installed.
   */
  measure(source: string, stopping: AbortSignal): Promise<Measured | null>
}
