import { RATE, type TrackSound } from './decoding/track-sound.ts'
import type { Due } from './due.ts'
import type { Output } from './output.ts'
import { type Playhead, startPlayhead } from './playhead.ts'

/** Brings the sound of tracks to the output, and keeps it where the station is. */
export interface Performance {
  /** Plays the track on air. Call it several times a second. */
  proceed(due: Due, output: Output): 'starting' | 'playing'
  /** Has the track that comes next begin at its first sample, unless that is taken back by null or another one. */
  expect(due: Due | null, output: Output): void
  /** Goes over to the track that was expected. Returns false when it was another one, or for another moment. */
  moveOn(sound: TrackSound | null): boolean
  setGain(gain: number): void
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
/** In the background timers run once a second at most. */
const EXPECTED_WITHIN_S = 2
/** A track that begins this far from where it was expected begins anew. */
const MOVED_S = 0.05

interface Expected {
  sound: TrackSound
  head: Playhead
  /** How far its beginning is from where the station wants it now. */
  offS: () => number | null
}

export function createPerformance(): Performance {
  let head: Playhead | null = null
  let next: Expected | null = null

  function stop(): void {
    takeBack()
    head?.stop()
    head = null
  }

  function takeBack(): void {
    next?.head.stop()
    next = null
    head?.endAt(null)
  }

  function restart(due: Due, output: Output): void {
    head?.stop()
    head = begin(due, output)?.head ?? null
  }

  return {
    proceed(due, output) {
      const frame = output.frame()
      const isNextLost = next?.head.fill(frame) === 'lost'
      if (isNextLost) takeBack()
      // It sounds, although the station hasn't said so yet.
      if (next && frame >= next.head.startFrame) return 'playing'
      head ??= begin(due, output)?.head ?? null
      if (!head) return 'starting'
      const result = head.fill(frame)
      const isSpent = result !== 'filled' && head.isOver(frame)
      if (result === 'lost' || (isSpent && !(result === 'ended' && isAtEnd(due, output))))
        restart(due, output)
      return head && frame >= head.startFrame ? 'playing' : 'starting'
    },
    expect(due, output) {
      if (next && next.sound !== due?.sound) takeBack()
      if (next || !due || !head) return
      next = begin(due, output)
      if (!next) return
      head.endAt(next.head.startFrame)
      next.head.fill(output.frame())
    },
    moveOn(sound) {
      const offS = next && next.sound === sound ? next.offS() : null
      if (!next || offS === null || Math.abs(offS) > MOVED_S) return false
      head?.stop(next.head.startFrame)
      head = next.head
      next = null
      return true
    },
    setGain: (gain) => head?.setGain(gain),
    errorS: () => head?.errorS ?? 0,
    stop,
  }
}

/** Starts where the station is, or shortly before that is the first sample, as soon as enough of it is decoded. */
function begin(due: Due, output: Output): Expected | null {
  const { sound, gain } = due
  const targetAt = targetOf(due, output)
  const soonest = output.frame() + Math.round(START_IN_S * RATE)
  const first = sound.sampleAt(0)
  const target = targetAt(soonest)
  if (target === null || first === null || first - target > EXPECTED_WITHIN_S * RATE) return null
  const sample = Math.max(first, target)
  sound.want(sample)
  const isReady =
    sound.pieceAt(sample) && (sound.pieceAt(sample + START_WITH_S * RATE) || sound.endsAt() !== null)
  if (!isReady) return null
  const frame = soonest + sample - target
  const { context, node } = output
  const head = startPlayhead({
    context,
    output: node,
    sound,
    frame,
    sample,
    isCut: sample > first,
    gain,
    targetAt,
  })
  const offS = () => {
    const due = targetAt(frame)
    return due === null ? null : (due - sample) / RATE
  }
  return { sound, head, offS }
}

/** The sample that is due at a frame of the output. */
function targetOf({ sound, positionS }: Due, output: Output): (frame: number) => number | null {
  return (frame) => {
    const heardMs = output.heardMs(frame)
    const position = heardMs === null ? null : positionS(heardMs)
    return position === null ? null : sound.sampleAt(position)
  }
}

function isAtEnd(due: Due, output: Output): boolean {
  const sample = targetOf(due, output)(output.frame())
  const end = due.sound.endsAt()
  return sample === null || end === null || sample > end - END_S * RATE
}
