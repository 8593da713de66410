import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { openData, readConfig } from '@solstice/adapters'
import type { DataStore } from '@solstice/station'
import pg from 'pg'
import { pino } from 'pino'
import { freePort, type Process, start, type Teardown, temporaryFolder } from './processes.ts'

const run = promisify(execFile)

export interface PostgresServer {
  readonly port: number
  /** Of its first database, which is empty. */
  readonly url: string
  process: Process
  /** Makes another database, empty or as another one is, and says its address. */
  createDatabase(name: string, template?: string): Promise<string>
  /** Asks something of it as an operator would. */
  query(text: string, url?: string): Promise<Record<string, unknown>[]>
  /** Ends it as a crash would: what goes on is broken off. */
  crash(): Promise<void>
  /** Starts it again on the same port and data after it was ended. */
  restart(): Promise<void>
}

/**
 * A real PostgreSQL of the test's own.
 *
 * @param isDurable whether what it takes outlives a power cut; without that it is quicker.
 */
export async function startPostgres(t: Teardown, isDurable = false): Promise<PostgresServer> {
  const bin = binaries()
  const [folder, port] = await Promise.all([temporaryFolder(t), freePort()])
  const user = process.getuid?.() === 0 ? await otherThanRoot() : null
  if (user) await chown(folder, user.uid, user.gid)
  await chmod(folder, 0o700)
  const data = join(folder, 'data')
  const making = ['-D', data, '-U', 'solstice', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  await run(join(bin, 'initdb'), making, { ...user, cwd: folder })
  const settings = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'max_connections = 150',
    'shared_buffers = 16MB',
    ...(isDurable ? [] : ['fsync = off', 'full_page_writes = off']),
  ]
  await appendFile(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`)

  const launch = async () => {
    const postgres = start(t, join(bin, 'postgres'), ['-D', data], {}, 'ignore', user ?? {})
    await postgres.printed(/ready to accept connections/)
    return postgres
  }
  const address = (database: string) => `postgres://solstice@127.0.0.1:${port}/${database}`
  const server: PostgresServer = {
    port,
    url: address('postgres'),
    process: await launch(),
    async createDatabase(name, template = 'template1') {
      await server.query(`create database ${name} template ${template} strategy file_copy`)
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
    crash: () => server.process.end('SIGQUIT'),
    async restart() {
      server.process = await launch()
    },
  }
  t.teardown(() => server.crash())
  return server
}

let shared: Promise<PostgresServer> | null = null
const databases = new Map<string, Promise<string>>()

/**
 * Settings by which a station with this folder keeps its memory in files, or, with `TEST_DATA=sql`, in a database of a
 * PostgreSQL that all tests of this process share.
 *
 * @param env what the test wants: where it is about memory that does not last, that is in files.
 */
export async function dataSettings(
  folder: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  if (process.env.TEST_DATA !== 'sql' || env.EPHEMERAL_STORAGE) return {}
  shared ??= import('tap').then(({ default: t }) => startPostgres(t))
  const server = await shared
  let database = databases.get(folder)
  if (!database) {
    database = server.createDatabase(`station${databases.size}`)
    databases.set(folder, database)
  }
  return { DATA_PROVIDER: 'sql', DATABASE_URL: await database, DATABASE_POOL_MAX: '4' }
}

/** The memory of a station with this folder. */
export async function openTestData(folder: string): Promise<DataStore> {
  const settings = { JWT_SECRET: '-', DATA_DIR: join(folder, 'data'), ...(await dataSettings(folder, {})) }
  return openData(readConfig(settings).config, pino({ level: 'silent' }))
}

/** PostgreSQL refuses to run as root. */
async function otherThanRoot(): Promise<{ uid: number; gid: number }> {
  const idOf = async (kind: string) => Number((await run('id', [kind, 'nobody'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** Where PostgreSQL's programs are: in the PATH, where Debian keeps its versions, or with Homebrew. */
function binaries(): string {
  const debian = '/usr/lib/postgresql'
  const brew = ['/opt/homebrew/opt', '/usr/local/opt']
  const places = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versionsIn(debian, /^\d/),
    ...brew.flatMap((folder) => versionsIn(folder, /^postgresql@/)),
  ]
  const found = places.find(
    (place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')),
  )
  if (!found) throw new Error('PostgreSQL is not installed: run sh scripts/setup.sh test')
  return found
}

/** Newest first. */
function versionsIn(folder: string, pattern: RegExp): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : []
  const version = (name: string) => Number.parseFloat(name.replace(/^\D+/, ''))
  return names.sort((a, b) => version(b) - version(a)).map((name) => join(folder, name, 'bin'))
}
