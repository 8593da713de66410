import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ConfigError } from '../packages/adapters/src/config/config.ts'
import { Refusal, reasonOf, say, UsageError } from './station/terminal.ts'

const FAILED = 1
const MISUSED = 2
/** A Ctrl-C arrives twice, from the terminal and from npm; a deliberate second one comes later. */
const SAME_SIGNAL_MS = 500
/** An unanswered prompt must not delay the end once a signal has arrived. */
const PATIENCE_MS = 3_000
/** Long enough for a large collection to be written to a store and removed again. */
const MOVING_PATIENCE_MS = 120_000

type Options = NonNullable<Parameters<typeof parseArgs>[0]>['options']

interface Command {
  /** Its arguments, as shown after the name. */
  usage: string
  about: string
  options: NonNullable<Options>
  /** Number of positional arguments; `optional`: more of them that may be left out. */
  words: number
  optional?: number
  /** Time it may need to leave nothing half done when a signal interrupts it, ms. */
  patienceMs?: number
  /** True if its input has times. */
  isTimed?: true
  /** Its input: options by name, with their values. */
  run(values: Values, words: string[], signal: AbortSignal): Promise<void>
}

/** Typed by the options that each command declares. */
type Values = never

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
const TIMES =
  'Times are in TIME_ZONE: 14:32 (the last such time), "2026-11-23 14:32:10", or with a zone 2026-11-23T14:32:10Z.'
/** A date and a time of day, as the commands print them. */
const ONE_TIME = /(?:^|=)\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: [+-]\d\d:\d\d)?$/

/** Each command's dependencies are loaded when it is called. */
const commands: Record<string, Command> = {
  status: {
    usage: '[--json]',
    about: 'shows the configuration and the state of each dependency; exit code 1 when one is away',
    options: { json: flag },
    words: 0,
    run: async (values) => (await import('./station/status.ts')).printStatus(values),
  },
  data: {
    usage:
      '--from json|sql --to json|sql [--data-dir <folder>] [--database-url <address>] [--env-file <file>] [--replace] [--force] [--dry-run]',
    about: 'moves all records, accounts and their passwords included, to the other kind of data store',
    options: {
      from: text,
      to: text,
      'data-dir': text,
      'database-url': text,
      'env-file': text,
      replace: flag,
      force: flag,
      'dry-run': flag,
    },
    words: 0,
    patienceMs: MOVING_PATIENCE_MS,
    run: async (values, _, signal) => (await import('./station/data.ts')).moveData(values, signal),
  },
  media: {
    usage:
      '--from local|cloud --to local|cloud [--media-dir <folder>] [--env-file <file>] [--s3-endpoint … --s3-bucket … --s3-access-key-id … --s3-secret-access-key …] [--s3-region …] [--s3-force-path-style …] [--s3-arts-prefix …] [--parallel 4] [--dry-run]',
    about: 'copies all files to the other kind of storage; resumes after an interruption; deletes nothing',
    options: {
      from: text,
      to: text,
      'media-dir': text,
      'env-file': text,
      's3-endpoint': text,
      's3-bucket': text,
      's3-access-key-id': text,
      's3-secret-access-key': text,
      's3-region': text,
      's3-force-path-style': text,
      's3-arts-prefix': text,
      parallel: { type: 'string', default: '4' },
      'dry-run': flag,
    },
    words: 0,
    run: async (values, _, signal) => (await import('./station/media.ts')).copyFiles(values, signal),
  },
  scan: {
    usage: '[--dry-run] [--remove-most]',
    about: 'creates records for files, in the bucket or local, that have none; lists missing files',
    options: { 'dry-run': flag, 'remove-most': flag },
    words: 0,
    run: async (values, _, signal) => (await import('./station/scan.ts')).scan(values, signal),
  },
  'hash-password': {
    usage: '',
    about: 'asks for a password, or reads it from the standard input, and prints its hash for ADMIN_PASS',
    options: {},
    words: 0,
    run: async (_, __, signal) => (await import('./station/hash-password.ts')).hashPassword(signal),
  },
  backup: {
    usage: '<file.tar.gz> [--media]',
    about: 'writes all records, and with --media all files, into one archive',
    options: { media: flag },
    words: 1,
    run: async (values, [path], signal) =>
      (await import('./station/backup.ts')).backUp(path!, values, signal),
  },
  restore: {
    usage: '<file.tar.gz> [--replace] [--force] [--dry-run]',
    about: 'checks an archive, then restores it to an empty station',
    options: { replace: flag, force: flag, 'dry-run': flag },
    words: 1,
    patienceMs: MOVING_PATIENCE_MS,
    run: async (values, [path], signal) =>
      (await import('./station/backup.ts')).restore(path!, values, signal),
  },
  'end-sessions': {
    usage: '',
    about: 'logs all admins out, as after the database was restored by other means',
    options: {},
    words: 0,
    run: async () => (await import('./station/backup.ts')).endSessions(),
  },
  ledger: {
    usage: '<donation id> | unknown',
    about: 'shows the events of a donation, in order, or the payments that name none',
    options: {},
    words: 1,
    run: async (_, [id]) => (await import('./station/ledger.ts')).printLedger(id!),
  },
  replay: {
    usage: '--from <time> --to <time> | --report <file>',
    about:
      'runs what the engine was told again, and says where it comes to another result; needs AIRCHECK_DAYS',
    options: { from: text, to: text, report: text },
    words: 0,
    isTimed: true,
    run: async (values) => (await import('./station/replay.ts')).printReplay(values),
  },
  why: {
    usage: '<time>',
    about: 'says why something was on air, or nothing: by which rule, and what led to it',
    options: {},
    words: 1,
    isTimed: true,
    run: async (_, [time]) => (await import('./station/replay.ts')).printWhy(time!),
  },
  report: {
    usage: '--from <time> --to <time> [<file.gz>]',
    about: 'writes what the engine was told into a file for a bug report, without names, addresses and codes',
    options: { from: text, to: text },
    words: 0,
    optional: 1,
    isTimed: true,
    run: async (values, [path]) => (await import('./station/replay.ts')).writeReport(values, path),
  },
}

const ending = new AbortController()
let patienceMs = PATIENCE_MS
endOnSignal()
process.chdir(rootAndBegin())
process.exit(await run(process.argv.slice(2)))

async function run([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    help()
    return name === undefined ? MISUSED : 0
  }
  try {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) throw new UsageError(`unknown command ${name}; see --help`)
    const { values, positionals } = parse(command, joinTimes(args))
    if (values.help) {
      say(`npm run station -- ${name} ${command.usage}\n\n${command.about}`)
      if (command.isTimed) say(`\n${TIMES}`)
      return 0
    }
    const { words, optional = 0, isTimed } = command
    if (positionals.length < words || positionals.length > words + optional)
      throw new UsageError(`usage: ${name} ${command.usage}${isTimed ? `. ${TIMES}` : ''}`)
    loadEnvFile()
    patienceMs = command.patienceMs ?? PATIENCE_MS
    await command.run(values as Values, positionals, ending.signal)
    return 0
  } catch (error) {
    return tell(error)
  }
}

/** Times without quotes are one argument each again. */
function joinTimes(args: string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const time = `${joined.at(-1)} ${arg}`
    if (ONE_TIME.test(time)) joined[joined.length - 1] = time
    else joined.push(arg)
  }
  return joined
}

function parse({ options }: Command, args: string[]) {
  try {
    return parseArgs({
      args,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}

/** Prints the error on one line and returns the exit code. */
function tell(error: unknown): number {
  const isInterrupted = ending.signal.aborted && !(error instanceof Refusal)
  process.stderr.write(`${isInterrupted ? 'interrupted' : reasonOf(error)}\n`)
  return error instanceof UsageError || error instanceof ConfigError ? MISUSED : FAILED
}

function help(): void {
  say('npm run station -- <command>\n')
  for (const [name, { usage, about }] of Object.entries(commands))
    say(`  ${`${name} ${usage}`.trim()}\n      ${about}\n`)
  say(TIMES)
  say('Exit codes: 0 done, 1 refused or failed, 2 wrong usage.')
}

/** Existing environment variables win. Tests must not depend on somebody's `.env`. */
function loadEnvFile(): void {
  if (process.env.NODE_ENV === 'test') return
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Root of the project, from which paths in the configuration are resolved. */
function rootAndBegin(): string {
  process.env.INIT_CWD ??= process.cwd()
  return fileURLToPath(new URL('..', import.meta.url))
}

/** Interrupts the work where that leaves nothing half done; a second signal does not wait for it. */
function endOnSignal(): void {
  let firstAtMs: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (firstAtMs !== null && performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(FAILED)
      if (firstAtMs !== null) return
      firstAtMs = performance.now()
      ending.abort()
      if (patienceMs > PATIENCE_MS) process.stderr.write('stopping; a second signal stops at once\n')
      setTimeout(() => process.exit(tell(ending.signal.reason)), patienceMs).unref()
    })
  }
  // The reader of our output is gone.
  process.stdout.on('error', () => process.exit(FAILED))
}
