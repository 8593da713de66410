import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { serialise } from '@solstice/station'
import { lowerPriority } from './low-priority.ts'
import { bareEnvironment } from './started-programs.ts'

const START_TIMEOUT_MS = 30_000
/** Enough for ten thousand files; ends a parser that survives this process. */
const MAX_CPU_S = 600

/** Sends one request to the parser and returns its answer; null when there is none within its limits. */
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
    try {
      if (!running) {
        running = start(program.script, program.maxHeapMb)
        if (!program.isUrgent) lowerPriority(running.child.pid)
        await nextMessage(running, START_TIMEOUT_MS)
      }
      running.child.send(request)
      return await nextMessage(running, program.timeoutMs)
    } catch {
      await end()
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

/** @throws when the process ends, or sends nothing in time. */
async function nextMessage({ child, gone }: Running, timeoutMs: number): Promise<unknown> {
  const over = new AbortController()
  const limit = setTimeout(() => over.abort(), timeoutMs)
  gone.then(() => over.abort())
  try {
    return (await once(child, 'message', { signal: over.signal }))[0]
  } finally {
    clearTimeout(limit)
  }
}
