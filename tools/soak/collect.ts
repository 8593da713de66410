import type { Process } from '../../tests/harness/processes/processes.ts'

/** Time for freed pages to be given back. */
const SETTLE_MS = 500
/** How often each process was asked. */
const asked = new WeakMap<Process, number>()

/**
 * Loaded into a process before its program: SIGUSR2 lets it collect its garbage and tell how many bytes remain, and its RSS. The
 * inspector collects all there is and compacts the heap; its pages go back to the system a little later.
 */
const listener = `
import { Session } from 'node:inspector'
import { setTimeout } from 'node:timers'
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

/** Environment of a process that can be asked for the memory that is alive. */
export const TELLS_MEMORY = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(listener)}`,
}

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
