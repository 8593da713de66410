import type { PublicConfig } from '@solstice/contracts'
import { isAppleTouchDevice } from '../../../../ui/apple-device.ts'
import { playableStreams } from '../quality.ts'
import type { Stream } from '../usual.ts'

/** Plays a playlist of HLS in an audio element. */
export interface SegmentSource {
  /**
   * Gives the playlist to the element, which is to be started then.
   *
   * @param fromMs station time at which to begin, where the playlist still has it; null = as new listeners do.
   */
  open(playlist: string, fromMs: number | null): void
  /** Station time of what is heard, epoch ms; null while it is unknown. */
  heardMs(): number | null
  /** Fetches nothing more; what is there stays. */
  rest(): void
  close(): void
}

/** An element of WebKit, which tells the date of its first second. */
export type DatedAudio = HTMLAudioElement & { getStartDate(): Date }

/** True where the element plays HLS itself and tells what it plays. Chromium's does neither for MP3. */
export const playsNatively = (audio: HTMLAudioElement): audio is DatedAudio =>
  audio.canPlayType('application/vnd.apple.mpegurl') !== '' && 'getStartDate' in audio

/** True where segments go on in the background, and an endless answer may not. */
export const prefersSegments = (audio: HTMLAudioElement): boolean =>
  isAppleTouchDevice() && playsNatively(audio)

/** As Media Source Extensions name them: as they are, or within MP4. */
const types = {
  'audio/mpeg': ['audio/mpeg', 'audio/mp4; codecs="mp3"'],
  'audio/aac': ['audio/mp4; codecs="mp4a.40.2"'],
  'audio/ogg': [],
}

/** The streams that the station has as segments, and that this browser plays as such; the usual one first. */
export function segmentedStreams(config: PublicConfig | null, audio: HTMLAudioElement): Stream[] {
  const isNative = playsNatively(audio)
  return playableStreams(config).filter(
    ({ format }) => isNative || types[format].some((type) => globalThis.MediaSource?.isTypeSupported(type)),
  )
}

/** The address of the playlist of a stream. @param listener by which the station tells its listeners apart. */
export function playlistOf({ format, bitrate }: Stream, listener: string): string {
  const codec = format === 'audio/aac' ? 'aac' : 'mp3'
  return `/api/hls/${codec}-${bitrate}/live.m3u8?listener=${listener}`
}
