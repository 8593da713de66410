import { RATE, type TrackSound } from './decoding/track-sound.ts'
import { createFader } from './fader.ts'
import { steer } from './steering.ts'
import { stretch } from './stretch.ts'

/** A track on its way into the output, block by block, ahead of time. */
export interface Playhead {
  /** Context frame from which it sounds. */
  readonly startFrame: number
  /** How far the sound is behind its target, seconds, by the block that was scheduled last. */
  readonly errorS: number
  /**
   * Schedules ahead of this context frame.
   *
   * @returns `starved`: the sound isn't decoded yet; `ended`: there is no more; `lost`: it is too far off to be corrected.
   */
  fill(nowFrame: number): 'filled' | 'starved' | 'ended' | 'lost'
  /** True once everything that is scheduled has been played, by this context frame. */
  isOver(frame: number): boolean
  /** Is silent from this context frame on, unless that is taken back by null. */
  endAt(frame: number | null): void
  setGain(gain: number): void
  /** Fades out, at this context frame or now, for good. */
  stop(frame?: number): void
}

const BLOCK = RATE / 2
/** In the background timers run once a second at most; while the measurements settle, corrections are to come soon. */
const AHEAD_S = 3
const AHEAD_AT_FIRST_S = 1.5
const SETTLING_S = 12

interface Start {
  context: AudioContext
  output: AudioNode
  sound: TrackSound
  /** Context frame and sample of the track from which to play. */
  frame: number
  sample: number
  /** It begins amid the sound, and so fades in. */
  isCut: boolean
  /** Amplitude: 1 = as loud as the file. */
  gain: number
  /** The sample that is due at a context frame; null when nothing is. */
  targetAt: (frame: number) => number | null
}

export function startPlayhead(start: Start): Playhead {
  const { context, output, sound, frame, sample, isCut, gain, targetAt } = start
  const fader = createFader(context, output, { gain, fadeInFrame: isCut ? frame : null })
  const sources = new Set<AudioBufferSourceNode>()
  let nextFrame = frame
  let nextSample = sample
  let isCorrecting = false
  let errorS = 0

  /** Plays `count` samples of the track as `length` frames of the output. */
  function schedule(channels: readonly Float32Array[], at: number, count: number, length: number): void {
    const buffer = context.createBuffer(channels.length, length, RATE)
    for (const [i, samples] of channels.entries()) {
      if (length === count)
        buffer.copyToChannel(samples.subarray(at, at + count) as Float32Array<ArrayBuffer>, i)
      else stretch(samples, at, count, buffer.getChannelData(i))
    }
    const source = new AudioBufferSourceNode(context, { buffer })
    source.connect(fader.input)
    source.start(nextFrame / RATE)
    sources.add(source)
    source.onended = () => {
      source.disconnect()
      sources.delete(source)
    }
  }

  return {
    startFrame: frame,
    get errorS() {
      return errorS
    },
    fill(nowFrame) {
      const aheadS = nowFrame - frame < SETTLING_S * RATE ? AHEAD_AT_FIRST_S : AHEAD_S
      while (nextFrame < nowFrame + aheadS * RATE) {
        const piece = sound.pieceAt(nextSample)
        const end = sound.endsAt()
        if (!piece) return end !== null && nextSample >= end ? 'ended' : 'starved'
        const rest = piece.end - nextSample
        const count = rest < 1.25 * BLOCK ? rest : BLOCK
        const target = targetAt(nextFrame)
        errorS = target === null ? 0 : (target - nextSample) / RATE
        const course = { errorS, sinceStartS: (nextFrame - frame) / RATE, isCorrecting }
        const steering = steer(course, count / RATE)
        if (steering.do === 'jump') return 'lost'
        isCorrecting = steering.isCorrecting
        const length = count - Math.round(steering.gainS * RATE)
        schedule(piece.channels, piece.lead + nextSample - piece.start, count, length)
        nextFrame += length
        nextSample += count
        sound.want(nextSample)
      }
      return 'filled'
    },
    isOver: (now) => now >= nextFrame,
    endAt: fader.endAt,
    setGain: fader.setGain,
    stop(end = 0) {
      const silentFromS = fader.close(end)
      for (const source of sources) {
        source.onended = null
        source.stop(silentFromS)
      }
      sources.clear()
    },
  }
}
