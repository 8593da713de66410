import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { sleep } from '@solstice/station'
import { start, type Teardown } from '../../tests/harness/processes/processes.ts'
import { openBus } from '../../tests/harness/stations/bus.ts'
import { heading, row, say } from '../bench/report.ts'
import type { CrowdFigures } from './crowd.ts'
import { openEar } from './ear.ts'
import { startFleet } from './fleet.ts'
import { startWork } from './people.ts'
import { plot } from './plot.ts'
import { addPoint, type Lines, sampleCollected, sampleProcesses } from './samples.ts'
import { afterWarmUp, slopePerHour, warmUpH } from './trend.ts'
import { judge } from './verdicts.ts'

// `npm run soak -- --hours H`: a station in operation, with listeners, an admin, a host and kills, watched for what grows, drifts or
// breaks. Exits with 1 when a verdict failed.

const SAMPLE_MS = 10_000
const HOUR_MS = 3_600_000
/** Often enough for a line; in between the processes do as they do by themselves. */
const COLLECT_MS = 300_000
const KILLS_PER_HOUR = 4
const SHOWN_ERRORS = 20

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '2' },
    listeners: { type: 'string', default: '300' },
    sockets: { type: 'string', default: '50' },
    plot: { type: 'string', default: 'soak.svg' },
  },
})
const hours = Number(values.hours)
if (!(hours > 0)) throw new Error('--hours must be a positive number')

const ends: (() => unknown)[] = []
const run: Teardown = { teardown: (end) => void ends.unshift(end) }
process.once('SIGINT', () => finish(130))
process.once('SIGTERM', () => finish(143))
try {
  await finish((await soak()) ? 0 : 1)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  await finish(1)
}

/** Resolves with true unless a verdict failed. */
async function soak(): Promise<boolean> {
  const warmUpMs = warmUpH(hours) * HOUR_MS
  const fleet = await startFleet(run, warmUpMs)
  const { redis } = await openBus(run, fleet.station.redis.url)
  const ear = await openEar(run, fleet.station.redis.url, fleet.replicas)
  const leaving = new AbortController()
  run.teardown(() => leaving.abort())
  const work = startWork(run, fleet.replicas[0]!.url, warmUpMs, leaving.signal)
  const urls = fleet.replicas.map(({ url }) => url).join(',')
  const sizes = ['--listeners', values.listeners, '--sockets', values.sockets]
  const visits = ['--urls', urls, ...sizes, '--warm-up-ms', String(warmUpMs)]
  const crowd = start(run, 'node', ['--import', 'tsx', 'tools/soak/crowd.ts', ...visits])

  const beganMs = performance.now()
  const nowH = () => (performance.now() - beganMs) / HOUR_MS
  const newLines = (): Lines => new Map()
  const lines = {
    rssMb: newLines(),
    collectedMb: newLines(),
    aliveMb: newLines(),
    redisMb: newLines(),
    handles: newLines(),
  }
  const collectEvery = Math.max(1, Math.round(Math.min(COLLECT_MS, (hours * HOUR_MS) / 12) / SAMPLE_MS))
  const driftMs: { atH: number; value: number }[] = []
  const kills: number[] = []
  const killing = killAtRandom(fleet, nowH, kills, leaving.signal)
  for (let n = 1; nowH() < hours; n++) {
    await sleep(Math.max(0, beganMs + n * SAMPLE_MS - performance.now()))
    const atH = nowH()
    await sampleProcesses(fleet.processes, atH, lines)
    const used = /used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]
    addPoint(lines.redisMb, 'Redis', atH, Number(used) / 1024 ** 2)
    if (n % collectEvery === 0) await sampleCollected(fleet.processes, atH, lines)
    driftMs.push(...ear.takeDrifts().map((value) => ({ atH, value })))
    say(`${(atH * 60).toFixed(1)} min: ${ear.gaps.length} gaps, ${fleet.errors().length} errors`)
  }
  leaving.abort()
  await killing

  const last = crowd.output.trim().split('\n').at(-1) || '{}'
  tellPeople(JSON.parse(last) as Partial<CrowdFigures>, work, kills.length)
  tellSlopes(lines)
  const named = (of: Lines) => [...of].map(([name, points]) => ({ name, points }))
  const panels = [
    { title: 'Memory', unit: 'MB', series: named(lines.rssMb) },
    { title: 'Memory right after a collection', unit: 'MB', series: named(lines.collectedMb) },
    { title: 'Handles', unit: 'open', series: named(lines.handles) },
    { title: 'Memory of the data in Redis', unit: 'MB', series: named(lines.redisMb) },
    { title: 'Position against frames', unit: 'ms', series: [{ name: 'drift', points: driftMs }] },
  ]
  await writeFile(values.plot, plot(panels, kills))
  const [errors, alarms] = [fleet.errors(), await fleet.alarms()]
  const heard = alarms.map(
    ({ beganAt, source, cause, evidence }) =>
      `${new Date(beganAt).toISOString()} ${source} ${cause}: ${evidence}`,
  )
  for (const line of [...ear.gaps, ...heard, ...work.failed, ...errors].slice(0, SHOWN_ERRORS))
    say(`  ${line}`)
  return tellVerdicts({
    hours,
    collectedMb: new Map([...lines.collectedMb, ['redis', lines.rssMb.get('redis') ?? []]]),
    handles: new Map([...lines.handles].filter(([name]) => !name.startsWith('replica'))),
    driftMs,
    unplannedGaps: ear.gaps.length,
    unplannedAlarms: alarms.length,
    errors: errors.length,
  })
}

/**
 * Kills the worker on air in the first half of the time and a replica in the second, each at a random moment of its share: so one
 * worker is on air for long enough to be judged.
 */
async function killAtRandom(
  fleet: Awaited<ReturnType<typeof startFleet>>,
  nowH: () => number,
  kills: number[],
  signal: AbortSignal,
): Promise<void> {
  const count = Math.max(2, Math.round(hours * KILLS_PER_HOUR))
  const shareH = hours / (count + 1)
  for (let i = 0; i < count && !signal.aborted; i++) {
    const atH = shareH * (i + 0.5 + Math.random() / 2)
    await sleep(Math.max(0, atH - nowH()) * HOUR_MS, { signal }).catch(() => {})
    if (signal.aborted) return
    kills.push(nowH())
    say(`killed ${await (i < count / 2 ? fleet.killWorker() : fleet.killReplica())}`)
  }
}

function tellPeople(
  crowd: Partial<CrowdFigures>,
  { done, failed }: ReturnType<typeof startWork>,
  kills: number,
) {
  heading(`${hours} h, ${kills} kills`)
  row('listening, connected, at the end', `${crowd.listening}, ${crowd.connected}`)
  row('joined, lost', `${crowd.joined}, ${crowd.lost}`)
  for (const [what, count] of Object.entries(done)) row(what, `${count} times`)
  row('failed', String(failed.length))
}

function tellSlopes(lines: Record<'rssMb' | 'collectedMb' | 'aliveMb' | 'handles' | 'redisMb', Lines>) {
  for (const [kind, what, unit] of [
    ['rssMb', 'Memory', 'MB'],
    ['collectedMb', 'Memory right after a collection', 'MB'],
    ['aliveMb', 'Alive after a collection', 'MB'],
    ['handles', 'Handles', 'open'],
    ['redisMb', 'Data in Redis', 'MB'],
  ] as const) {
    heading(`${what}, ${unit}: slope per hour after the warm-up; first and last value of that time`)
    for (const [name, points] of lines[kind]) {
      const rest = afterWarmUp(points, hours)
      const [slope, from, to] = [slopePerHour(rest), rest[0]?.value, rest.at(-1)?.value]
      row(name, slope === null ? '-' : slope.toFixed(2), `${from?.toFixed(1)} to ${to?.toFixed(1)}`)
    }
  }
}

function tellVerdicts(observed: Parameters<typeof judge>[0]): boolean {
  heading(`Verdicts; the plot is in ${values.plot}`)
  const verdicts = judge(observed)
  for (const { what, figure, result } of verdicts) row(what, result, figure)
  return verdicts.every(({ result }) => result !== 'failed')
}

async function finish(code: number): Promise<void> {
  for (const end of ends.splice(0)) await end()
  process.exit(code)
}
