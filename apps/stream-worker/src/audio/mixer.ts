/** A change of loudness with equal power: in follows a quarter of a sine, out a quarter of a cosine. */
export interface Fade {
  direction: 'in' | 'out'
  /** Sample of the broadcast at which it begins. */
  from: number
  /** Samples that it lasts; after them the gain is `level` (in) or 0 (out). */
  length: number
  /** Gain at its loud end, 0 to 1: a fade may begin while another one is under way. */
  level: number
}

/** One sound in the mix. */
export interface Part {
  /** Interleaved stereo, as large as the block that is mixed. */
  samples: Int16Array
  fade: Fade | null
}

/**
 * Mixes the parts into samples `from` to `from + count` of a block; `at` is the sample of the broadcast at `from`.
 * A part that plays alone at full loudness passes unchanged, no parts give silence, and what would be too loud is
 * limited to the range of 16 bits.
 */
export function mix(
  parts: readonly Part[],
  block: Int16Array,
  from: number,
  count: number,
  at: number,
): void {
  const start = from * 2
  const stop = (from + count) * 2
  let isFirst = true
  for (const part of parts) {
    if (part.fade === null || isOver(part.fade, at)) {
      if (part.fade?.direction === 'out') continue
      addPlain(part.samples, block, start, stop, isFirst)
    } else {
      addFading(part.samples, part.fade, block, start, stop, at, isFirst)
    }
    isFirst = false
  }
  if (isFirst) block.fill(0, start, stop)
}

/** True when the fade changes nothing any more from a sample of the broadcast on. */
export function isOver(fade: Fade, at: number): boolean {
  return at >= fade.from + fade.length
}

/** Gain of a fade at a sample of the broadcast, 0 to 1; without a fade 1. */
export function gainAt(fade: Fade | null, at: number): number {
  if (fade === null) return 1
  const quarter = (Math.min(1, Math.max(0, (at - fade.from) / fade.length)) * Math.PI) / 2
  return fade.level * (fade.direction === 'in' ? Math.sin(quarter) : Math.cos(quarter))
}

function addPlain(samples: Int16Array, block: Int16Array, start: number, stop: number, isFirst: boolean) {
  if (isFirst) for (let i = start; i < stop; i++) block[i] = samples[i]!
  else for (let i = start; i < stop; i++) block[i] = limit(block[i]! + samples[i]!)
}

function addFading(
  samples: Int16Array,
  fade: Fade,
  block: Int16Array,
  start: number,
  stop: number,
  at: number,
  isFirst: boolean,
) {
  for (let i = start; i < stop; i += 2) {
    const gain = gainAt(fade, at + (i - start) / 2)
    const left = Math.round(samples[i]! * gain)
    const right = Math.round(samples[i + 1]! * gain)
    block[i] = isFirst ? left : limit(block[i]! + left)
    block[i + 1] = isFirst ? right : limit(block[i + 1]! + right)
  }
}

function limit(sample: number): number {
  return sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample
}
