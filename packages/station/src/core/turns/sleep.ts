import { setTimeout } from 'node:timers/promises'

/**
 * Waits for `ms` milliseconds.
 *
 * @param options.signal ends the wait early. @param options.ref `false` lets the process exit meanwhile.
 * @throws an AbortError as soon as `signal` is aborted.
 */
export function sleep(ms: number, options?: { signal?: AbortSignal; ref?: boolean }): Promise<void> {
  return setTimeout(ms, undefined, options)
}
