import { FRAME_SAMPLES } from '@solstice/station'
import type { Logger } from 'pino'
import type { Encoder } from './codec/encoder.ts'
import type { OtherMounts } from './mounts.ts'
import type { Playback } from './playback.ts'
import type { TimeLine } from './time-line.ts'

const TICK_MS = 100
/** Audio is mixed this long before it is due: one tick plus the time that the encoder needs. */
const LEAD_MS = 200
/** Audio that is later than this is given up, and time restarts at the present. */
const MAX_LATE_MS = 20_000

/** Moves audio from playback to the encoders as it falls due. */
export interface Pump {
  /** Continues at once instead of at the next tick, because something awaited may have arrived. */
  progress(): void
  planChanged(): void
  stop(): void
}

interface Parts {
  encoder: Encoder
  others: OtherMounts
  playback: Playback
  timeLine: TimeLine
  /** Called with the number of each frame that was mixed. */
  onMixed(frame: number): void
  nowMs(): number
  log: Logger
}

export function startPump({ encoder, others, playback, timeLine, onMixed, nowMs, log }: Parts): Pump {
  /** `waiting`: a decoder or the encoder is not ready. */
  let state: 'idle' | 'mixing' | 'waiting' | 'stopped' = 'idle'
  let isPlanNew = false
  let wake: NodeJS.Immediate | null = null
  let checkedAtMs = performance.now()

  const dueMs = () => timeLine.timeOf(encoder.offered * FRAME_SAMPLES)

  /** Mixes everything due, as far as decoders and encoder keep up. */
  function mixDue() {
    if (state === 'mixing' || state === 'stopped') return
    state = 'mixing'
    let isWaiting = false
    try {
      const now = nowMs()
      if (now - dueMs() > MAX_LATE_MS) restart(now)
      while (!isWaiting && dueMs() <= now + LEAD_MS) {
        if (isPlanNew) playback.planChanged()
        isPlanNew = false
        if (encoder.hasRoom && others.hasRoom && playback.fill(encoder.block, now)) {
          onMixed(encoder.offered)
          others.take(encoder.block)
          encoder.offer()
        } else isWaiting = true
      }
      encoder.flush()
      others.flush()
    } finally {
      // The pump may have been stopped meanwhile.
      if (isMixing()) state = isWaiting ? 'waiting' : 'idle'
    }
  }

  const isMixing = () => state === 'mixing'

  function restart(now: number) {
    log.warn(
      { frame: encoder.offered, lateMs: now - dueMs() },
      'broadcast too late; restarted at the present',
    )
    timeLine.anchor(encoder.offered * FRAME_SAMPLES, now)
    playback.restart()
  }

  const ticker = setInterval(() => {
    const at = performance.now()
    encoder.check(at - checkedAtMs)
    others.check(at - checkedAtMs)
    playback.check(at - checkedAtMs)
    checkedAtMs = at
    mixDue()
  }, TICK_MS)
  mixDue()

  return {
    progress() {
      if (state !== 'waiting') return
      wake ??= setImmediate(() => {
        wake = null
        mixDue()
      })
    },
    planChanged() {
      // The engine may announce a change during a report to it; the new plan is taken up right after the report.
      isPlanNew = true
      mixDue()
    },
    stop() {
      state = 'stopped'
      clearInterval(ticker)
      if (wake) clearImmediate(wake)
    },
  }
}
