import { execFileSync } from 'node:child_process'
import type { Process } from '../../tests/harness/processes/processes.ts'

/** Time for freed pages to be given back. */
const SETTLE_MS = 500
/** How often each process was asked. */
const asked = new WeakMap<Process, number>()

/** Bytes of bytecode that a function runs before V8 looks whether it is worth optimising; ten times as many by default. */
const EAGER_BUDGET = 6_000

/**
 * Loaded into a process before its program. SIGUSR2 lets it collect its garbage and tell how many bytes remain, and its RSS: the
 * inspector collects all there is and compacts the heap, whose pages go back to the system a little later.
 *
 * For its first `warmUpMs` it optimises early: what happens every few seconds would otherwise be optimised after one to three hours, and
 * that code looks like a leak.
 */
const preload = (warmUpMs: number) => `
import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'
setFlagsFromString('--interrupt-budget=${EAGER_BUDGET}')
setTimeout(() => setFlagsFromString('--interrupt-budget=${defaultBudget()}'), ${warmUpMs}).unref()
let asked = 0
process.on('SIGUSR2', () => {
  const session = new Session()
  session.connect()
  session.post('HeapProfiler.collectGarbage', () => setTimeout(() => {
    session.disconnect()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.stderr.write('collected ' + ++asked + ': ' + (heapUsed + external) + ' of ' + rss + '\\n')
  }, ${SETTLE_MS}))
})`

function defaultBudget(): number {
  const options = execFileSync(process.execPath, ['--v8-options']).toString()
  const told = / --interrupt-budget=(\d+)/.exec(options)
  if (!told) throw new Error('V8 has no interrupt budget any more')
  return Number(told[1])
}

/** Environment of a process that can be asked for the memory that is alive, and has compiled what it needs when it is warm. */
export const tellsMemory = (warmUpMs: number) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload(warmUpMs))}`,
})

/** Memory of a process right after a collection, MB. */
export interface Collected {
  /** In its heap and in buffers. */
  aliveMb: number
  rssMb: number
}

/** Lets a process collect its garbage. */
export async function collect(process: Process): Promise<Collected> {
  const time = (asked.get(process) ?? 0) + 1
  asked.set(process, time)
  const told = new RegExp(`collected ${time}: (\\d+) of (\\d+)\n`)
  process.child.kill('SIGUSR2')
  const [, alive, rss] = told.exec(await process.printed(told))!
  return { aliveMb: Number(alive) / 1024 ** 2, rssMb: Number(rss) / 1024 ** 2 }
}
