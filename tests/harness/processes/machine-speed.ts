import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '@solstice/station'
import type { Test } from 'tap'
import { keptFolder } from './kept.ts'
import type { Teardown } from './processes.ts'

/** Longest start of an ffmpeg at which a station is never silent: its sound waits at most 2 s for one. */
const QUICK_MS = 1_000
/** Each start costs 0.1 s of CPU. */
const EVERY_MS = 5_000
const args = '-nostdin -loglevel error -f lavfi -i anullsrc -t 0.1 -f null -'.split(' ')

/** How long the last start took, ms; test files side by side share the starts. */
const lastStart = join(keptFolder, 'last-ffmpeg-start')

/** Told how long each start took. */
const watchers = new Set<(tookMs: number) => void>()
let over = new AbortController()
let watching = Promise.resolve()

async function watch({ signal }: AbortController): Promise<void> {
  await mkdir(keptFolder, { recursive: true })
  while (!signal.aborted) {
    const tookMs = (await justTook()) ?? (await start())
    for (const note of watchers) note(tookMs)
    await sleep(EVERY_MS, { signal }).catch(() => {})
  }
}

async function justTook(): Promise<number | null> {
  const { mtimeMs } = await stat(lastStart).catch(() => ({ mtimeMs: 0 }))
  if (Date.now() - mtimeMs > EVERY_MS) return null
  return Number(await readFile(lastStart, 'utf8')) || null
}

async function start(): Promise<number> {
  const startedMs = performance.now()
  await promisify(execFile)('ffmpeg', args)
  const tookMs = performance.now() - startedMs
  await writeFile(lastStart, `${tookMs}`)
  return tookMs
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
