import type { Mode } from '@solstice/contracts'
import { applyTheme } from '../theme.ts'
import { isStill } from './still.ts'

let hasArrived = false

/**
 * Shows this mode. The new sky rises over the old one behind a moving horizon, so that at every moment each letter stands
 * on the ground it was made for. A cut at arrival, for those who want no motion, and in browsers without view transitions.
 */
export function turnTo(mode: Mode): void {
  const isTurn = hasArrived && document.documentElement.dataset.mode !== mode
  hasArrived = true
  if (!isTurn || isStill() || !document.startViewTransition) {
    applyTheme(mode)
    return
  }
  const turn = document.startViewTransition(() => applyTheme(mode))
  // Refused where nobody looks, such as in a hidden tab: the mode is applied all the same.
  turn.ready.catch(() => {})
  turn.finished.catch(() => {})
}
