import { availableParallelism, cpus, freemem } from 'node:os'
import { sleep } from '@solstice/station'

/** A machine with more cores would have memory for no more lanes. */
const CORES = Math.min(availableParallelism(), 4)
/** Files that run beside those of the lanes while the machine has time for them. */
const MAX_EXTRA = CORES + 1
/** Share of all cores that must have been idle since the last look. */
const IDLE = 0.25
const LOOK_EVERY_MS = 1_000
/** A file first loads, and takes its share of the cores only then. */
const LOADING_MS = 2_000
/** Memory that a station and its browser need. */
const FREE_BYTES = 1.5 * 2 ** 30

/** Test files still to be run, in their order. */
export interface Queues<Run> {
  /** These listen, or wait for what was taken away: they leave the cores to others. */
  waiting: Run[]
  computing: Run[]
}

/**
 * Runs all files: one waiting and one computing per core, and others beside them as long as cores are idle. So a slow machine runs
 * few at a time, and no machine rests while all of its files wait.
 */
export async function runInLanes<Run>(
  queues: Queues<Run>,
  runFile: (run: Run) => Promise<void>,
): Promise<void> {
  const nextOf = (kind: keyof Queues<Run>) =>
    queues[kind].shift() ?? queues[kind === 'waiting' ? 'computing' : 'waiting'].shift()
  const lane = async (kind: keyof Queues<Run>) => {
    for (let next = nextOf(kind); next !== undefined; next = nextOf(kind)) await runFile(next)
  }
  const kinds = Array.from({ length: CORES }, () => ['waiting', 'computing'] as const).flat()
  const extra = async () => {
    const running = new Set<Promise<void>>()
    for (const idleShare = watchIdleness(); queues.waiting.length + queues.computing.length > 0; ) {
      await sleep(LOOK_EVERY_MS)
      if (idleShare() < IDLE || freemem() < FREE_BYTES || running.size >= MAX_EXTRA) continue
      const next = nextOf('computing')
      if (next === undefined) break
      const run = runFile(next).finally(() => running.delete(run))
      running.add(run)
      await sleep(LOADING_MS)
      idleShare()
    }
    await Promise.all(running)
  }
  await Promise.all([...kinds.map(lane), extra()])
}

/** @returns the idle share of all cores since the last call. */
function watchIdleness(): () => number {
  const total = () => {
    const times = cpus().map((core) => core.times)
    const idle = times.reduce((sum, each) => sum + each.idle, 0)
    return { idle, all: times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0) }
  }
  let before = total()
  return () => {
    const now = total()
    const share = (now.idle - before.idle) / Math.max(1, now.all - before.all)
    before = now
    return share
  }
}
