import { parseArgs } from 'node:util'
import { SUPER_ADMIN } from '../../tests/harness/people/admin.ts'
import { logIn } from '../../tests/harness/people/uploads.ts'
import type { Teardown } from '../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../tests/harness/stations/station.ts'
import { startFloor, tellAir } from './air/air.ts'
import { crowdRows } from './air/crowd.ts'
import { measureHls } from './air/hls.ts'
import { measureMicrophones } from './air/microphones.ts'
import { mountRows } from './air/mounts.ts'
import { findProgram } from './air/references.ts'
import { rushRows } from './air/rush.ts'
import { measureAdmin } from './library/admin.ts'
import { type ChangeFigures, makingRow, measureChanges, measuredRow } from './library/changes.ts'
import { measureData, TRACKS } from './library/data.ts'
import { engineRows } from './library/engine.ts'
import { LIBRARY_TRACKS, measureLibrary } from './library/library.ts'
import { measureUploads, UPLOAD_MB } from './library/uploads.ts'
import { measureFirstPaint } from './pages/first-paint.ts'
import { measureInStep } from './pages/in-step.ts'
import { measurePanel } from './pages/panel.ts'
import { heading, ratio, row, say } from './report.ts'
import { startRows } from './start.ts'

// `npm run bench`: the real service under load, each figure beside the floor of the same run, since machines differ and other programs
// run. With a part as argument only that one is measured, with `all` every part. What isn't installed (nginx, Icecast, a C compiler) is
// left out with a line that says so.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    listeners: { type: 'string' },
    sockets: { type: 'string', default: '1000' },
    rate: { type: 'string' },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '2' },
    uploads: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '10' },
    latency: { type: 'string', default: '150' },
    processes: { type: 'string', default: '2' },
    join: { type: 'string', default: '60' },
  },
})
const windowS = Number(values.seconds)
const listenersOr = (usual: number) => Number(values.listeners ?? usual)

type Cells = [name: string, ...cells: string[]]
type Parts = Record<string, () => Promise<void>>
const isAlone = positionals[0] !== undefined && positionals[0] !== 'all'
const quick: Parts = {
  air: () =>
    tellAir(run, {
      ...{ listeners: listenersOr(1_000), sockets: Number(values.sockets), rate: Number(values.rate ?? 500) },
      ...{ rounds: Number(values.rounds), seconds: windowS },
    }),
  hls: () => tellHls(isAlone ? Math.max(windowS, 24) : windowS),
  microphones: tellMicrophones,
  mounts: tellMounts,
  admin: tellAdmin,
  data: tellData,
  changes: async () => tellChanges(),
  library: tellLibrary,
  uploads: tellUploads,
}
/** These take minutes, or need Chromium or PulseAudio. */
const slow: Parts = {
  sync: async () => tellRows(crowdRows(run, values)),
  rush: tellRush,
  start: () => tellRows(startRows(run)),
  engine: () => tellRows(engineRows(run)),
  'first-paint': tellFirstPaint,
  panel: tellPanel,
  'in-step': tellInStep,
}

const ends: (() => unknown)[] = []
const run: Teardown = { teardown: (end) => void ends.unshift(end) }
process.once('SIGINT', () => finish(130))
process.once('SIGTERM', () => finish(143))
try {
  for (const tell of chosen(positionals[0])) await tell()
  await finish(0)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  await finish(1)
}

/** A part by its name; all that is quick without one, really all as `all`. @throws for another name. */
function chosen(part: string | undefined) {
  const whole = { ...quick, ...slow }
  if (part === 'all') return Object.values(whole)
  if (part === undefined) return Object.values(quick)
  if (!Object.hasOwn(whole, part)) throw new Error(`the parts are ${Object.keys(whole).join(', ')}, or all`)
  return [whole[part]!]
}

async function tellRows(rows: Promise<Cells[]> | AsyncIterable<Cells>): Promise<void> {
  for await (const cells of Symbol.asyncIterator in rows ? rows : await rows) row(...cells)
}

async function tellMicrophones(): Promise<void> {
  heading('Microphones, in pieces of 100 ms: median and largest')
  const figures = await measureMicrophones(run, 10)
  row('from the mouth to the encoder', `${figures.mouthToEncoderMs.join(' / ')} ms`)
  row('from a piece to the encoder', `${figures.sentToEncoderMs.join(' / ')} ms`)
  row('from a piece to its chunk', `${figures.sentToPublishedMs.join(' / ')} ms`)
  const { musicCpu, cpuPerMicrophone } = figures
  row('music alone', `${(musicCpu * 100).toFixed(2)} % of one core`)
  row(
    'each microphone',
    `${(cpuPerMicrophone * 100).toFixed(2)} %`,
    `${ratio(cpuPerMicrophone, musicCpu)} of that`,
  )
}

async function tellMounts(): Promise<void> {
  const seconds = Math.max(windowS, 20)
  heading(`CPU of the worker for its mounts, % of one core, beside bare ffmpeg; a window of ${seconds} s`)
  for (const cells of await mountRows(run, seconds)) row(...cells)
}

async function tellRush(): Promise<void> {
  const [listeners, rate] = [listenersOr(5_000), Number(values.rate ?? 1_500)]
  heading(
    `${listeners} listeners, as many who join, and as many within 2 s, beside a program that takes half of each core`,
  )
  const bare = await startFloor(run, 'stream')
  for (const cells of await rushRows(run, { listeners, rate }, bare)) row(...cells)
}

async function tellHls(seconds: number): Promise<void> {
  const listeners = listenersOr(20_000)
  heading(`${listeners} listeners of HLS, two mounts, nginx before two replicas`)
  if (!(await findProgram('nginx'))) return row('left out', 'no nginx')
  const figures = await measureHls(run, listeners, seconds)
  const percent = (part: number) => `${(part * 100).toFixed(2)} % of one core`
  const { answeredPerS, wantedPerS, failed, megabytesPerS } = figures
  row('answered by nginx', `${answeredPerS.toFixed(0)} /s`, `of ${wantedPerS.toFixed(0)} /s`)
  row('failed, sent', `${failed}`, `${megabytesPerS.toFixed(0)} MB/s`)
  row('asked of the replicas', `${figures.originPerS.toFixed(2)} /s and mount`)
  row('both replicas, idle', percent(figures.idleCpu))
  row('both replicas, under load', percent(figures.originCpu))
  row('… for HLS alone', percent(figures.originCpu - figures.idleCpu))
  row('a bare server in their place', percent(figures.bareOriginCpu))
  const perAnswer = (part: number, perS: number) => (part * 1e6) / perS
  const [nginxUs, filesUs] = [
    perAnswer(figures.nginxCpu, answeredPerS),
    perAnswer(figures.fileServerCpu, figures.fileServerPerS),
  ]
  row('nginx', percent(figures.nginxCpu), `${nginxUs.toFixed(1)} µs per answer`, ratio(nginxUs, filesUs))
  row('nginx with files', percent(figures.fileServerCpu), `${filesUs.toFixed(1)} µs per answer`)
}

async function tellAdmin(): Promise<void> {
  heading('Admin replies about 10 000 tracks, beside JSON.stringify of the same reply')
  for (const { path, bytes, coldMs, warmMs, stringifyMs } of await measureAdmin(run)) {
    const size = `${(bytes / 1024).toFixed(0)} KB`
    row(
      path.split('?')[0]!,
      `${warmMs.toFixed(2)} ms`,
      ratio(warmMs, stringifyMs),
      `${coldMs.toFixed(1)} ms cold`,
      size,
    )
  }
}

async function tellData(): Promise<void> {
  heading(`Memory with ${TRACKS.toLocaleString('en')} tracks: in PostgreSQL, and beside it in files`)
  const { json, sql } = await measureData(run)
  const what = {
    load: 'first reading',
    insert: 'a track more',
    update: 'a track changed',
    list: 'all tracks',
    listAnew: 'half of them, after a change',
    note: 'an entry more of a ledger of 120 000',
    noted: 'that entry in another process',
  } as const
  for (const [name, title] of Object.entries(what) as [keyof typeof what, string][]) {
    const beside = `${json[name].toFixed(2)} ms in files`
    row(title, `${sql[name].toFixed(2)} ms`, ratio(sql[name], json[name]), beside)
  }
}

function tellChanges() {
  const sizes = [1_000, 10_000, 100_000]
  const [small, ...larger] = sizes.map(measureChanges)
  heading(
    `A change of the air, with ${sizes.map((size) => size.toLocaleString('en')).join(', ')} tracks a mode; × of bare JSON`,
  )
  for (const [i, change] of small!.entries()) {
    const all = [change, ...larger.map((figures) => figures[i]!)]
    const cells = (of: (figures: ChangeFigures) => number, digits: number) =>
      all.map((figures) => of(figures).toFixed(digits)).join(' / ')
    row(
      change.name,
      `${cells(({ bytes }) => bytes / 1024, 1)} KB`,
      `worker ${cells(({ workerMs }) => workerMs, 2)} ms`,
      `${cells(({ workerMs, stringifyMs }) => workerMs / stringifyMs, 1)} ×`,
      `replica ${cells(({ replicaMs }) => replicaMs, 2)} ms`,
      `${cells(({ replicaMs, parseMs }) => replicaMs / parseMs, 1)} ×`,
    )
  }
  row(...makingRow(sizes))
  row(...measuredRow(sizes))
}

async function tellLibrary() {
  heading(`Pages of ${LIBRARY_TRACKS.toLocaleString('en')} tracks, CPU beside a bare search of their names`)
  const { floorMs, figures } = await measureLibrary(run)
  row('bare search', `${floorMs.toFixed(1)} ms`)
  for (const { name, cpuMs, blockedMs } of figures)
    row(name, `${cpuMs.toFixed(1)} ms`, ratio(cpuMs, floorMs), `at most ${blockedMs.toFixed(1)} ms at a time`)
}

async function tellFirstPaint(): Promise<void> {
  heading('First visits on a slow device (CPU / 4) and line (slow 4G)')
  const { paints, load } = await measureFirstPaint(run)
  for (const { device, fcpMs, lcpMs, shift, onlineMs, kilobytes } of paints)
    row(
      device,
      `FCP ${fcpMs.toFixed(0)} ms`,
      `LCP ${lcpMs.toFixed(0)} ms`,
      `CLS ${shift.toFixed(4)}`,
      `live ${onlineMs.toFixed(0)} ms, ${kilobytes.toFixed(0)} KB`,
    )
  const { perSecond, p99Ms, apiCpu } = load
  row(
    'pages',
    `${perSecond.toFixed(0)}/s`,
    `p99 ${p99Ms.toFixed(0)} ms`,
    `${apiCpu.toFixed(1)} % of a core per 100/s`,
  )
}

async function tellPanel(): Promise<void> {
  heading(`The panel with ${LIBRARY_TRACKS.toLocaleString('en')} tracks on a slow device (CPU / 4)`)
  for await (const { name, p75Ms, maxMs, frameMs, cpuMs } of measurePanel(run))
    row(
      name,
      `to the next paint ${p75Ms.toFixed(0)} / ${maxMs.toFixed(0)} ms`,
      `longest frame ${frameMs.toFixed(0)} ms`,
      `CPU ${cpuMs.toFixed(0)} ms`,
    )
}

async function tellUploads(): Promise<void> {
  heading(`Uploads of ${UPLOAD_MB} MB, MB/s beside copies of as many files`)
  const station = await prepareStation(run, [], { STREAM_MODE: 'false', ...SUPER_ADMIN })
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const token = await logIn(api.url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
  const service = { url: api.url, pid: api.process.child.pid!, token }
  for (const count of new Set([1, Number(values.uploads)])) {
    const { copiedPerS, uploadedPerS, grownKb } = await measureUploads(run, service, count)
    row(
      `${count} at once`,
      `${uploadedPerS.toFixed(0)} MB/s`,
      ratio(uploadedPerS, copiedPerS),
      `${Math.round(grownKb / 1024)} MB above idle`,
    )
  }
}

async function tellInStep() {
  const [minutes, latencyMs] = [Number(values.minutes), Number(values.latency)]
  heading(`Two browsers in sync mode, ${minutes} minutes; one output is slower, by about ${latencyMs} ms`)
  const figures = await measureInStep(run, minutes, latencyMs)
  const { p50Ms, p95Ms, maxMs, offsets, jumps, dropouts, changes, cpu, starved } = figures
  row('offset p50 / p95 / largest', `${[p50Ms, p95Ms, maxMs].map((ms) => ms.toFixed(2)).join(' / ')} ms`)
  row('windows, changes of track', `${offsets.length}, ${changes}`)
  row('jumps, dropouts', `${jumps}, ${dropouts}`)
  row('timers, latest', `${figures.worstTimerMs.toFixed(0)} ms, ${figures.lateTimers} over 500 ms`)
  row('underruns of the sound server', String(figures.underruns))
  row('machine short of CPU', starved === null ? 'unknown' : `${(starved * 100).toFixed(0)} % of the time`)
  row('CPU of a browser in step', `${(cpu.inStep * 100).toFixed(1)} % of one core`)
  row('CPU with an element', `${(cpu.plain * 100).toFixed(1)} % of one core`, ratio(cpu.inStep, cpu.plain))
  if (process.env.BENCH_OFFSETS) for (const { atS, ms } of offsets) say(`${atS.toFixed(1)}\t${ms.toFixed(3)}`)
}

async function finish(code: number): Promise<void> {
  for (const end of ends.splice(0)) await end()
  process.exit(code)
}
