import type { Teardown } from './processes/processes.ts'

/** Holds all timers from now on. Returns those that wait; a test runs one by calling it. */
export function holdTimers(t: Teardown): ReadonlySet<() => void> {
  const { setTimeout, clearTimeout } = globalThis
  const waiting = new Set<() => void>()
  Object.assign(globalThis, {
    setTimeout(run: () => void) {
      const timer = () => {
        waiting.delete(timer)
        run()
      }
      waiting.add(timer)
      return timer
    },
    clearTimeout: (timer: () => void) => waiting.delete(timer),
  })
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }))
  return waiting
}

/** Resolves when something that needs no timer has happened. */
export async function settled(hasHappened: () => boolean): Promise<void> {
  while (!hasHappened()) await new Promise(setImmediate)
}
