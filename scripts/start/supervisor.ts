import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { sleep } from '../../packages/station/src/core/turns/sleep.ts'

const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 30_000
const HEALTHY_AFTER_MS = 60_000

/** Exit status of a process whose configuration is refused (EX_CONFIG of sysexits.h): a restart will not help. */
export const CONFIGURATION_REFUSED = 78

/** One process to keep running. */
export interface Plan {
  name: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  /**
   * The way it notices that the supervisor is gone: `ipc`, a Node process whose channel closes, and which stops on SIGTERM;
   * `stdin`, a process that exits at the end of its input.
   */
  leash: 'ipc' | 'stdin'
  /** Upper limit of the restart delay, ms; 30 s by default. */
  maxDelayMs?: number
  /** Called before each start. */
  prepare?: () => Promise<void>
  /** Receives each line of its output; without it the output is ours. */
  onLine?: (line: string) => void
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Reason of a failed start. */
  error?: Error
}

export interface Supervised {
  readonly name: string
  /** Pid of the current process. */
  readonly pid: number | undefined
  /** Resolves when it has ended for good: after `stop`, or because its configuration is refused. */
  readonly ended: Promise<Exit>
  /** Asks it to stop; it is not restarted. */
  stop(): void
  /** Kills it and its children. */
  kill(): void
}

/**
 * Keeps a process running: a process that dies is restarted after a delay, which doubles from 0.5 s up to a maximum and is
 * reset once the process ran for a minute. Each runs in a process group of its own, so that Ctrl-C reaches only the
 * supervisor, and children that a dead process left behind can be killed.
 */
export function supervise(plan: Plan, onDeath: (exit: Exit, restartInMs: number) => void): Supervised {
  const { maxDelayMs = MAX_DELAY_MS } = plan
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
    const ask = () => askToStop(plan, started)
    stopping.signal.addEventListener('abort', ask)
    const result = await exit
    stopping.signal.removeEventListener('abort', ask)
    killGroup()
    child = undefined
    return result
  }

  const keepRunning = async (): Promise<Exit> => {
    let delayMs = MIN_DELAY_MS
    for (;;) {
      await plan.prepare?.()
      if (stopping.signal.aborted) return { code: 0, signal: null }
      const startedAtMs = performance.now()
      const exit = await runOnce()
      if (stopping.signal.aborted || exit.code === CONFIGURATION_REFUSED) return exit
      if (performance.now() - startedAtMs >= HEALTHY_AFTER_MS) delayMs = MIN_DELAY_MS
      onDeath(exit, delayMs)
      await sleep(delayMs, { signal: stopping.signal }).catch(() => {})
      delayMs = Math.min(delayMs * 2, maxDelayMs)
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

function askToStop(plan: Plan, child: ChildProcess) {
  if (plan.leash === 'ipc') child.kill('SIGTERM')
  else child.stdin?.end()
}

function readLines(stream: Readable, onLine: (line: string) => void) {
  createInterface({ input: stream }).on('line', onLine)
}
