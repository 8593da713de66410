import type { Process } from '../../tests/harness/processes/processes.ts'

const told = /alive (\d+)\n/g

/** Loaded into a process before its program: SIGUSR2 lets it collect its garbage and tell how many bytes remain. */
const listener = `
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
process.on('SIGUSR2', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  collect()
  // The buffers of dead objects are freed with the next one.
  collect()
  const { heapUsed, external } = process.memoryUsage()
  process.stderr.write('alive ' + (heapUsed + external) + '\\n')
})`

/** Environment of a process that can be asked for the memory that is alive. */
export const TELLS_MEMORY = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(listener)}`,
}

/** MB that a process holds right after a collection, in its heap and in buffers: a leak shows here, garbage doesn't. */
export async function aliveMb(process: Process): Promise<number> {
  const before = [...process.output.matchAll(told)].length
  process.child.kill('SIGUSR2')
  const output = await process.printed(new RegExp(`(${told.source}[^]*?){${before + 1}}`))
  return Number([...output.matchAll(told)].at(-1)![1]) / 1024 ** 2
}
