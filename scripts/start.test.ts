import { execFile } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sleep } from '../packages/station/src/core/turns/sleep.ts'
import { makeTone } from '../tests/harness/audio/audio.ts'
import { logIn } from '../tests/harness/people/uploads.ts'
import {
  freePort,
  type Process,
  start,
  type Teardown,
  temporaryFolder,
} from '../tests/harness/processes/processes.ts'
import { programOf } from '../tests/harness/processes/programs.ts'
import { until } from '../tests/harness/until.ts'
import { isFree, runningRedis } from './start/own-redis.ts'
import { readable } from './start/readable-log.ts'
import { CONFIGURATION_REFUSED, type Exit, supervise } from './start/supervisor.ts'

const run = promisify(execFile)
/** Listing all processes of the machine is slow. */
const LOOK_MS = 250
const program = await programOf('scripts/start.ts')
const apps = ['apps/api/', 'apps/stream-worker/', 'apps/jobs/']

t.test('npm start', async (t) => {
  const folder = await temporaryFolder(t)
  const env = {
    DATA_DIR: join(folder, 'data'),
    MEDIA_DIR: join(folder, 'media'),
    PORT: String(await freePort()),
    STREAM_MODE: 'true',
    NIGHT_MODE: 'false',
    DEMO_LIBRARY: 'false',
    JWT_SECRET: '',
    ADMIN_LOGIN: '',
    ADMIN_PASS: '',
    REDIS_URL: '',
    PUBLIC_SERVER_URL: '',
    FFMPEG_PATH: '',
    LOG_LEVEL: 'warn',
  }
  let address = `http://localhost:${env.PORT}`
  await makeTone(join(env.MEDIA_DIR, 'music/day/tone.mp3'), { hz: 440, seconds: 60 })

  let station = start(t, process.execPath, [program], env)
  await t.test('puts a station on air, and prints its address and its administrator', async (t) => {
    const output = await station.printed(/Solstice is on air \(\d+\.\d s\)[\s\S]+password \S+/)
    t.match(output, `page    ${address}`)
    t.match(output, `stream  ${address}/api/stream/public.mp3`)
    const secrets = JSON.parse(await readFile(join(env.DATA_DIR, 'secrets.json'), 'utf8'))
    t.match(output, `login admin, password ${secrets.adminPassword}`)
    t.ok(secrets.jwtSecret.length >= 32)
    t.equal((await stat(join(env.DATA_DIR, 'secrets.json'))).mode & 0o777, 0o600)
    t.notOk(output.includes(secrets.jwtSecret), 'the secret that signs tokens is not printed')
    t.notMatch(output, 'ADMIN_PASS', 'generated values cause no warning')
    t.ok(await logIn(address, 'admin', secrets.adminPassword))
    t.ok(await isOnAir(address))
  })

  await t.test('keeps other users of the machine out of its Redis', async (t) => {
    for (const folder of [env.DATA_DIR, join(env.DATA_DIR, 'redis')])
      t.equal((await stat(folder)).mode & 0o777, 0o700, folder)
    const files = await readdir(join(env.DATA_DIR, 'redis'), { recursive: true, withFileTypes: true })
    for (const file of files.filter((entry) => entry.isFile()))
      t.equal((await stat(join(file.parentPath, file.name))).mode & 0o077, 0, file.name)
    const url = await runningRedis(join(env.DATA_DIR, 'redis'))
    t.match(url, /^redis:\/\/:[\w-]{32}@127\.0\.0\.1:\d+$/, 'the owner of the folder gets in')
    const { port, password } = new URL(url!)
    const { stdout } = await run('redis-cli', ['-p', port, 'ping'])
    t.match(stdout, 'NOAUTH')
    const { stdout: arguments_ } = await run('ps', ['-axo', 'args'])
    t.notMatch(arguments_, password, 'which nobody else can read')
  })

  await t.test('refuses to run twice on the same data, or on a port in use', async (t) => {
    const same = startStation(t, { ...env, PORT: 'any' })
    const elsewhere = startStation(t, { ...env, DATA_DIR: join(folder, 'other') })
    t.same(await Promise.all([same.exited, elsewhere.exited]), [1, 1])
    t.match(same.output, `is already running on the data in ${env.DATA_DIR}`)
    t.match(same.output, 'PORT: "any" is not a whole number')
    t.match(elsewhere.output, `Port ${env.PORT} is in use`)
  })

  await t.test('leaves no process behind when it is killed', async (_t) => {
    // Encoders and decoders are among the processes that could be left behind.
    const isHeard = async () => (await descendants(station)).some(({ command }) => command.includes('ffmpeg'))
    await until('ffmpeg runs', isHeard, LOOK_MS)
    const before = await descendants(station)
    station.child.kill('SIGKILL')
    const areGone = async () => (await living(before.map(({ pid }) => pid))).length === 0
    await until('all are gone', areGone, LOOK_MS)
  })

  // Owned by the outer test, which outlives its subtests.
  const startAgain = (host: string) => startStation(t, { ...env, HOST: host })
  await t.test('finds everything in place at the next start, whatever address it listens on', async (t) => {
    const hasIpv6 = await isFree(0, '::1').catch(() => false)
    station = startAgain(hasIpv6 ? '::1' : '127.0.0.1')
    address = `http://${hasIpv6 ? '[::1]' : '127.0.0.1'}:${env.PORT}`
    t.match(await station.printed(/Solstice is on air[\s\S]+admin/), `page    ${address}`)
    t.ok(await isOnAir(address))
  })

  await t.test('restarts killed processes, Redis included', async (t) => {
    const before = await descendants(station)
    const victims = [...apps, 'redis-server 127.'].map((name) => find(before, name))
    for (const { pid } of victims) process.kill(pid, 'SIGKILL')
    for (const name of ['api', 'stream-worker', 'jobs', 'redis']) {
      await station.printed(new RegExp(`${name} (was ended by|ended with) .+; starting it again in`))
    }
    const names = [...apps, 'redis-server 127.']
    const areBack = async () => {
      const now = await descendants(station)
      return names.every((name) => now.some(({ command }) => command.includes(name)))
    }
    await until('all run again', areBack, LOOK_MS)
    await until('the station is on air again', () => isOnAir(address), LOOK_MS)
    const left = await living(victims.map(({ pid }) => pid))
    t.same(left, [], 'the killed processes are gone')
  })

  await t.test('restarts the worker within 3 s, however often it dies', async (t) => {
    const deaths = () => [...station.output.matchAll(/stream-worker .+; starting it again in ([\d.]+) s/g)]
    const before = deaths().length
    let killed = 0
    for (let dead = before; dead < before + 3; dead = deaths().length) {
      const worker = (await descendants(station)).find(({ command }) =>
        command.includes('apps/stream-worker/'),
      )
      if (worker && worker.pid !== killed) process.kill(worker.pid, 'SIGKILL')
      killed = worker?.pid ?? killed
      await sleep(50)
    }
    const delays = deaths().map(([, seconds]) => Number(seconds))
    t.ok(Math.max(...delays) <= 2, `after ${delays.join(', ')} s`)
    await until('the station is on air again', () => isOnAir(address), LOOK_MS)
  })

  await t.test('ends with all its processes on SIGTERM', async (t) => {
    const before = await descendants(station)
    const startedMs = performance.now()
    station.child.kill('SIGTERM')
    t.equal(await station.exited, 0)
    t.comment(`ended after ${Math.round(performance.now() - startedMs)} ms`)
    t.same(await living(before.map(({ pid }) => pid)), [])
    t.notOk((await readdir(join(env.DATA_DIR, 'redis'))).includes('redis.pid'), 'Redis said goodbye')
  })
})

t.test('an invalid configuration is refused in plain words before anything starts', async (t) => {
  const folder = await temporaryFolder(t)
  const env = { DATA_DIR: folder, MEDIA_DIR: folder, JWT_SECRET: '', ADMIN_LOGIN: '', ADMIN_PASS: '' }
  const production = startStation(t, { ...env, NODE_ENV: 'production' })
  t.equal(await production.exited, CONFIGURATION_REFUSED)
  for (const name of ['JWT_SECRET', 'ADMIN_LOGIN', 'ADMIN_PASS']) {
    t.match(production.output, `${name} is required in production`)
  }
  t.same(await readdir(folder), [], 'nothing was written')

  await writeFile(join(folder, 'secrets.json'), 'not json')
  const chosen = { JWT_SECRET: 'a', ART_TOKEN_SECRET: 'b', ADMIN_LOGIN: 'c', ADMIN_PASS: 'd' }
  const noFolder = startStation(t, { ...env, ...chosen, DATA_DIR: join(folder, 'secrets.json/data') })
  t.equal(await noFolder.exited, 1)
  t.match(noFolder.output, /^DATA_DIR cannot be written: ENOTDIR[^\n]*\n$/)
  const damaged = startStation(t, env)
  t.equal(await damaged.exited, CONFIGURATION_REFUSED)
  t.match(damaged.output, 'secrets.json is damaged')
})

t.test('a dead process is restarted, each time after a longer delay, until it is stopped', async (t) => {
  const deaths: { exit: Exit; restartInMs: number }[] = []
  const lines: string[] = []
  let stop = () => {}
  const thrice = new Promise<void>((resolve) => {
    stop = resolve
  })
  const supervised = supervise(
    {
      name: 'unlucky',
      command: 'sh',
      args: ['-c', 'sleep 600 & echo "left $!"; exit 3'],
      leash: 'stdin',
      onLine: (line) => lines.push(line),
    },
    (exit, restartInMs) => {
      deaths.push({ exit, restartInMs })
      if (deaths.length === 3) stop()
    },
  )
  await thrice
  supervised.stop()
  await supervised.ended
  t.same(
    deaths.map(({ restartInMs }) => restartInMs),
    [500, 1000, 2000],
  )
  t.equal(deaths[0]?.exit.code, 3)
  const left = lines.map((line) => Number(line.replace('left ', '')))
  t.equal(left.length, 3)
  await until('what it left behind ended with it', async () => (await living(left)).length === 0, LOOK_MS)
})

t.test('a process that refuses its configuration is not restarted', async (t) => {
  const plan = { name: 'refused', command: 'sh', args: ['-c', `exit ${CONFIGURATION_REFUSED}`] }
  const supervised = supervise({ ...plan, leash: 'stdin' }, () => t.fail('it was started again'))
  t.equal((await supervised.ended).code, CONFIGURATION_REFUSED)
})

t.test('a program that does not exist is reported, not thrown', async (t) => {
  const plan = { name: 'absent', command: '/does/not/exist', args: [] }
  const death = new Promise<Exit>((resolve) => {
    const supervised = supervise({ ...plan, leash: 'stdin' }, (exit) => {
      supervised.stop()
      resolve(exit)
    })
  })
  t.match((await death).error?.message, 'ENOENT')
})

t.test('log lines become readable, and other lines stay as they are', async (t) => {
  const entry = { level: 40, time: 0, pid: 1, hostname: 'h', name: 'api', msg: 'slow', ms: 12 }
  t.match(readable('api', JSON.stringify(entry)), /^\d\d:\d\d:\d\d api {5}warning: slow ms=12$/)
  const failed = { level: 50, time: 0, msg: 'failed', err: { stack: 'Error: no\n    at somewhere' } }
  t.match(readable('jobs', JSON.stringify(failed)), /error: failed\nError: no/)
  for (const line of ['plain text', '{"broken', 'null', '{"no":"time"}']) {
    t.ok(readable('api', line).endsWith(line), line)
  }
})

function startStation(t: Teardown, env: Record<string, string>): Process {
  return start(t, process.execPath, [program], env)
}

async function isOnAir(address: string): Promise<boolean> {
  try {
    const headers = { connection: 'close' }
    const ready = await fetch(`${address}/readyz/stream`, { headers })
    const stream = new AbortController()
    const response = await fetch(`${address}/api/stream/public.mp3`, { headers, signal: stream.signal })
    const first = await response.body?.getReader().read()
    stream.abort()
    return ready.ok && response.ok && (first?.value?.length ?? 0) > 0
  } catch {
    return false
  }
}

interface Running {
  pid: number
  parent: number
  command: string
}

async function processes(): Promise<Running[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,state=,args='])
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    // A zombie that only waits to be reaped is gone.
    return command === undefined || state?.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

/** All descendants of a station's supervisor. */
async function descendants(station: Process): Promise<Running[]> {
  const all = await processes()
  const below = (pid: number): Running[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)])
  return below(station.child.pid ?? 0)
}

async function living(pids: number[]): Promise<Running[]> {
  return (await processes()).filter(({ pid }) => pids.includes(pid))
}

function find(running: Running[], part: string): Running {
  const found = running.find(({ command }) => command.includes(part))
  if (!found) throw new Error(`${part} does not run:\n${running.map(({ command }) => command).join('\n')}`)
  return found
}
