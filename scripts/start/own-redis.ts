import { randomBytes } from 'node:crypto'
import { readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { sleep } from '../../packages/station/src/core/turns/sleep.ts'
import { makePrivateFolder } from './private-folder.ts'
import { describeProcess } from './running-processes.ts'
import type { Plan } from './supervisor.ts'

const STANDARD_PORT = 6379
const POLL_MS = 25
/** A large append-only file takes long to load. */
const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 5_000
const ANSWER_LIMIT_MS = 1_000

/** A Redis of the station's own, with its data in one folder; closed to other users of the machine. */
export interface OwnRedis {
  readonly url: string
  readonly plan: Plan
  /** Resolves when it answers and has loaded its data. @throws after a minute. */
  isReady(signal: AbortSignal): Promise<void>
}

/**
 * Ends when its input closes, whether the supervisor asks or was killed. Redis itself would live on.
 * A background command of a shell has no input, hence the duplicated descriptor.
 */
const REDIS_ON_A_LEASH = `
exec 3<&0
umask 077
redis-server "$@" 3<&- &
redis=$!
{ cat <&3 >/dev/null; kill "$redis" 2>/dev/null; } &
leash=$!
exec 3<&-
wait "$redis"
status=$?
kill "$leash" 2>/dev/null
exit "$status"
`

/** Chooses the port (6379 when free) and returns how to run Redis on `folder`. */
export async function ownRedis(folder: string, configFile: string): Promise<OwnRedis> {
  await makePrivateFolder(folder)
  const dir = await realpath(folder)
  await endLeftOver(dir)
  const password = randomBytes(24).toString('base64url')
  // Written to a file, because process arguments are visible to every user.
  await rm(passwordFile(dir), { force: true })
  await writeFile(passwordFile(dir), `requirepass ${password}\n`, { mode: 0o600 })
  const port = (await isFree(STANDARD_PORT, '127.0.0.1')) ? STANDARD_PORT : await freePort()
  const settings = {
    port: String(port),
    dir,
    include: passwordFile(dir),
    pidfile: pidFile(dir),
    logfile: join(dir, 'redis.log'),
    loglevel: 'warning',
  }
  const args = [configFile, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])]
  return {
    url: addressOf(port, password),
    plan: {
      name: 'redis',
      command: 'sh',
      args: ['-c', REDIS_ON_A_LEASH, 'sh', ...args],
      leash: 'stdin',
      // Only its shell may have died: two must never run on one folder.
      prepare: () => endLeftOver(dir),
    },
    async isReady(signal) {
      const deadlineMs = performance.now() + START_LIMIT_MS
      while (!signal.aborted && !(await answers(port, password))) {
        if (performance.now() > deadlineMs) throw new Error(`Redis does not answer; see ${settings.logfile}`)
        await sleep(POLL_MS)
      }
    },
  }
}

/** True when nothing listens on it. @throws when the address cannot be used for another reason. */
export async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ port, host, exclusive: true }, resolve)
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  } finally {
    server.close()
  }
}

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Ends a Redis that a killed supervisor left running on this folder. */
async function endLeftOver(dir: string): Promise<void> {
  const path = pidFile(dir)
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (pid > 0 && (await runsHere(pid, dir))) {
    const deadlineMs = performance.now() + STOP_LIMIT_MS
    process.kill(pid, 'SIGTERM')
    while (await runsHere(pid, dir)) {
      if (performance.now() > deadlineMs) process.kill(pid, 'SIGKILL')
      await sleep(POLL_MS)
    }
  }
  await rm(path, { force: true })
}

/** The pid in an old file may have been reused; Redis works in its data folder, which is used by nothing else. */
async function runsHere(pid: number, dir: string): Promise<boolean> {
  const { command, folder } = await describeProcess(pid)
  return command.includes('redis-server') && folder === dir
}

function pidFile(dir: string): string {
  return join(dir, 'redis.pid')
}

function passwordFile(dir: string): string {
  return join(dir, 'password.conf')
}

function addressOf(port: number | string, password: string): string {
  return `redis://${password && `:${password}@`}127.0.0.1:${port}`
}

/** True when it accepts our password and has loaded its data. */
async function answers(port: number, password: string): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  try {
    return await new Promise<boolean>((resolve) => {
      let answer = ''
      socket.setTimeout(ANSWER_LIMIT_MS, () => resolve(false))
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
      socket.on('data', (bytes) => {
        answer += bytes
        if (answer.split('\r\n').length > 2) resolve(answer === '+OK\r\n+PONG\r\n')
      })
      socket.write(`AUTH ${password}\r\nPING\r\n`)
    })
  } finally {
    socket.destroy()
  }
}

/** Address of the Redis that a supervisor currently runs on this folder; null when there is none. */
export async function runningRedis(folder: string): Promise<string | null> {
  const dir = await realpath(folder).catch(() => null)
  const pid = dir === null ? 0 : Number(await readFile(pidFile(dir), 'utf8').catch(() => ''))
  if (dir === null || !(pid > 0) || !(await runsHere(pid, dir))) return null
  const { command } = await describeProcess(pid)
  // Redis puts its address into its process title where it can.
  const [, port] = /--port (\d+)/.exec(command) ?? /:(\d+)/.exec(command) ?? []
  if (!port) return null
  // A Redis started by an earlier version has no password.
  const kept = await readFile(passwordFile(dir), 'utf8').catch(() => '')
  return addressOf(port, /^requirepass (\S+)$/m.exec(kept)?.[1] ?? '')
}
