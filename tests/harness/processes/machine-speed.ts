import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sleep } from '@solstice/station'
import type { Test } from 'tap'
import type { Teardown } from './processes.ts'

/** Longest start of an ffmpeg at which a station is never silent: its sound waits at most 2 s for one. */
const QUICK_MS = 1_000
const EVERY_MS = 2_000

/** Starts its own ffmpeg from time to time until the test ends: the time that takes depends on the machine alone. */
export function watchMachine(t: Teardown) {
  const over = new AbortController()
  const args = [
    '-nostdin',
    '-loglevel',
    'error',
    '-f',
    'lavfi',
    '-i',
    'anullsrc',
    '-t',
    '0.1',
    '-f',
    'null',
    '-',
  ]
  let slowestMs = 0
  const watching = (async () => {
    while (!over.signal.aborted) {
      const startedMs = performance.now()
      await promisify(execFile)('ffmpeg', args)
      slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      await sleep(EVERY_MS, { signal: over.signal }).catch(() => {})
    }
  })()
  t.teardown(() => {
    over.abort()
    return watching
  })
  return {
    /** True when the machine could have had every decoder ready in time; comments when it could not. */
    isQuick(t: Test): boolean {
      const isQuick = slowestMs < QUICK_MS
      if (!isQuick) t.comment(`too slow a machine: ${Math.round(slowestMs)} ms to start an ffmpeg`)
      return isQuick
    },
  }
}
