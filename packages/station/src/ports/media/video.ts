import type { EditableTags } from './audio.ts'

/** The first tracks behind a link, and their total number. */
export interface VideoList {
  tracks: { url: string; title: string }[]
  total: number
}

/** A video site's description of a video. */
export interface VideoFacts {
  title: string
  /** '' when the site names no track in the video. */
  artist: string
  album: string
  year: number | null
  publisher: string
  /** The video's canonical address; '' when the site does not give it. */
  url: string
  /** The link led to a list although a single video was requested. */
  isOfList: boolean
}

/** The external programs that import tracks from video links. */
export interface VideoTools {
  /** Reports the programs that are installed; checked again once a minute. */
  find(): Promise<{ downloader: boolean; ffmpeg: boolean }>
  /** Stores cookies of the video site for a day, for all processes. @throws Failure AIR_UNAVAILABLE while Redis is away. */
  keepCookies(cookies: string): Promise<void>
  /** Deletes the stored cookies. @throws Failure AIR_UNAVAILABLE while Redis is away. */
  forgetCookies(): Promise<void>
  /**
   * Lists at most `maxTracks` tracks behind a link.
   *
   * @throws Failure BAD_REQUEST for `url`, TOOL_UNAVAILABLE, TOOL_TIMEOUT; the reason of `stopping`.
   */
  list(url: string, maxTracks: number, stopping: AbortSignal): Promise<VideoList>
  /**
   * Downloads the sound of a video and passes it to `run.use` as an MP3 with the tags from `run.describe`, which gets the
   * site's description before the download and may refuse by throwing. Temporary files are removed afterwards.
   *
   * @throws Failure as `list`; the errors of `describe` and `use`.
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
