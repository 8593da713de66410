/** A low rate is enough for a picture, and keeps long sounds small in memory. */
const RATE = 8_000
const BARS = 240

export interface SoundShape {
  /** Loudness from 0 to 1, in equal steps. */
  peaks: readonly number[]
  durationS: number
}

/** Length and shape of a sound file; null when the browser can't decode it. */
export async function readShape(bytes: Blob): Promise<SoundShape | null> {
  try {
    const context = new OfflineAudioContext(1, 1, RATE)
    const sound = await context.decodeAudioData(await bytes.arrayBuffer())
    return { peaks: peaksOf(sound.getChannelData(0), BARS), durationS: sound.duration }
  } catch {
    return null
  }
}

/** The loudest sample of each of so many equal parts, relative to the loudest of all. */
export function peaksOf(samples: Float32Array, parts: number): number[] {
  const each = Math.max(1, Math.floor(samples.length / parts))
  const peaks = Array.from({ length: parts }, (_, part) => {
    let peak = 0
    for (let i = part * each; i < Math.min(samples.length, (part + 1) * each); i++)
      peak = Math.max(peak, Math.abs(samples[i]!))
    return peak
  })
  const most = Math.max(...peaks)
  return most > 0 ? peaks.map((peak) => peak / most) : peaks
}
