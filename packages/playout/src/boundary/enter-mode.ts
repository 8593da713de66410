import type { Mode } from '@solstice/contracts'
import type { Step } from '../model/commands.ts'
import { noSongs } from '../model/initial-state.ts'
import type { PlayoutState } from '../model/state.ts'

/** Changes the mode on air. A day begins without track requests and without their cooldowns (rule U5). */
export function enterMode(state: PlayoutState, mode: Mode): Step {
  if (mode === state.mode) return { state, effects: [] }
  const entered = { ...state, mode, jingleCount: noSongs, backgroundChoice: null }
  if (mode === 'night') return { state: entered, effects: [] }
  const cleared: PlayoutState = { ...entered, trackRequests: [], trackRequestCooldowns: [] }
  return {
    state: cleared,
    effects: state.trackRequests.length > 0 ? [{ type: 'track-requests-changed', trackRequests: [] }] : [],
  }
}
