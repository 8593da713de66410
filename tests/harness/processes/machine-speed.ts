import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sleep } from '@solstice/station'
import type { Test } from 'tap'
import type { Teardown } from './processes.ts'

/** Longest start of an ffmpeg at which a station is never silent: its sound waits at most 2 s for one. */
const QUICK_MS = 1_000
/** Each start costs 0.1 s of CPU. */
const EVERY_MS = 5_000
const args = '-nostdin -loglevel error -f lavfi -i anullsrc -t 0.1 -f null -'.split(' ')

/** Told how long each start took; stations side by side share the starts. */
const watchers = new Set<(tookMs: number) => void>()
let over = new AbortController()
let watching = Promise.resolve()

async function watch({ signal }: AbortController): Promise<void> {
  while (!signal.aborted) {
    const startedMs = performance.now()
    await promisify(execFile)('ffmpeg', args)
    for (const note of watchers) note(performance.now() - startedMs)
    await sleep(EVERY_MS, { signal }).catch(() => {})
  }
}

/** Starts an ffmpeg from time to time until the test ends: the time that takes depends on the machine alone. */
export function watchMachine(t: Teardown) {
  let slowestMs = 0
  const note = (tookMs: number) => {
    slowestMs = Math.max(slowestMs, tookMs)
  }
  if (watchers.size === 0) {
    over = new AbortController()
    watching = watch(over)
  }
  watchers.add(note)
  t.teardown(async () => {
    watchers.delete(note)
    if (watchers.size > 0) return
    over.abort()
    await watching
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
