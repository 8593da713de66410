import type { SoundTitle } from '../../player.ts'

/** A segment names its track for as long as it lasts; one without a track has no cue, so that of the one before stays. */
const LONGEST_S = 6.5

/** A cue with a frame of ID3, as WebKit and hls.js make them. */
interface MetadataCue {
  startTime: number
  value?: { key?: string; data?: unknown }
}

/** Has a browser read the metadata of segments, which it leaves out unless it is asked. */
export function readMetadata({ textTracks }: HTMLAudioElement): () => void {
  const open = ({ track }: { track: TextTrack | null }) => {
    if (track?.kind === 'metadata') track.mode = 'hidden'
  }
  textTracks.addEventListener('addtrack', open)
  return () => textTracks.removeEventListener('addtrack', open)
}

/** The track that the segment in an element names; null when it names none. */
export function titleIn({ textTracks, currentTime }: HTMLAudioElement): SoundTitle | null {
  const cues = Array.from(textTracks)
    .filter(({ kind }) => kind === 'metadata')
    .flatMap(({ activeCues }) => Array.from((activeCues ?? []) as Iterable<MetadataCue>))
    .filter(({ startTime }) => startTime <= currentTime && currentTime < startTime + LONGEST_S)
  const lastS = Math.max(...cues.map(({ startTime }) => startTime))
  const textOf = (key: string) => {
    const cue = cues.find(({ startTime, value }) => startTime === lastS && value?.key === key)
    return typeof cue?.value?.data === 'string' ? cue.value.data : ''
  }
  const title = textOf('TIT2')
  return title ? { title, artist: textOf('TPE1') } : null
}
