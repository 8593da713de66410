import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { openData, readConfig } from '@solstice/adapters'
import type { DataStore } from '@solstice/station'
import pg from 'pg'
import { pino } from 'pino'
import {
  childrenOf,
  freePort,
  type Process,
  start,
  type Teardown,
  temporaryFolder,
} from '../processes/processes.ts'
import { until } from '../until.ts'

const run = promisify(execFile)

/** An operator's actions on a PostgreSQL server. */
interface Operator {
  readonly port: number
  /** Address of its first database, which is empty. */
  readonly url: string
  /** Creates another database, empty or copied from a template, and returns its address. */
  createDatabase(name: string, template?: string): Promise<string>
  query(text: string, url?: string): Promise<Record<string, unknown>[]>
}

export interface PostgresServer extends Operator {
  process: Process
  /** Ends it as a crash would: work in progress is lost. */
  crash(): Promise<void>
  /** Starts it again on the same port and data after it was ended. */
  restart(): Promise<void>
  /** Suspends it: connections stay open and nobody is answered. @returns a function that resumes it. */
  pause(): Promise<() => void>
  /** Starts a standby that every commit has to reach; it replaces the standby before. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary; resolves when it accepts writes. */
  promote(): Promise<void>
}

/**
 * A real PostgreSQL of the test's own.
 *
 * @param isDurable whether commits survive a power cut; faster without.
 */
export async function startPostgres(t: Teardown, isDurable = false): Promise<PostgresServer> {
  const making = ['-U', 'solstice', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  return startCluster(t, { program: 'initdb', making, isDurable })
}

async function startCluster(
  t: Teardown,
  { program, making, isDurable }: { program: string; making: string[]; isDurable: boolean },
): Promise<PostgresServer> {
  const [folder, port] = await Promise.all([temporaryFolder(t), freePort()])
  const user = process.getuid?.() === 0 ? await otherThanRoot() : null
  if (user) await chown(folder, user.uid, user.gid)
  await chmod(folder, 0o700)
  const data = join(folder, 'data')
  await run(binary(program), ['-D', data, ...making], { ...user, cwd: folder })
  const settings = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'max_connections = 300',
    'shared_buffers = 16MB',
    ...(isDurable ? [] : ['fsync = off', 'full_page_writes = off']),
  ]
  await appendFile(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`)

  const launch = async () => {
    const postgres = start(t, binary('postgres'), ['-D', data], {}, 'ignore', user ?? {})
    await postgres.printed(/ready to accept (read-only )?connections/)
    return postgres
  }
  const server: PostgresServer = {
    ...asOperator(port),
    process: await launch(),
    crash: () => server.process.end('SIGQUIT'),
    async restart() {
      server.process = await launch()
    },
    async pause() {
      const pid = server.process.child.pid!
      const pids = [pid, ...(await childrenOf(pid)).map((child) => child.pid)]
      const signal = (name: NodeJS.Signals) => {
        for (const one of pids) process.kill(one, name)
      }
      signal('SIGSTOP')
      return () => signal('SIGCONT')
    },
    async startStandby() {
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'solstice', '-R']
      const making = [...from, '--checkpoint=fast', '--no-sync']
      const standby = await startCluster(t, { program: 'pg_basebackup', making, isDurable })
      await server.query("alter system set synchronous_standby_names = '*'")
      await server.query('select pg_reload_conf()')
      await until('commits reach the standby', async () => {
        const [row] = await server.query(
          'select count(*) from pg_stat_replication where sync_state = $$sync$$',
        )
        return row?.count === '1'
      })
      return standby
    },
    async promote() {
      await server.query('select pg_promote()')
    },
  }
  t.teardown(() => server.crash())
  return server
}

function asOperator(port: number): Operator {
  const address = (database: string) => `postgres://solstice@127.0.0.1:${port}/${database}`
  const operator: Operator = {
    port,
    url: address('postgres'),
    async createDatabase(name, template = 'template1') {
      await operator.query(`create database ${name} template ${template} strategy file_copy`)
      return address(name)
    },
    async query(text, url = address('postgres')) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
  }
  return operator
}

/** The template for the database of every test station. */
const EMPTY_STATION = 'empty_station'

/** A PostgreSQL for test stations. @returns the environment by which a test file in another process finds it. */
export async function startSharedPostgres(t: Teardown): Promise<{ TEST_POSTGRES: string }> {
  const server = await startPostgres(t)
  const url = await server.createDatabase(EMPTY_STATION)
  const { config } = readConfig({ JWT_SECRET: '-', DATA_PROVIDER: 'sql', DATABASE_URL: url })
  await (await openData(config, pino({ level: 'silent' }))).close()
  return { TEST_POSTGRES: String(server.port) }
}

/** The server that `npm test` started for all files, or one for this file alone. */
async function openShared(): Promise<Operator> {
  const { default: t } = await import('tap')
  const given = process.env.TEST_POSTGRES
  if (!given) return asOperator(Number((await startSharedPostgres(t)).TEST_POSTGRES))
  const operator = asOperator(Number(given))
  t.teardown(async () => {
    for (const url of await Promise.all(databases.values()))
      await operator.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`)
  })
  return operator
}

let shared: Promise<Operator> | null = null
const databases = new Map<string, Promise<string>>()

/**
 * Settings by which a station with this folder keeps its data in files, or, with `TEST_DATA=sql`, in a database of its
 * own on a shared PostgreSQL.
 *
 * @param env the test's own settings: a test about data that does not last stays with files.
 */
export async function dataSettings(
  folder: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  if (process.env.TEST_DATA !== 'sql' || env.EPHEMERAL_STORAGE || env.DATA_PROVIDER) return {}
  shared ??= openShared()
  const server = await shared
  let database = databases.get(folder)
  if (!database) {
    database = server.createDatabase(`station_${process.pid}_${databases.size}`, EMPTY_STATION)
    databases.set(folder, database)
  }
  return { DATA_PROVIDER: 'sql', DATABASE_URL: await database, DATABASE_POOL_MAX: '4' }
}

/** The data store of a station with this folder. */
export async function openTestData(folder: string): Promise<DataStore> {
  const settings = { JWT_SECRET: '-', DATA_DIR: join(folder, 'data'), ...(await dataSettings(folder, {})) }
  return openData(readConfig(settings).config, pino({ level: 'silent' }))
}

/** PostgreSQL refuses to run as root. */
async function otherThanRoot(): Promise<{ uid: number; gid: number }> {
  const idOf = async (kind: string) => Number((await run('id', [kind, 'nobody'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** A program of PostgreSQL: in the PATH, where Debian keeps its versions, or with Homebrew. */
function binary(name: string): string {
  const debian = '/usr/lib/postgresql'
  const brew = ['/opt/homebrew/opt', '/usr/local/opt']
  const places = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versionsIn(debian, /^\d/),
    ...brew.flatMap((folder) => versionsIn(folder, /^postgresql@/)),
  ]
  const found = places.map((place) => join(place, name)).find((path) => existsSync(path))
  if (!found) throw new Error('PostgreSQL is not installed: run sh scripts/setup.sh test')
  return found
}

/** Newest first. */
function versionsIn(folder: string, pattern: RegExp): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : []
  const version = (name: string) => Number.parseFloat(name.replace(/^\D+/, ''))
  return names.sort((a, b) => version(b) - version(a)).map((name) => join(folder, name, 'bin'))
}
