import type { Mode } from '@solstice/contracts'
import { withoutNextJingle } from '../clips/jingles.ts'
import { noSongs } from '../model/initial-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { type Step, stepTo, unchanged } from '../model/steps.ts'

/** Changes the mode on air. A day begins without track requests and without their cooldowns (rule U5). */
export function enterMode(state: PlayoutState, mode: Mode): Step {
  if (mode === state.mode) return unchanged(state)
  const left = withoutNextJingle(state)
  const entered = { ...left, mode, jingleCount: noSongs, backgroundChoice: null }
  if (mode === 'night') return stepTo(entered)
  const cleared: PlayoutState = { ...entered, trackRequests: [], trackRequestCooldowns: [] }
  const hadNone = state.trackRequests.length === 0
  return stepTo(cleared, hadNone ? [] : [{ type: 'track-requests-changed', trackRequests: [] }])
}
