import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '@solstice/station'
import type { Page } from 'playwright-core'
import { launchChromium } from '../../../tests/harness/browser/chromium.ts'
import {
  childrenOf,
  start,
  type Teardown,
  temporaryFolder,
} from '../../../tests/harness/processes/processes.ts'
import { builtPage } from '../../../tests/harness/processes/programs.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import { usageOf } from '../usage.ts'
import { dropouts, type Offset, offsetsOf } from './offsets.ts'

const run = promisify(execFile)

const RECORDED_HZ = 48_000
const CHANNELS = 4
/** Sound of which two players may still be finding their place. */
const SETTLING_S = 3
/** A step of the offset within half a second that is none of the players' corrections: those move each by 1 ms at most. */
const JUMP_MS = 3
const LATE_TIMER_MS = 500
const SOUND_THREADS = /audio|null-sink|threaded-ml/i
const CPU_WINDOW_S = 60

/** Tracks of noise, which is like itself at one offset only; encoded in different ways. */
const tracks = [
  ['-b:a', '128k'],
  ['-q:a', '4'],
  ['-b:a', '320k', '-ar', '48000'],
  ['-b:a', '128k', '-ac', '1'],
]

export interface InStepFigures {
  /** Offsets of the second browser to the first, without the first 3 s and those after each change. */
  offsets: Offset[]
  /** Absolute offsets, ms. */
  p50Ms: number
  p95Ms: number
  maxMs: number
  jumps: number
  dropouts: number
  changes: number
  /** Longest delay of a timer in either page, ms, and how many were late by more than half a second. */
  worstTimerMs: number
  lateTimers: number
  /** How often a browser gave the sound server nothing to play. */
  underruns: number
  /** Share of the time in which something on this machine waited for a processor; null where the system doesn't tell. */
  starved: number | null
  /** Of a browser with all its processes, in cores, in the same minute: in step, and with the file in an element. */
  cpu: { inStep: number; plain: number }
}

/**
 * Two browsers listen to a station in sync mode, as two processes that play into two recorded sinks. Needs PulseAudio
 * (`pulseaudio`, `parec`) and Chromium.
 *
 * @param latencyMs latency that the second browser's output is given.
 */
export async function measureInStep(t: Teardown, minutes: number, latencyMs: number): Promise<InStepFigures> {
  const server = await startPulse(t)
  const folder = await temporaryFolder(t)
  const trackS = Math.max(20, (minutes * 60) / 4 + 5)
  await makeTracks(join(folder, 'music', 'day'), trackS)
  const station = await prepareStation(t, [], {
    WEB_DIST: await builtPage(),
    STREAM_MODE: 'false',
    DEMO_LIBRARY: 'false',
    MEDIA_DIR: folder,
  })
  await station.startWorker()
  const api = await station.startApi()

  const [first, second] = await Promise.all([
    openListener(t, api.url, { ...server.env, PULSE_SINK: 'a' }),
    openListener(t, api.url, { ...server.env, PULSE_SINK: 'b', PULSE_LATENCY_MSEC: String(latencyMs) }),
  ])
  const starved = await watchStarvation()
  const underrunsBefore = server.underruns()
  const recording = await record(t, server.env, join(folder, 'recording.raw'))
  const changesAtS = await watchTitles(first, recording.elapsedS, minutes)
  const { left, right } = await recording.stop()
  const circumstances = { starved: await starved(), underruns: server.underruns() - underrunsBefore }
  const lateMs = (await Promise.all([first.lateTimersMs(), second.lateTimersMs()])).flat()
  await second.close()

  const plain = await openListener(t, api.url, { ...server.env, PULSE_SINK: 'b' }, withoutWebAudio)
  await sleep(SETTLING_S * 1000)
  const [inStepCpu, plainCpu] = await Promise.all([cpuOver(first), cpuOver(plain)])
  await Promise.all([first.close(), plain.close()])
  return {
    ...judge(left, right, changesAtS),
    ...circumstances,
    changes: changesAtS.length,
    worstTimerMs: Math.max(...lateMs),
    lateTimers: lateMs.filter((ms) => ms > LATE_TIMER_MS).length,
    cpu: { inStep: inStepCpu, plain: plainCpu },
  }
}

type Listener = Awaited<ReturnType<typeof openListener>>

/** Seconds of the recording at which another song began. */
async function watchTitles(listener: Listener, elapsedS: () => number, minutes: number): Promise<number[]> {
  const changesAtS: number[] = []
  let title = await listener.title()
  while (elapsedS() < minutes * 60) {
    await sleep(500)
    const next = await listener.title()
    if (next !== title) changesAtS.push(elapsedS())
    title = next
  }
  return changesAtS
}

async function cpuOver(listener: Listener): Promise<number> {
  const before = await listener.cpuS()
  await sleep(CPU_WINDOW_S * 1000)
  return ((await listener.cpuS()) - before) / CPU_WINDOW_S
}

/** Returns a function that tells the share of the time since in which something waited for a processor. */
async function watchStarvation(): Promise<() => Promise<number | null>> {
  const waitedS = async () => {
    const pressure = await readFile('/proc/pressure/cpu', 'utf8').catch(() => '')
    return Number(/^some .*total=(\d+)/m.exec(pressure)?.[1] ?? Number.NaN) / 1e6
  }
  const [before, beganMs] = [await waitedS(), performance.now()]
  return async () => {
    const share = (1000 * ((await waitedS()) - before)) / (performance.now() - beganMs)
    return Number.isNaN(share) ? null : share
  }
}

function judge(left: Float32Array, right: Float32Array, changesAtS: number[]) {
  const isSettling = (atS: number) =>
    atS < SETTLING_S || changesAtS.some((change) => atS > change - 2 && atS < change + SETTLING_S)
  const all = offsetsOf(left, right, RECORDED_HZ)
  const offsets = all.filter(({ atS }) => !isSettling(atS))
  const sorted = offsets.map(({ ms }) => Math.abs(ms)).sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  const jumps = offsets.filter((offset, i) => {
    const before = offsets[i - 1]
    return before && offset.atS - before.atS < 1 && Math.abs(offset.ms - before.ms) > JUMP_MS
  })
  return {
    offsets,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: at(1),
    jumps: jumps.length,
    dropouts: dropouts(left, right, RECORDED_HZ).filter((atS) => !isSettling(atS)).length,
  }
}

/** A sound server of its own: one device of four channels, of which each browser gets two, so that one recording holds both. */
async function startPulse(t: Teardown) {
  const folder = await temporaryFolder(t)
  await chmod(folder, 0o700)
  const socket = join(folder, 'native')
  const both = 'front-left,front-right,rear-left,rear-right'
  const remap = (name: string, side: string) =>
    `module-remap-sink sink_name=${name} master=both channels=2 master_channel_map=${side}-left,${side}-right channel_map=front-left,front-right remix=no`
  const modules = [
    `module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
    `module-null-sink sink_name=both rate=${RECORDED_HZ} channels=${CHANNELS} channel_map=${both}`,
    remap('a', 'front'),
    remap('b', 'rear'),
  ].flatMap((line) => ['-L', line])
  const env = { XDG_RUNTIME_DIR: folder, HOME: folder, PULSE_SERVER: `unix:${socket}` }
  const options = ['-n', '--daemonize=no', '--exit-idle-time=-1', '--log-target=stderr', '--log-level=debug']
  const server = start(t, 'pulseaudio', [...options, ...modules], env)
  await server.printed(/Daemon startup complete/)
  await prioritiseSound()
  return { env, underruns: () => server.output.match(/end of underrun/g)?.length ?? 0 }
}

async function makeTracks(folder: string, seconds: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  const make = (encoding: string[], i: number) =>
    run('ffmpeg', [
      ...['-y', '-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i'],
      `anoisesrc=color=pink:seed=${i + 1}:amplitude=0.4:sample_rate=44100:duration=${seconds}`,
      ...['-metadata', `title=Noise ${i + 1}`, '-metadata', `artist=Bench ${i + 1}`],
      ...encoding,
      join(folder, `noise-${i + 1}.mp3`),
    ])
  await Promise.all(tracks.map(make))
}

async function openListener(
  t: Teardown,
  url: string,
  env: Record<string, string>,
  beforehand: () => void = () => {},
) {
  const browser = await launchChromium({
    env: { ...process.env, ...env } as Record<string, string>,
    ignoreDefaultArgs: ['--mute-audio'],
  })
  t.teardown(() => browser.close())
  const page: Page = await browser.newPage()
  await page.addInitScript(beforehand)
  await page.addInitScript(watchTimers)
  await page.goto(`${url}/en/`)
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await prioritiseSound()
  return {
    title: async () => (await page.locator('h1').textContent()) ?? '',
    cpuS: () => cpuOf(env.PULSE_SINK!),
    lateTimersMs: () => page.evaluate(() => (window as Window & { lateMs?: number[] }).lateMs!),
    close: () => browser.close(),
  }
}

/** The page falls back to the file in an element. */
function withoutWebAudio(): void {
  Reflect.deleteProperty(window, 'AudioContext')
}

/** Notes how late the timers of a page are. */
function watchTimers(): void {
  const timerMs = 250
  const lateMs: number[] = []
  Object.assign(window, { lateMs })
  let dueMs = performance.now() + timerMs
  setInterval(() => {
    lateMs.push(performance.now() - dueMs)
    dueMs = performance.now() + timerMs
  }, timerMs)
}

/**
 * Gives threads that move sound the real-time priority that desktops give them (rtkit). Without it their buffers run dry
 * whenever other programs use the machine. Where that isn't allowed they stay as they are.
 */
async function prioritiseSound(): Promise<void> {
  for (const pid of await pidsBelow(process.pid)) {
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const name = await readFile(`/proc/${pid}/task/${thread}/comm`, 'utf8').catch(() => '')
      if (SOUND_THREADS.test(name)) await run('chrt', ['--rr', '-p', '5', thread]).catch(() => {})
    }
  }
}

async function pidsBelow(pid: number): Promise<number[]> {
  const children = (await childrenOf(pid)).map((child) => child.pid)
  return [...children, ...(await Promise.all(children.map(pidsBelow))).flat()]
}

/** CPU seconds of the browser that plays into this sink, with all its processes. */
async function cpuOf(sink: string): Promise<number> {
  for (const { pid } of await childrenOf(process.pid)) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (environment.includes(`PULSE_SINK=${sink}`)) return cpuOfTree(pid)
  }
  return Number.NaN
}

async function cpuOfTree(pid: number): Promise<number> {
  const own = await usageOf(pid).catch(() => ({ cpuS: 0 }))
  const below = await Promise.all((await childrenOf(pid)).map((child) => cpuOfTree(child.pid)))
  return below.reduce((sum, cpuS) => sum + cpuS, own.cpuS)
}

async function record(t: Teardown, pulse: Record<string, string>, path: string) {
  const args = ['-d', 'both.monitor', `--rate=${RECORDED_HZ}`, `--channels=${CHANNELS}`, '--format=s16le']
  const map = '--channel-map=front-left,front-right,rear-left,rear-right'
  const recorder = start(
    t,
    'sh',
    ['-c', `exec parec ${args.join(' ')} ${map} --latency-msec=100 > "${path}"`],
    pulse,
  )
  const beganMs = performance.now()
  return {
    elapsedS: () => (performance.now() - beganMs) / 1000,
    async stop() {
      await recorder.end('SIGTERM')
      const bytes = await readFile(path)
      const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
      const channel = (first: number) =>
        Float32Array.from(
          { length: Math.floor(samples.length / CHANNELS) },
          (_, i) => samples[i * CHANNELS + first]! / 32_768,
        )
      return { left: channel(0), right: channel(2) }
    },
  }
}
