import { PCM_RATE } from './decoder.ts'
import { createKWeighting, loudnessOf } from './k-weighting.ts'

const BLOCK_FRAMES = PCM_RATE / 10
const BLOCK_MS = 100
const MINUTE_BLOCKS = 600
const CLIPPING_BLOCKS = 50
const NOW_BLOCKS = 20
const SHORT_TERM_BLOCKS = 30
const SHORT_TERM_STEP = 10
const FULL_SCALE = 32_767
/** −60 dBFS: the noise of a quiet room stays below it. */
const SILENCE_THRESHOLD = 32_768 / 1000
const BYTES_PER_FRAME = 4

/** The loudest and the middle one of the short-term loudness values (EBU Tech 3341) of a minute, LUFS. */
export interface MinuteLoudness {
  highest: number
  median: number
}

export interface SoundMeter {
  /** Takes stereo samples, 16 bit little endian, 44.1 kHz, cut anywhere. */
  add(piece: Buffer): void
  /** Sound since the last sample above −60 dBFS. */
  readonly silentMs: number
  /** Share of samples at full scale in the last 5 s. */
  readonly clippedShare: number
  /** Loudness of the last 2 s, LUFS; null before. */
  readonly now: number | null
  /** null until a whole minute has been heard. */
  readonly minute: MinuteLoudness | null
}

interface Block {
  power: number
  clipped: number
}

/** Measures decoded sound over the last minute. */
export function createSoundMeter(): SoundMeter {
  const weigh = [createKWeighting(PCM_RATE), createKWeighting(PCM_RATE)] as const
  const blocks: Block[] = []
  let rest: Buffer = Buffer.alloc(0)
  let silentMs = 0

  const measure = (pcm: Buffer) => {
    let power = 0
    let clipped = 0
    let highest = 0
    for (let at = 0; at < pcm.length; at += 2) {
      const sample = pcm.readInt16LE(at)
      const level = Math.abs(sample)
      if (level > highest) highest = level
      if (level >= FULL_SCALE) clipped++
      const weighted = weigh[at % BYTES_PER_FRAME === 0 ? 0 : 1](sample / 32_768)
      power += weighted * weighted
    }
    blocks.push({ power: power / BLOCK_FRAMES, clipped })
    if (blocks.length > MINUTE_BLOCKS) blocks.shift()
    silentMs = highest > SILENCE_THRESHOLD ? 0 : silentMs + BLOCK_MS
  }

  return {
    add(piece) {
      const bytes = Buffer.concat([rest, piece])
      const size = BLOCK_FRAMES * BYTES_PER_FRAME
      let at = 0
      for (; at + size <= bytes.length; at += size) measure(bytes.subarray(at, at + size))
      rest = Buffer.from(bytes.subarray(at))
    },
    get silentMs() {
      return silentMs
    },
    get clippedShare() {
      const last = blocks.slice(-CLIPPING_BLOCKS)
      const clipped = last.reduce((sum, block) => sum + block.clipped, 0)
      return clipped / (CLIPPING_BLOCKS * BLOCK_FRAMES * 2)
    },
    get now() {
      const last = blocks.slice(-NOW_BLOCKS)
      if (last.length < NOW_BLOCKS) return null
      return loudnessOf(last.reduce((sum, { power }) => sum + power, 0) / NOW_BLOCKS)
    },
    get minute() {
      return blocks.length < MINUTE_BLOCKS ? null : minuteOf(blocks)
    },
  }
}

function minuteOf(blocks: readonly Block[]): MinuteLoudness {
  const values: number[] = []
  for (let from = 0; from + SHORT_TERM_BLOCKS <= blocks.length; from += SHORT_TERM_STEP) {
    const span = blocks.slice(from, from + SHORT_TERM_BLOCKS)
    values.push(loudnessOf(span.reduce((sum, { power }) => sum + power, 0) / SHORT_TERM_BLOCKS))
  }
  values.sort((a, b) => a - b)
  return { highest: values.at(-1)!, median: values[values.length >> 1]! }
}
