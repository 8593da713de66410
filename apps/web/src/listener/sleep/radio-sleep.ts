import type { Radio } from '../../radio/radio.ts'
import { isChatting } from '../../radio/timeline.ts'
import { createSleepTimer, type SleepTimer } from './sleep-timer.ts'

/** The sleep timer of a radio. */
export function sleepTimerOf(radio: Radio): SleepTimer {
  return createSleepTimer({
    nowMs: () => Date.now(),
    track() {
      const heard = radio.heard.value
      if (!heard || heard.state.duration <= 0 || isChatting(heard.state)) return null
      return { startedAtMs: heard.startedAtMs, leftMs: (heard.state.duration - radio.position()) * 1000 }
    },
    fade: radio.fade,
    pause: radio.pause,
  })
}
