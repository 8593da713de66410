import { sleep } from '@solstice/station'

/** Far more than a loaded machine needs for anything that is waited for. */
export const PATIENCE_MS = 120_000
const EVERY_MS = 20

/** Resolves when it is so. @throws with the name of what did not come to pass within two minutes. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  everyMs = EVERY_MS,
): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`waited in vain: ${what}`)
    await sleep(everyMs)
  }
}

/** Those who wait for something that changes by events. */
export interface Waiting {
  /** Something has changed: all who wait look again. */
  changed(): void
  /** As `until`, but looks only at once and after changes. @throws also what `isSo` throws. */
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

/** The outcome of a promise. @throws with the name of what did not come within two minutes. */
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
