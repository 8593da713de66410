import { setTimeout as pause } from 'node:timers/promises'

/** Far more than a loaded machine needs for anything that is waited for. */
export const PATIENCE_MS = 60_000
const EVERY_MS = 20

/** Resolves when it is so. @throws with the name of what did not come to pass within a minute. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  everyMs = EVERY_MS,
): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`waited in vain: ${what}`)
    await pause(everyMs)
  }
}
