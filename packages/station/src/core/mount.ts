import { FRAME_SAMPLES, type Mount, type MountId, SAMPLE_RATE } from '../ports/bus.ts'
import { adtsFrameBytes } from './adts-frame.ts'
import { frameBytes } from './mp3-frame.ts'

/** How frames of a codec look. */
export interface Codec {
  /** Samples per channel at 44.1 kHz. */
  readonly frameSamples: number
  readonly frameMs: number
  readonly contentType: 'audio/mpeg' | 'audio/aac' | 'audio/ogg'
  /** Length in bytes of the frame whose header is at `at`, null when there is none. Absent where frames stand in pages. */
  readonly frameBytes?: (bytes: Uint8Array, at: number) => number | null
}

const AAC_SAMPLES = 1024
/** 20 ms, a packet of which Opus makes 960 samples at 48 kHz. */
const OPUS_SAMPLES = 882
const msOf = (samples: number) => (samples * 1000) / SAMPLE_RATE

export const codecs = {
  mp3: {
    frameSamples: FRAME_SAMPLES,
    frameMs: msOf(FRAME_SAMPLES),
    contentType: 'audio/mpeg',
    frameBytes,
  },
  aac: {
    frameSamples: AAC_SAMPLES,
    frameMs: msOf(AAC_SAMPLES),
    contentType: 'audio/aac',
    frameBytes: adtsFrameBytes,
  },
  opus: {
    frameSamples: OPUS_SAMPLES,
    frameMs: msOf(OPUS_SAMPLES),
    contentType: 'audio/ogg',
  },
} as const satisfies Record<Mount['codec'], Codec>

export const mountId = ({ codec, bitrate }: Mount): MountId => `${codec}-${bitrate}`
