import { sleep } from '@solstice/station'

/** Far more than a loaded machine needs for any single event; shorter where a fault was put in on purpose. */
export const PATIENCE_MS = Number(process.env.TEST_PATIENCE_S ?? 180) * 1000
/** A thing that is late already is looked at less often: after an eighth of the time waited so far, within these bounds. */
const MIN_PAUSE_MS = 20
const MAX_PAUSE_MS = 100

/** Resolves when the condition holds. @throws with the name of the condition when it takes too long. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  maxPauseMs = MAX_PAUSE_MS,
): Promise<void> {
  const beganMs = performance.now()
  while (!(await isSo())) {
    const waitedMs = performance.now() - beganMs
    if (waitedMs > PATIENCE_MS) throw new Error(`waited in vain: ${what}`)
    await sleep(Math.min(maxPauseMs, Math.max(MIN_PAUSE_MS, waitedMs / 8)))
  }
}

/** Waiters for a condition that changes with events. */
export interface Waiting {
  /** Reports a change: every waiter checks again. */
  changed(): void
  /** Like `until`, but checks only at once and after changes. @throws also what `isSo` throws. */
  until(what: string, isSo: () => boolean): Promise<void>
}

export function waiting(): Waiting {
  const looks = new Set<() => void>()
  return {
    changed() {
      for (const look of looks) look()
    },
    async until(what, isSo) {
      if (isSo()) return
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          clearTimeout(timer)
          looks.delete(look)
        }
        const look = () => {
          try {
            if (!isSo()) return
            resolve()
          } catch (error) {
            reject(error)
          }
          leave()
        }
        const timer = setTimeout(() => {
          leave()
          reject(new Error(`waited in vain: ${what}`))
        }, PATIENCE_MS)
        looks.add(look)
      })
    },
  }
}

/** Resolves as the promise does. @throws with the name of the promise when it takes too long. */
export async function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  const timeUp = new AbortController()
  const late = sleep(PATIENCE_MS, { signal: timeUp.signal }).then(
    () => {
      throw new Error(`waited in vain: ${what}`)
    },
    () => new Promise<never>(() => {}),
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    timeUp.abort()
  }
}
