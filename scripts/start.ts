import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sleep } from '../packages/station/src/core/turns/sleep.ts'
import { ConfigError, type Environment, readEnvironment } from './start/environment.ts'
import { freePort, isFree, ownRedis } from './start/own-redis.ts'
import { makePrivateFolder } from './start/private-folder.ts'
import { readable } from './start/readable-log.ts'
import { describeProcess } from './start/running-processes.ts'
import {
  CONFIGURATION_REFUSED,
  type Exit,
  type Plan,
  type Supervised,
  supervise,
} from './start/supervisor.ts'

/** A process stops within 9 s by itself; everything must be gone within 10 s of the signal. */
const APPS_LIMIT_MS = 8_500
const REDIS_LIMIT_MS = 1_000
/** A Ctrl-C arrives twice, from the terminal and from npm; a deliberate second one comes later. */
const SAME_SIGNAL_MS = 500
const ON_AIR_POLL_MS = 40
const ON_AIR_LATE_MS = 20_000
const ANSWER_LIMIT_MS = 2_000
const MAX_REASON_CHARS = 200
/** Players buffer a few seconds of sound: a longer wait for the worker is audible as a gap. */
const WORKER_DELAY_MS = 2_000

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

/** Programs are of the same kind as this one: sources loaded by tsx, or the builds beside it. */
const self = process.argv[1] ?? ''
const programs = join(self, '../..')
// tsx inspects every module loaded after it, and typebox has hundreds.
const loaders = self.endsWith('.ts') ? ['--import', 'typebox', '--import', 'tsx'] : []

/** Processes of the station started so far. */
interface Running {
  apps: Supervised[]
  redis: Supervised | null
}

/** Reason why the station cannot start, as a sentence for the operator. */
class Refusal extends Error {}

try {
  await run(await readEnvironment(root))
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof Refusal)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error instanceof ConfigError ? CONFIGURATION_REFUSED : 1)
}

/** Runs the whole station, from Redis to the last process, until a signal ends it. */
async function run({ env, passwordHash, config, warnings, admin, hasRedis }: Environment): Promise<void> {
  for (const warning of warnings) say(`warning: ${warning}`)
  await claim(config.dataDir)
  const port = config.port || (await freePort())
  await needFree(port, config.host)

  const ending = new AbortController()
  const running: Running = { apps: [], redis: null }
  endOnSignal(running, ending)

  if (!hasRedis) {
    const redis = await ownRedis(join(config.dataDir, 'redis'), join(root, 'redis.conf'))
    running.redis = keep(redis.plan, running, ending)
    env.REDIS_URL = redis.url
    await redis.isReady(ending.signal).catch((error: Error) => {
      throw new Refusal(error.message)
    })
  }
  if (ending.signal.aborted) return
  if (passwordHash) env.ADMIN_PASS = await passwordHash
  env.PORT = String(port)
  running.apps = ['api', 'stream-worker', 'jobs'].map((app) => {
    // On one machine each process needs its own port.
    const own = app === 'jobs' && config.metricsPort ? { METRICS_PORT: String(config.metricsPort + 1) } : {}
    const program = join(programs, 'apps', app, `src/main${extname(self)}`)
    const plan: Plan = {
      name: app,
      command: 'sh',
      args: [join(root, 'scripts/run.sh'), program, ...loaders],
      env: { ...env, ...own, NODE: process.execPath },
      leash: 'ipc',
    }
    return keep(app === 'stream-worker' ? { ...plan, maxDelayMs: WORKER_DELAY_MS } : plan, running, ending)
  })
  await announce({ config, admin }, port, ending.signal)
}

/** Keeps a process running; ends the whole station when restarting is pointless. */
function keep(plan: Plan, running: Running, ending: AbortController): Supervised {
  const onLine = process.stdout.isTTY ? (line: string) => print(readable(plan.name, line)) : undefined
  const supervised = supervise({ ...plan, onLine }, (exit, restartInMs) => {
    say(`${plan.name} ${describe(exit)}; starting it again in ${restartInMs / 1000} s`)
  })
  supervised.ended.then(
    () => end(running, ending, CONFIGURATION_REFUSED),
    (error) => {
      say(`${plan.name} cannot be started: ${error.message}`)
      return end(running, ending, 1)
    },
  )
  return supervised
}

/** Prints the station's address as soon as it is really on air; or, after a while, what is missing. */
async function announce(
  { config, admin }: Pick<Environment, 'config' | 'admin'>,
  port: number,
  signal: AbortSignal,
): Promise<void> {
  const local = `http://${inAddress(config.host)}:${port}`
  const address = config.publicServerUrl || local
  const stream = config.streamMode ? `${address}/api/stream/public.mp3` : 'off (STREAM_MODE=true turns it on)'
  const password = admin.password ? `, password ${admin.password}` : ''
  const banner = (title: string) =>
    print(
      `\n  ${title}\n\n    page    ${address}\n    stream  ${stream}\n    admin   login ${admin.login}${password}\n`,
    )

  let missing = ''
  const late = setTimeout(() => banner(`Solstice runs, but is not on air yet: ${missing}`), ON_AIR_LATE_MS)
  signal.addEventListener('abort', () => clearTimeout(late))
  await isOnAir(local, config.streamMode, signal, (reason) => {
    missing = reason
  })
  clearTimeout(late)
  // performance.now() counts from the start of this process.
  if (!signal.aborted) banner(`Solstice is on air (${(performance.now() / 1000).toFixed(1)} s)`)
}

async function needFree(port: number, host: string): Promise<void> {
  const free = await isFree(port, host).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`Cannot listen on ${host}, port ${port} (${error.code}): check HOST and PORT.`)
  })
  if (!free)
    throw new Refusal(
      `Port ${port} is in use. Stop the program that uses it, or choose another: PORT=3002 npm start`,
    )
}

/** One supervisor per DATA_DIR: a second one would take over the first one's Redis. */
async function claim(dataDir: string): Promise<void> {
  const path = join(dataDir, 'supervisor.pid')
  const holder = Number(await readFile(path, 'utf8').catch(() => ''))
  if (holder > 0 && holder !== process.pid) {
    const { command } = await describeProcess(holder)
    // Excludes npm's shell, whose command line names the script too.
    if (/^\S*node\b.*scripts\/start\.[jt]s/.test(command)) {
      throw new Refusal(`Solstice is already running on the data in ${dataDir} (process ${holder}).`)
    }
  }
  try {
    await makePrivateFolder(dataDir)
    await writeFile(path, `${process.pid}\n`)
  } catch (error) {
    throw new Refusal(`DATA_DIR cannot be written: ${(error as Error).message}`)
  }
}

function endOnSignal(running: Running, ending: AbortController) {
  const all = () => [...running.apps, ...(running.redis ? [running.redis] : [])]
  process.on('exit', () => {
    for (const one of all()) one.kill()
  })
  // The terminal is gone: there is nobody to print for.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})

  let firstAtMs: number | null = null
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (firstAtMs !== null && performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(1)
      if (firstAtMs !== null) return
      firstAtMs = performance.now()
      say(`${signal}: stopping (repeat to stop at once)`)
      void end(running, ending, 0)
    })
  }
}

/** Ends the apps, then the Redis that they need for their shutdown, then ourselves. */
async function end(running: Running, ending: AbortController, status: number): Promise<void> {
  if (ending.signal.aborted) return
  ending.abort()
  await endWithin(running.apps, APPS_LIMIT_MS)
  await endWithin(running.redis ? [running.redis] : [], REDIS_LIMIT_MS)
  process.exit(status)
}

async function endWithin(processes: Supervised[], limitMs: number): Promise<void> {
  for (const one of processes) one.stop()
  const ended = Promise.allSettled(processes.map((one) => one.ended))
  await Promise.race([ended, sleep(limitMs)])
  for (const one of processes) one.kill()
  await ended
}

/** Waits until the station is ready and, in stream mode, audible; passes each missing piece to `onWait`. */
async function isOnAir(
  address: string,
  streamMode: boolean,
  signal: AbortSignal,
  onWait: (missing: string) => void,
): Promise<void> {
  const paths = ['/readyz/stream', ...(streamMode ? ['/api/stream/public.mp3'] : [])]
  for (const path of paths) {
    while (!signal.aborted) {
      const missing = await whatIsMissing(`${address}${path}`)
      if (missing === null) break
      onWait(missing)
      await sleep(ON_AIR_POLL_MS)
    }
  }
}

/** Null when the address answers with success and its first bytes have arrived; leaves a stream after those. */
async function whatIsMissing(address: string): Promise<string | null> {
  // Uses a connection that is closed afterwards: a kept one would delay the shutdown of the API.
  const request = get(address, { agent: false, timeout: ANSWER_LIMIT_MS })
  request.on('timeout', () => request.destroy(new Error('no answer in time')))
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.setTimeout(ANSWER_LIMIT_MS, () => response.destroy(new Error('no sound in time')))
    const [first] = (await once(response, 'data')) as [Buffer]
    if (response.statusCode === 200) return null
    return `${response.statusCode} ${first.toString().slice(0, MAX_REASON_CHARS)}`
  } catch (error) {
    return `${address}: ${(error as Error).message}`
  } finally {
    request.on('error', () => {})
    request.destroy()
  }
}

/** URL of a page on this host. */
function inAddress(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function describe({ code, signal, error }: Exit): string {
  if (error) return `could not be started (${error.message})`
  return signal ? `was ended by ${signal}` : `ended with status ${code}`
}

function say(text: string) {
  print(`${new Date().toTimeString().slice(0, 8)} start   ${text}`)
}

function print(text: string) {
  process.stdout.write(`${text}\n`)
}
