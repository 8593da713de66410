import { RATE } from './decoding/track-sound.ts'

/** The gain of a track and its fades; its blocks play into it. */
export interface Fader {
  readonly input: AudioNode
  /** Is silent from this context frame on, unless that is taken back by null. */
  endAt(frame: number | null): void
  setGain(gain: number): void
  /** Fades out from this context frame on, or from now, for good. Returns the context time from which it is silent, seconds. */
  close(frame: number): number
}

const FADE_S = 0.02
const GAIN_RAMP_S = 0.02

/**
 * @param start.gain amplitude: 1 = as loud as the file.
 * @param start.fadeInFrame context frame from which to fade in; null = it begins at once.
 */
export function createFader(
  context: AudioContext,
  output: AudioNode,
  { gain, fadeInFrame }: { gain: number; fadeInFrame: number | null },
): Fader {
  const level = context.createGain()
  level.gain.value = gain
  level.connect(output)
  const fade = context.createGain()
  if (fadeInFrame !== null) {
    fade.gain.setValueAtTime(0, fadeInFrame / RATE)
    fade.gain.linearRampToValueAtTime(1, fadeInFrame / RATE + FADE_S)
  }
  fade.connect(level)
  let endS: number | null = null

  return {
    input: fade,
    endAt(frame) {
      if (endS !== null) fade.gain.cancelScheduledValues(endS)
      endS = frame === null ? null : frame / RATE
      if (endS !== null) fade.gain.setTargetAtTime(0, endS, FADE_S / 4)
    },
    setGain: (next) => void level.gain.setTargetAtTime(next, context.currentTime, GAIN_RAMP_S),
    close(frame) {
      const now = context.currentTime
      const fromS = Math.max(now, frame / RATE)
      fade.gain.cancelScheduledValues(fromS)
      fade.gain.setTargetAtTime(0, fromS, FADE_S / 4)
      setTimeout(() => level.disconnect(), 1000 * (fromS - now + 1))
      return fromS + FADE_S
    },
  }
}
