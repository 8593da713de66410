import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { serialise } from '@solstice/station'
import { lowerPriority } from './low-priority.ts'
import { bareEnvironment } from './started-programs.ts'

const START_TIMEOUT_MS = 30_000
/** A parser that had less of the processor than this share of its time was kept from it by others. */
const LEAST_SHARE = 0.5
const MS_PER_TICK = 10
/** Enough for ten thousand files; ends a parser that survives this process. */
const MAX_CPU_S = 600

/** The parser had too little of the processor to answer: another time it may. */
export class Starved extends Error {
  override name = 'Starved'
  override message = 'too little of the processor to read a file'
}

/** Sends one request to the parser and returns its answer; null when there is none within its limits. @throws Starved */
export type AskParser = (request: Record<string, unknown>) => Promise<unknown>

/**
 * Runs a parser of files from strangers in a child process, which lives while requests wait for it. Some files would keep a
 * parser busy for hours or exhaust its memory: it is then killed. A thread would not do, because one that runs out of memory
 * may take the whole process down.
 *
 * @param program.script sends one message when it is ready, then one for each that it receives.
 * @param program.isUrgent false = it runs at the lowest priority.
 */
export function openParserProcess(program: {
  script: URL
  timeoutMs: number
  maxHeapMb: number
  isUrgent: boolean
}): AskParser {
  let running: Running | null = null
  const inTurn = serialise()
  let waiting = 0

  async function ask(request: Record<string, unknown>): Promise<unknown> {
    let beganMs = 0
    try {
      if (!running) {
        running = start(program.script, program.maxHeapMb)
        if (!program.isUrgent) lowerPriority(running.child.pid)
        await nextMessage(running, START_TIMEOUT_MS)
      }
      beganMs = await cpuMsOf(running)
      running.child.send(request)
      return await nextMessage(running, program.timeoutMs)
    } catch (error) {
      const spentMs = running ? (await cpuMsOf(running)) - beganMs : Number.NaN
      await end()
      // One that ended by itself, or whose time is not known, had its chance.
      if (error instanceof TimeUp && spentMs < program.timeoutMs * LEAST_SHARE) throw new Starved()
      return null
    }
  }

  async function end(): Promise<void> {
    const ended = running
    running = null
    ended?.child.kill('SIGKILL')
    await ended?.gone
  }

  return (request) => {
    waiting++
    return inTurn(() =>
      ask(request).finally(() => {
        if (--waiting === 0) return end()
      }),
    )
  }
}

interface Running {
  child: ChildProcess
  /** Resolves when the process has ended. */
  gone: Promise<void>
}

function start(script: URL, maxHeapMb: number): Running {
  const child = fork(fileURLToPath(script), {
    // The CPU limit must be set before the program starts: a shell sets it, then becomes the parser.
    execPath: '/bin/sh',
    execArgv: [
      ...['-c', `ulimit -t ${MAX_CPU_S}; exec "$0" "$@"`],
      ...[process.execPath, `--max-old-space-size=${maxHeapMb}`],
    ],
    env: bareEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Bytes stay bytes.
    serialization: 'advanced',
  })
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).on('error', () => resolve())
  })
  return { child, gone }
}

class TimeUp extends Error {}

/** @throws TimeUp when it sends nothing in time; another error when it ends. */
async function nextMessage({ child, gone }: Running, timeoutMs: number): Promise<unknown> {
  const over = new AbortController()
  const limit = setTimeout(() => over.abort(new TimeUp()), timeoutMs)
  gone.then(() => over.abort())
  try {
    return (await once(child, 'message', { signal: over.signal }))[0]
  } catch (error) {
    throw over.signal.reason ?? error
  } finally {
    clearTimeout(limit)
  }
}

/** Time of the processor that it has had, ms; NaN where that is not known: Linux alone tells. */
async function cpuMsOf({ child: { pid } }: Running): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name before them may contain anything, blanks included (proc_pid_stat(5)).
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(utime) + Number(stime)) * MS_PER_TICK
}
