/**
 * `npm test`: types, lint, dependency rule and all tests; ends with the line `N passed, N failed`. Up to three files of many
 * processes that fail beside others run once more, alone; those that pass then are told as unsteady.
 * `npm test -- <files>` runs only these tests. `npm test -- --stores` runs the station tests with every kind of store,
 * `--stores=sql+cloud` with the given one. `npm test -- --faults` runs the long form of the tests of faults, all others left out.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { shareChromium } from '../tests/harness/browser/chromium.ts'
import { keptFolder } from '../tests/harness/processes/kept.ts'
import { root, type Teardown } from '../tests/harness/processes/processes.ts'
import { buildPrograms, pageIn, startedByTests } from '../tests/harness/processes/programs.ts'
import { startSharedPostgres } from '../tests/harness/servers/postgres.ts'
import { allStores, environmentOf, type Stores } from '../tests/harness/stations/stores.ts'
import { joinFiles } from './test/join.ts'
import { runInLanes } from './test/lanes.ts'

/** Time for a file past its limit to report where it stands. */
const LAST_WORDS_MS = 10_000
/** Files listed at the end, so that a run that becomes slow shows where. */
const SLOWEST = 10
/** These listen, or wait for what was taken away. */
const mostlyWaiting = ['tests/journeys/', 'tests/faults/', 'packages/adapters/src/redis/']
/** Many processes and pages act in these, and a starved machine may stretch any moment between them. */
const manyProcesses = ['tests/browser/', 'tests/faults/', 'tests/journeys/']
/** These take longest, so they come first, and the run ends with those that take no time at all. */
const first = [
  ...['tests/journeys/', 'tests/browser/', 'tests/faults/', 'tests/', 'scripts/', 'packages/adapters/'],
  ...['apps/stream-worker/', 'apps/api/', 'apps/jobs/', 'packages/demo-music/'],
]

/** Files that may be run once more, alone. More of them have a fault in common. */
const MAX_ALONE = 3

/** In their long form, tests repeat what they do far more often (tests/harness/long-form.ts). */
const hasLongForm = /harness\/(long-form|audio\/histories)\.ts'/
/**
 * Node.js 20 may optimise a function only after six times as much of it has run as by default: most test files end before what it
 * optimises pays off, at the cost of a tenth of their time, and so do the processes that they start. Later versions don't know the option.
 */
const optimiseLate = process.version.startsWith('v20.') ? ['--interrupt-budget=400000'] : []
/** Maps of sources tell operators where an error arose; reading them takes a process of a station 4 % of its start. */
const OF_STATIONS = [...optimiseLate, '--no-enable-source-maps']
/** A young generation of 16 MB from the start, which grows to that anyway: fewer collections, 3 % of a file's CPU. */
const ROOMY = ['--min-semi-space-size=16']
const testsOfFaults = ['tests/faults/', 'tests/journeys/']

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
const named = process.argv.slice(2).filter((argument) => !options.includes(argument))
const isLong = options.length === 1 && options[0] === '--faults'
/** Limit for one file, generous enough for a machine several times slower; tests do not wait for events that never come. */
const LIMIT_S = isLong ? 7_200 : 400
/** null when each test file chooses its own stores. */
const stores = readStores()
/** Seconds by file; those of CPU are known on Linux. */
const took: { name: string; seconds: number; cpuS: number | null }[] = []
const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
    process.kill(process.pid, signal)
  })
}
// In parallel: the checks need only one core.
const isAll = named.length === 0 && options.length === 0
const [{ passed, failed }, complaint] = await Promise.all([test(), isAll ? check() : null])
if (took.length > SLOWEST) {
  const slowest = took.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  const cpuS = took.reduce((sum, file) => sum + (file.cpuS ?? 0), 0)
  console.log(
    [
      `All test files: ${cpuS.toFixed(0)} s of CPU. Slowest:`,
      ...slowest.map((file) => `  ${durations(file)}  ${file.name}`),
    ].join('\n'),
  )
}
if (passed + failed === 0) console.log('No test ran.')
if (complaint !== null) console.log(`${complaint}\nThe checks failed (npm run check).`)

const failures = failed + (complaint === null ? 0 : 1)
process.exitCode = failures > 0 || passed === 0 ? 1 : 0
console.log(`${passed} passed, ${failures} failed`)

/** Output of a failed check; null when it passed. */
async function check(): Promise<string | null> {
  const { code, said } = await run('npm', ['run', '--silent', 'check'])
  return code === 0 ? null : said
}

function readStores(): Stores[] | null {
  const [option] = options
  if (option === undefined || isLong) return null
  const chosen = allStores.filter((each) => option === '--stores' || option === `--stores=${each}`)
  if (chosen.length > 0 && options.length === 1) return chosen
  console.error(
    `Unknown option ${options.join(' ')}. Use --faults, --stores or --stores=${allStores.join(', --stores=')}`,
  )
  process.exit(2)
}

/** Counts the assertions of all files. */
async function test() {
  const found = named.length ? named.map((path) => relative(root, resolve(path))) : await findTests()
  let files = isLong && !named.length ? await ofFaults(found) : found
  await mkdir(keptFolder, { recursive: true })
  const built = await mkdtemp(join(keptFolder, 'run-'))
  const ends: (() => unknown)[] = []
  try {
    // A short list may need none of the programs; a file that does builds them itself. The same goes for PostgreSQL.
    const programs = named.length ? [] : startedByTests
    const server: Record<string, string> = {}
    try {
      await buildPrograms([...programs, ...files], built)
      if (!named.length) {
        // `npm test` has just brought it up to date; the copy stays as it is while someone works on the page.
        if (process.env.npm_lifecycle_event)
          await cp(join(root, 'apps/web/dist'), pageIn(built), { recursive: true })
        const whole: Teardown = { teardown: (end) => void ends.unshift(end) }
        Object.assign(server, ...(await Promise.all([startSharedPostgres(whole), shareChromium(whole)])))
      }
      if (isAll) files = (await joinFiles(files, built)).sort((a, b) => rank(a) - rank(b))
    } catch (error) {
      console.log(error instanceof Error ? error.message : error)
      return { passed: 0, failed: 1 }
    }
    const form: Record<string, string> = isLong ? { TEST_FORM: 'long' } : {}
    const env = {
      ...{ ...server, ...form, BUILT_FOR_TESTS: named.length ? '' : built },
      TEST_NODE_OPTIONS: OF_STATIONS.join(' '),
    }
    const runs = stores ? await ofStations(files, stores) : files.map((file) => ({ file, stores: null }))
    const counts = { passed: 0, failed: 0 }
    const isWaiting = ({ file }: { file: string }) => mostlyWaiting.some((start) => file.startsWith(start))
    const queues = { waiting: runs.filter(isWaiting), computing: runs.filter((run) => !isWaiting(run)) }
    const tell = ({ passed, failed, report }: Result) => {
      counts.passed += passed
      counts.failed += failed
      console.log(report)
    }
    const unsteady: string[] = []
    await runInLanes(queues, async ({ file, stores }) => {
      const result = await testFile(file, stores, built, env)
      const isAgain = result.failed > 0 && isAll && unsteady.length < MAX_ALONE
      if (!isAgain || !manyProcesses.some((start) => file.startsWith(start))) return tell(result)
      unsteady.push(file)
      console.log(result.report.replace(/^/gm, '| '))
    })
    for (const file of unsteady) {
      const result = await testFile(file, null, built, env)
      tell(result)
      if (result.failed === 0) console.log(`unsteady - ${file} failed beside others and passed alone`)
    }
    return counts
  } finally {
    for (const end of ends) await end()
    await rm(built, { recursive: true, force: true })
  }
}

/** The station tests among these, each with each kind of store. */
async function ofStations(files: string[], stores: Stores[]) {
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  const hasStation = (text: string) =>
    /harness\/(browser|people|servers|stations)\/(administration|app|station|browser|stores|postgres)\.ts'/.test(
      text,
    )
  const chosen = files.filter((_, i) => hasStation(texts[i]!))
  return stores.flatMap((each) => chosen.map((file) => ({ file, stores: each })))
}

/** Those among these files that are about faults, or have a long form. */
async function ofFaults(files: string[]) {
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
  return files.filter(
    (file, i) => testsOfFaults.some((folder) => file.startsWith(folder)) || hasLongForm.test(texts[i]!),
  )
}

async function findTests(): Promise<string[]> {
  const folders = [
    ...(await readdir(join(root, 'packages'))).map((name) => `packages/${name}/src`),
    ...(await readdir(join(root, 'apps'))).map((name) => `apps/${name}/src`),
    'scripts',
    'tests',
  ]
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }).catch(() => []))
        .filter((path) => path.endsWith('.test.ts'))
        .map((path) => `${folder}/${path}`),
    ),
  )
  const sizes = new Map<string, number>()
  for (const path of found.flat()) sizes.set(path, (await stat(join(root, path))).size)
  // The longer a test is, the longer it takes: a run must not end with one that takes a minute.
  return [...sizes.keys()].sort((a, b) => rank(a) - rank(b) || sizes.get(b)! - sizes.get(a)!)
}

function rank(path: string): number {
  return [...first, ''].findIndex((start) => path.startsWith(start))
}

interface Result {
  passed: number
  failed: number
  /** The file's output, except passed assertions. */
  report: string
}

/** Runs one file. A crash counts as a failure of its own. */
async function testFile(
  file: string,
  stores: Stores | null,
  built: string,
  given: Record<string, string>,
): Promise<Result> {
  const startedMs = performance.now()
  const program = join(built, file.replace(/\.ts$/, '.js'))
  const env = { TAP: '1', TAP_TIMEOUT: String(LIMIT_S), ...given, ...(stores && environmentOf(stores)) }
  const { code, said } = await run(process.execPath, [...optimiseLate, ...ROOMY, program], env)
  const seconds = (performance.now() - startedMs) / 1000
  const [, total, passed] = /^# \{ total: (\d+)(?:, pass: (\d+))?/m.exec(said) ?? []
  const failed = Number(/^# \{ .*fail: (\d+)/m.exec(said)?.[1] ?? 0)
  const isWell = code === 0 && failed === 0 && total !== undefined
  // Passed assertions are left out, so that a failure stands out.
  const isDetail = /^\s*(ok \d|\d+\.\.\d|# Subtest|# time|# cpu|# \{|TAP version|$)/
  const details = (isWell ? said : inSources(said)).split('\n').filter((line) => !isDetail.test(line))
  const name = stores ? `${file} with ${stores}` : file
  const cpu = /^# cpu: ([\d.]+) s/m.exec(said)?.[1]
  const times = { seconds, cpuS: cpu === undefined ? null : Number(cpu) }
  took.push({ name, ...times })
  const report = [`${isWell ? 'ok' : 'not ok'} - ${name} # ${durations(times)}`, ...details].join('\n    ')
  return { passed: Number(passed ?? 0), failed: failed || (isWell ? 0 : 1), report }
}

function durations({ seconds, cpuS }: { seconds: number; cpuS: number | null }): string {
  return `${seconds.toFixed(1)} s${cpuS === null ? '' : `, ${cpuS.toFixed(1)} s of CPU`}`
}

/**
 * A failed test's output with the places in the sources instead of those in its bundle. Node.js would do it too, but at the cost of a
 * seventh of each file's time.
 */
function inSources(said: string): string {
  const maps = new Map<string, SourceMap | null>()
  const mapOf = (bundle: string) => {
    if (!maps.has(bundle)) {
      const path = resolve(root, `${bundle}.map`)
      maps.set(bundle, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null)
    }
    return maps.get(bundle)
  }
  // What tap quotes is a line of the bundle, which may be all of it.
  const unquoted = said.replace(/^( *)source: [>|].*\n(?:\1 +.*\n| *\n)*/gm, '')
  return unquoted.replace(
    /([^\s(]*\/tests-kept\/[^\s:]+\.js):(\d+):(\d+)/g,
    (place, bundle, line, column) => {
      const path = bundle.replace(/^file:\/\//, '')
      const found = mapOf(path)?.findEntry(Number(line) - 1, Number(column) - 1)
      if (!found || !('originalSource' in found)) return place
      const source = relative(root, resolve(root, dirname(path), found.originalSource))
      return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`
    },
  )
}

/** Runs a program to its end, and resolves with all its output. */
async function run(command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece))
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_S * 1000 + LAST_WORDS_MS)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  running.delete(child)
  return { code, said: Buffer.concat(pieces).toString() }
}
