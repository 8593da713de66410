import { execFile } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '@solstice/station'
import {
  childrenOf,
  type Process,
  start,
  type Teardown,
  temporaryFolder,
} from '../../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import { until } from '../../../tests/harness/until.ts'
import { ratio } from '../report.ts'
import { usageOf } from '../usage.ts'

const run = promisify(execFile)
/** Each as it is encoded, and how a bare ffmpeg makes the same of a file. */
const MOUNTS = {
  'mp3:128': '-c:a libmp3lame -b:a 128k -reservoir 0 -f mp3',
  'mp3:64': '-c:a libmp3lame -b:a 64k -reservoir 0 -f mp3',
  'aac:64': '-c:a aac -b:a 64k -profile:a aac_low -f adts',
  'opus:64': '-c:a libopus -b:a 64k -vbr constrained -frame_duration 20 -packet_loss 10 -f ogg',
} as const
type Mount = keyof typeof MOUNTS
const mounts = Object.keys(MOUNTS) as Mount[]
/** The first mount of a station is in MP3. */
const STATIONS: Mount[][] = [
  ['mp3:128'],
  ['mp3:64'],
  ['mp3:128', 'aac:64'],
  ['mp3:128', 'opus:64'],
  ['mp3:128', 'mp3:64', 'aac:64', 'opus:64'],
]
const TRACK_S = 300
const SETTLE_S = 8

/** CPU of a worker, as parts of a core. */
interface Cost {
  encoders: Map<Mount, number>
  /** The worker with its decoders: mixing, and what it does with the frames of each mount. */
  itself: number
}

/**
 * The CPU of each mount alone and of all of them together, as rows of the report: stations with these mounts and bare ffmpeg that
 * encode the same noise all run at once, so that whatever else the machine does slows each of them.
 */
export async function mountRows(t: Teardown, windowS: number): Promise<[name: string, ...cells: string[]][]> {
  const noise = await makeNoise(t)
  const workers = await Promise.all(STATIONS.map((station) => startWorker(t, station, noise.mp3)))
  const bare = new Map(mounts.map((mount) => [mount, startBare(t, mount, noise.wav)]))
  await sleep(SETTLE_S * 1000)
  const pids = await Promise.all(workers.map(pidsOf))
  const startedMs = performance.now()
  const before = await usedBy(pids, bare)
  await sleep(windowS * 1000)
  const after = await usedBy(pids, bare)
  const tookS = (performance.now() - startedMs) / 1000
  const part = (now: number, then = 0) => (now - then) / tookS

  const costs = STATIONS.map((station, i): Cost => {
    const of = (key: string) => part(after.get(`${i} ${key}`)!, before.get(`${i} ${key}`))
    return { encoders: new Map(station.map((mount) => [mount, of(mount)])), itself: of('itself') }
  })
  const bareOf = (mount: Mount) => part(after.get(mount)!, before.get(mount))
  const [first, small, aac, opus, all] = costs as [Cost, Cost, Cost, Cost, Cost]
  const cells = (encoder: number, floor: number, itself: number) => [
    `encoder ${percent(encoder)}`,
    `bare ffmpeg ${percent(floor)}`,
    ratio(encoder, floor),
    `worker itself ${percent(itself)}`,
  ]
  const alone = (mount: Mount, { encoders, itself }: Cost) =>
    cells(encoders.get(mount)!, bareOf(mount), itself)
  const beside = (mount: Mount, { encoders, itself }: Cost) =>
    cells(encoders.get(mount)!, bareOf(mount), itself - first.itself)
  const sum = (parts: Iterable<number>) => [...parts].reduce((total, one) => total + one, 0)
  const together = sum(all.encoders.values())
  const floor = sum(mounts.map(bareOf))
  return [
    ['mp3:128 alone', ...alone('mp3:128', first)],
    ['mp3:64 alone', ...alone('mp3:64', small)],
    ['aac:64 beside mp3:128', ...beside('aac:64', aac)],
    ['opus:64 beside mp3:128', ...beside('opus:64', opus)],
    ['all four', ...cells(together, floor, all.itself), `in all ${percent(together + all.itself)}`],
  ]
}

const percent = (part: number) => `${(part * 100).toFixed(2)} %`

/** Pink noise with an echo: as hard to encode as music. */
async function makeNoise(t: Teardown): Promise<{ mp3: string; wav: string }> {
  const folder = await temporaryFolder(t)
  const [mp3, wav] = ['mp3', 'wav'].map((kind) => join(folder, `noise.${kind}`)) as [string, string]
  const source = `anoisesrc=color=pink:amplitude=0.4:sample_rate=44100:duration=${TRACK_S},aecho=0.8:0.9:300:0.3`
  const make = ['-y', '-nostdin', '-v', 'error', '-f', 'lavfi', '-i', source, '-ac', '2']
  await run('ffmpeg', [...make, '-b:a', '128k', '-metadata', 'title=Noise', mp3, wav])
  return { mp3, wav }
}

async function startWorker(t: Teardown, station: Mount[], noise: string) {
  const { env, startWorker } = await prepareStation(t, [{ name: 'Noise', hz: 220, seconds: TRACK_S }], {
    DEMO_LIBRARY: 'false',
    STREAM_MOUNTS: station.join(),
  })
  await copyFile(noise, join(env.MEDIA_DIR!, 'music/day/Noise.mp3'))
  const worker = await startWorker()
  await until('each mount has its encoder', async () => {
    const encoders = (await pidsOf(worker)).filter(({ key }) => key !== 'itself')
    return encoders.length === station.length
  })
  return worker
}

function startBare(t: Teardown, mount: Mount, wav: string): Process {
  const input = ['-nostdin', '-v', 'error', '-re', '-stream_loop', '-1', '-i', wav]
  return start(t, 'ffmpeg', [...input, ...MOUNTS[mount].split(' '), '-y', '/dev/null'])
}

/** The processes of a worker, each with what it is for. */
async function pidsOf(worker: Process): Promise<{ key: Mount | 'itself'; pid: number }[]> {
  const { pid } = worker.child
  const children = (await childrenOf(pid!)).map(({ pid, command }) => {
    const encoder = mounts.find((mount) => {
      const [, codec, , kbits] = MOUNTS[mount].split(' ')
      return command.includes(`-c:a ${codec} `) && command.includes(`-b:a ${kbits} `)
    })
    return { key: encoder ?? ('itself' as const), pid }
  })
  return [{ key: 'itself', pid: pid! }, ...children]
}

/** CPU seconds so far of each station's parts, under the number of the station, and of the bare encoders. */
async function usedBy(stations: Awaited<ReturnType<typeof pidsOf>>[], bare: Map<Mount, Process>) {
  const used = new Map<string, number>()
  const add = async (key: string, pid: number) => {
    // Decoders end with their track.
    const { cpuS } = await usageOf(pid).catch(() => ({ cpuS: 0 }))
    used.set(key, (used.get(key) ?? 0) + cpuS)
  }
  await Promise.all(stations.flatMap((parts, i) => parts.map(({ key, pid }) => add(`${i} ${key}`, pid))))
  await Promise.all([...bare].map(([mount, { child }]) => add(mount, child.pid!)))
  return used
}
