import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort, type Teardown } from './processes.ts'

const run = promisify(execFile)

export interface PostgresServer {
  /** Of its first database, which is empty. */
  readonly url: string
  readonly port: number
  /** Makes another empty database. @returns its address. */
  createDatabase(name: string): Promise<string>
  /** Ends it as a crash would, and starts it again on the same data. */
  crash(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * A real PostgreSQL of the test's own.
 *
 * @param isDurable whether what it says is durable outlives a power cut; without that it is quicker.
 */
export async function startPostgres(t: Teardown, isDurable = false): Promise<PostgresServer> {
  const bin = binaries()
  const [folder, port] = await Promise.all([mkdtemp(join(tmpdir(), 'solstice-pg-')), freePort()])
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: await userId('-u'), gid: await userId('-g') } : {}
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid)
  await chmod(folder, 0o700)
  const data = join(folder, 'data')
  const tool = (name: string, args: string[]) => run(join(bin, name), args, { ...owner, cwd: folder })

  await tool('initdb', [
    '-D',
    data,
    '-U',
    'solstice',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ])
  const settings = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'shared_buffers = 16MB',
    'max_connections = 150',
    ...(isDurable ? [] : ['fsync = off', 'full_page_writes = off']),
  ]
  await appendFile(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`)
  const log = join(folder, 'log')
  const control = (...args: string[]) => tool('pg_ctl', ['-D', data, '-l', log, '-w', '-t', '120', ...args])
  t.teardown(async () => {
    if (existsSync(join(data, 'postmaster.pid'))) await control('stop', '-m', 'immediate')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await control('start')

  const address = (database: string) => `postgres://solstice@127.0.0.1:${port}/${database}`
  return {
    port,
    url: address('postgres'),
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: address('postgres') })
      await client.connect()
      await client.query(`create database ${name} strategy file_copy`)
      await client.end()
      return address(name)
    },
    async crash() {
      await control('restart', '-m', 'immediate')
    },
    async stop() {
      await control('stop', '-m', 'immediate')
    },
    async start() {
      await control('start')
    },
  }
}

/** Where PostgreSQL's programs are: in the PATH, where Debian keeps its versions, or with Homebrew. */
function binaries(): string {
  const debian = versionsIn('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`)
  const brew = ['/opt/homebrew/opt', '/usr/local/opt'].flatMap((prefix) =>
    versionsIn(prefix, /^postgresql@/).map((name) => `${prefix}/${name}/bin`),
  )
  const places = [...(process.env.PATH ?? '').split(delimiter), ...debian, ...brew]
  const found = places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'pg_ctl')))
  if (!found) throw new Error('PostgreSQL is not installed: run sh scripts/setup.sh test')
  return found
}

function versionsIn(folder: string, pattern = /^\d/): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => pattern.test(name))
  return names.sort(
    (a, b) => Number.parseFloat(b.replace(/^\D+/, '')) - Number.parseFloat(a.replace(/^\D+/, '')),
  )
}

async function userId(kind: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [kind, 'nobody'])).stdout)
}
