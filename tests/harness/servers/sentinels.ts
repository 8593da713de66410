import { execFile } from 'node:child_process'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '@solstice/station'
import {
  freePort,
  type Process,
  root,
  start,
  type Teardown,
  temporaryFolder,
} from '../processes/processes.ts'
import { until } from '../until.ts'

const NAME = 'solstice'
const SENTINELS = 3
export const DOWN_AFTER_MS = 2_000
export const FAILOVER_TIMEOUT_MS = 2_000
/** Sentinels begin a failover no sooner after the last one, give or take a second. */
const BETWEEN_FAILOVERS_MS = 2 * FAILOVER_TIMEOUT_MS + 1_000
/** With fewer servers the primary would refuse all writes as soon as another one is away. */
const SERVERS_FOR_STRICT_WRITES = 3

/** Redis servers of one group and the sentinels that watch them, as in deploy/sentinels.yml. */
export interface RedisGroup {
  env: { REDIS_SENTINELS: string; REDIS_SENTINEL_NAME: string }
  /** Port of the primary, as the sentinels say. */
  primary(): Promise<number>
  /** Kills the primary, and resolves when the sentinels name another one. @returns the port of the one that was killed */
  killPrimary(): Promise<number>
  /** Suspends the primary, and resolves when the sentinels name another one. */
  hangPrimary(): Promise<void>
  /** Starts a server that was killed; resolves when all servers have the data of the primary. */
  restart(port: number): Promise<void>
  /** What servers and sentinels have printed. */
  readonly said: string
  /** Runs a command on the primary. */
  cli(...args: string[]): Promise<string>
}

export async function startRedisGroup(t: Teardown, size: number): Promise<RedisGroup> {
  const folder = await temporaryFolder(t)
  const ports = await Promise.all(Array.from({ length: size + SENTINELS }, () => freePort()))
  const [serverPorts, sentinelPorts] = [ports.slice(0, size), ports.slice(size)]
  const servers = new Map<number, Process>()
  const processes: Process[] = []
  const run = async (port: number, ...args: string[]) =>
    (await promisify(execFile)('redis-cli', ['-p', String(port), ...args])).stdout.trim()

  const launch = async (port: number, primary: number | null) => {
    const server = await startServer(t, port, { primary, isStrict: size >= SERVERS_FOR_STRICT_WRITES })
    servers.set(port, server)
    processes.push(server)
  }
  const primary = async () => {
    const answers = await Promise.allSettled(
      sentinelPorts.map((port) => run(port, 'sentinel', 'get-master-addr-by-name', NAME)),
    )
    const told = answers.map((one) =>
      one.status === 'fulfilled' ? Number(one.value.split('\n')[1]) : Number.NaN,
    )
    return told.every((port) => port === told[0]) ? told[0]! : Number.NaN
  }
  const allFollow = async () => {
    const about = await run(await primary(), 'info', 'replication').catch(() => '')
    return (about.match(/state=online/g)?.length ?? 0) === size - 1
  }

  const [first, ...others] = serverPorts as [number, ...number[]]
  await launch(first, null)
  await Promise.all(others.map((port) => launch(port, first)))
  for (const port of sentinelPorts) processes.push(await startSentinel(t, folder, port, first))
  const sentinelsKnowAll = async () => {
    const facts = await Promise.all(sentinelPorts.map((port) => run(port, 'sentinel', 'master', NAME)))
    return facts.every(
      (text) => new RegExp(`num-slaves\\n${size - 1}\\n`).test(text) && /num-other-sentinels\n2\n/.test(text),
    )
  }
  await until('all servers follow the primary', allFollow)
  await until('the sentinels know each other and all servers', sentinelsKnowAll)

  let failoverFromMs = 0
  const losePrimary = async (signal: 'SIGKILL' | 'SIGSTOP') => {
    await sleep(Math.max(0, failoverFromMs - performance.now()))
    const port = await primary()
    const server = servers.get(port)!
    if (signal === 'SIGKILL') await server.end(signal)
    else server.child.kill(signal)
    await until('another server is the primary', async () => {
      const now = await primary()
      return !Number.isNaN(now) && now !== port
    })
    failoverFromMs = performance.now() + BETWEEN_FAILOVERS_MS
    return port
  }
  return {
    env: {
      REDIS_SENTINELS: sentinelPorts.map((port) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_NAME: NAME,
    },
    primary,
    killPrimary: () => losePrimary('SIGKILL'),
    async hangPrimary() {
      await losePrimary('SIGSTOP')
    },
    async restart(port) {
      await launch(port, await primary())
      await until('all servers follow the primary', allFollow)
      await until('the sentinels know all servers', sentinelsKnowAll)
    },
    get said() {
      return processes.map(({ output }) => output).join('\n')
    },
    cli: async (...args) => run(await primary(), ...args),
  }
}

/** @param isStrict refuses writes that no replica would have. */
export async function startServer(
  t: Teardown,
  port: number,
  { primary, isStrict }: { primary: number | null; isStrict: boolean },
): Promise<Process> {
  const place = await temporaryFolder(t)
  const strict = isStrict ? ['--min-replicas-to-write', '1'] : []
  const follow = primary === null ? [] : ['--replicaof', `127.0.0.1 ${primary}`]
  // Sentinels have it rewritten.
  const config = join(place, 'redis.conf')
  await copyFile(join(root, 'redis.conf'), config)
  // A replica that lacks a piece would wait 5 s for others that lack one as well.
  // And a slow disk may keep a server from answering: what is written outlives the process anyway.
  const atOnce = ['--repl-diskless-sync-delay', '0', '--appendfsync', 'no']
  const args = [config, '--port', String(port), '--dir', place, ...atOnce, ...strict, ...follow]
  const server = start(t, 'redis-server', args)
  await server.printed(/Ready to accept connections/)
  return server
}

async function startSentinel(t: Teardown, folder: string, port: number, primary: number): Promise<Process> {
  const path = join(folder, `${port}.conf`)
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT_MS}`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  const sentinel = start(t, 'redis-server', [path, '--sentinel'])
  await sentinel.printed(/monitor master/)
  return sentinel
}
