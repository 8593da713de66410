import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { sleep } from '../packages/station/src/core/sleep.ts'

const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
const HEALTHY_AFTER_MS = 60_000

/** Status with which a process says that its configuration is refused (EX_CONFIG of sysexits.h): no use to try again. */
export const CONFIGURATION_REFUSED = 78

/** One process that is to run all the time. */
export interface Plan {
  name: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  /**
   * How it notices that we ended, whatever ended us: `ipc`, a Node process whose channel to us closes and which ends on
   * SIGTERM; `stdin`, a process that ends with its input.
   */
  leash: 'ipc' | 'stdin'
  /** The longest delay before it is started again, ms; 30 s unless told otherwise. */
  longestDelayMs?: number
  /** Done before every start. */
  prepare?: () => Promise<void>
  /** Gets each line that it prints; without it the process prints where we print. */
  onLine?: (line: string) => void
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Why it could not be started. */
  error?: Error
}

export interface Supervised {
  readonly name: string
  /** Of the process that runs now. */
  readonly pid: number | undefined
  /** Resolves when it ended for good: after `stop`, or because its configuration is refused. */
  readonly ended: Promise<Exit>
  /** Asks it to end; it is not started again. */
  stop(): void
  /** Ends it and its children at once. */
  kill(): void
}

/**
 * Keeps a process running: what dies is started again after a delay that doubles from 0.5 s to the longest, and is 0.5 s
 * again once it ran for a minute. Each runs in a process group of its own, so that a Ctrl-C reaches only us and what it
 * leaves behind when it dies can be ended with it.
 */
export function supervise(plan: Plan, onDeath: (exit: Exit, restartInMs: number) => void): Supervised {
  const { longestDelayMs = LONGEST_DELAY_MS } = plan
  const stopping = new AbortController()
  let child: ChildProcess | undefined

  const killGroup = () => {
    if (child?.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group is empty: nothing was left behind.
    }
  }

  const runOnce = async (): Promise<Exit> => {
    const started = start(plan)
    child = started
    const exit = new Promise<Exit>((resolve) => {
      started.once('error', (error) => resolve({ code: null, signal: null, error }))
      started.once('exit', (code, signal) => resolve({ code, signal }))
    })
    const ask = () => askToEnd(plan, started)
    stopping.signal.addEventListener('abort', ask)
    const result = await exit
    stopping.signal.removeEventListener('abort', ask)
    killGroup()
    child = undefined
    return result
  }

  const keepRunning = async (): Promise<Exit> => {
    let delayMs = FIRST_DELAY_MS
    for (;;) {
      await plan.prepare?.()
      if (stopping.signal.aborted) return { code: 0, signal: null }
      const startedAtMs = performance.now()
      const exit = await runOnce()
      if (stopping.signal.aborted || exit.code === CONFIGURATION_REFUSED) return exit
      if (performance.now() - startedAtMs >= HEALTHY_AFTER_MS) delayMs = FIRST_DELAY_MS
      onDeath(exit, delayMs)
      await sleep(delayMs, { signal: stopping.signal }).catch(() => {})
      delayMs = Math.min(delayMs * 2, longestDelayMs)
    }
  }

  return {
    name: plan.name,
    get pid() {
      return child?.pid
    },
    ended: keepRunning(),
    stop: () => stopping.abort(),
    kill() {
      stopping.abort()
      killGroup()
    },
  }
}

function start(plan: Plan): ChildProcess {
  const output = plan.onLine ? 'pipe' : 'inherit'
  const child = spawn(plan.command, plan.args, {
    env: plan.env,
    detached: true,
    stdio: plan.leash === 'ipc' ? ['ignore', output, output, 'ipc'] : ['pipe', output, output],
  })
  child.stdin?.on('error', () => {})
  for (const stream of [child.stdout, child.stderr]) if (stream && plan.onLine) readLines(stream, plan.onLine)
  return child
}

function askToEnd(plan: Plan, child: ChildProcess) {
  if (plan.leash === 'ipc') child.kill('SIGTERM')
  else child.stdin?.end()
}

function readLines(stream: Readable, onLine: (line: string) => void) {
  createInterface({ input: stream }).on('line', onLine)
}
