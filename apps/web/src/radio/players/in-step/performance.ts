import { RATE, type TrackSound } from './decoding/track-sound.ts'
import type { Output } from './output.ts'
import { type Playhead, startPlayhead } from './playhead.ts'

/** Brings the sound of a track to the output, and keeps it where the station is. */
export interface Performance {
  /** Call it several times a second. */
  proceed(sound: TrackSound, output: Output): 'starting' | 'playing'
  /** How far the sound is behind the station, in seconds. */
  errorS(): number
  stop(): void
}

/** Between the decision to start and the first frame. */
const START_IN_S = 0.06
/** Decoded before a start, so that it does not stop again at once. */
const START_WITH_S = 0.3
/** The same track may follow itself; else nothing is begun anew this close to its end. */
const END_S = 2

/** @param positionS the position in the track that is due at a local moment, in seconds; null when nothing is. */
export function createPerformance(positionS: (localMs: number) => number | null): Performance {
  let head: Playhead | null = null

  function targetOf(sound: TrackSound, output: Output): (frame: number) => number | null {
    return (frame) => {
      const heardMs = output.heardMs(frame)
      const position = heardMs === null ? null : positionS(heardMs)
      return position === null ? null : sound.sampleAt(position)
    }
  }

  /** Starts where the station is, as soon as enough of it is decoded. */
  function begin(sound: TrackSound, output: Output): Playhead | null {
    const frame = output.frame() + Math.round(START_IN_S * RATE)
    const targetAt = targetOf(sound, output)
    const sample = targetAt(frame)
    if (sample === null || sample < 0) return null
    sound.want(sample)
    const isReady =
      sound.pieceAt(sample) && (sound.pieceAt(sample + START_WITH_S * RATE) || sound.endsAt() !== null)
    if (!isReady) return null
    return startPlayhead({ context: output.context, output: output.node, sound, frame, sample, targetAt })
  }

  function isAtEnd(sound: TrackSound, output: Output): boolean {
    const sample = targetOf(sound, output)(output.frame())
    const end = sound.endsAt()
    return sample === null || end === null || sample > end - END_S * RATE
  }

  function stop(): void {
    head?.stop()
    head = null
  }

  return {
    proceed(sound, output) {
      head ??= begin(sound, output)
      if (!head) return 'starting'
      const frame = output.frame()
      const result = head.fill(frame)
      const isSpent = result !== 'filled' && head.isOver(frame)
      if (result === 'lost' || (isSpent && !(result === 'ended' && isAtEnd(sound, output)))) {
        stop()
        head = begin(sound, output)
      }
      return head && frame >= head.startFrame ? 'playing' : 'starting'
    },
    errorS: () => head?.errorS ?? 0,
    stop,
  }
}
