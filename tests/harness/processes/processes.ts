import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { waiting } from '../until.ts'

/** The part of a tap test that the harness needs. */
export interface Teardown {
  teardown(end: () => unknown): void
}

export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A folder that is removed when the test ends. */
export async function temporaryFolder(t: Teardown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/**
 * A TCP port that was free a moment ago. It lies below the range of outgoing connections, so that none of the many
 * connections of other tests takes it first.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

export interface Process {
  readonly child: ChildProcess
  /** Everything it has printed so far. */
  readonly output: string
  /** Resolves with the output once it matches `pattern`; rejects when the process ends first. */
  printed(pattern: RegExp): Promise<string>
  /** Ends it and waits until it is gone; SIGKILL by default. */
  end(signal?: NodeJS.Signals): Promise<void>
  readonly exited: Promise<number | null>
}

/** Of the output, in an error. */
const LAST_CHARACTERS = 2_000

const running = new Set<ChildProcess>()
const killRunning = () => {
  for (const child of running) child.kill('SIGKILL')
}
// A test file that crashes or times out never reaches its teardowns.
process.once('exit', killRunning)
for (const signal of ['SIGALRM', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killRunning()
    process.kill(process.pid, signal)
  })
}

/** Drops the hooks that watch test processes: they cost every child half a second. */
const { NODE_OPTIONS, ...inherited } = process.env
const nodeOptions = NODE_OPTIONS?.includes('@tapjs') ? {} : { NODE_OPTIONS }

/**
 * Starts a process that is ended with the test.
 *
 * @param leash for a process of the station: it exits by itself even when we are killed.
 * @param user the owner of the process, for programs that must not run as root.
 */
export function start(
  t: Teardown,
  command: string,
  args: string[],
  env: Record<string, string> = {},
  leash: 'ipc' | 'ignore' = 'ignore',
  user: { uid?: number; gid?: number } = {},
): Process {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...inherited, ...nodeOptions, NODE_ENV: 'test', ...env },
    stdio: ['ignore', 'pipe', 'pipe', leash],
    ...user,
  })
  let output = ''
  const { changed, until } = waiting()
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  exited.catch(() => {})
  running.add(child)
  let gone = false
  const forget = () => {
    gone = true
    running.delete(child)
    changed()
  }
  exited.then(forget, forget)
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      changed()
    })
  }
  const self: Process = {
    child,
    exited,
    get output() {
      return output
    },
    async printed(pattern) {
      await until(`${command} prints ${pattern}`, () => {
        if (pattern.test(output)) return true
        if (gone) throw new Error(`${command} ${args.join(' ')} ended before it printed ${pattern}`)
        return false
      }).catch((error: Error) => {
        throw new Error(`${error.message}; it printed:\n${output.slice(-LAST_CHARACTERS)}`, { cause: error })
      })
      return output
    },
    async end(signal = 'SIGKILL') {
      child.kill(signal)
      child.kill('SIGCONT')
      await exited
    },
  }
  t.teardown(() => (gone ? undefined : self.end()))
  return self
}

export interface RedisServer {
  readonly url: string
  readonly port: number
  process: Process
  /** Starts it again on the same port and data after it was ended. */
  restart(): Promise<void>
}

/** A real Redis of the test's own, with the station's settings. @param env of its process. */
export async function startRedis(t: Teardown, env: Record<string, string> = {}): Promise<RedisServer> {
  const folder = await temporaryFolder(t)
  const launch = async (owner: Teardown, port: number) => {
    const args = ['redis.conf', '--port', String(port), '--dir', folder]
    const redis = start(owner, 'redis-server', args, env)
    await redis.printed(/Ready to accept connections/)
    return redis
  }
  const begin = async () => {
    for (;;) {
      const port = await freePort()
      try {
        return { port, process: await launch(t, port) }
      } catch (error) {
        // Another process took the port first.
        if (!/Address already in use/.test(String(error))) throw error
      }
    }
  }
  const { port, process } = await begin()
  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${port}`,
    process,
    async restart() {
      // Its clients end before it does, so it is not necessarily the process started last.
      server.process = await launch({ teardown() {} }, port)
    },
  }
  t.teardown(() => server.process.end())
  return server
}

/** True while a process of this id runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Running processes that a pid has started, with their command lines. */
export async function childrenOf(pid: number): Promise<{ pid: number; command: string }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,command='])
  return stdout.split('\n').flatMap((line) => {
    const [, child, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return Number(parent) === pid ? [{ pid: Number(child), command: command! }] : []
  })
}
