import type { EditableTags } from './audio.ts'

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
