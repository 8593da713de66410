import { availableParallelism } from 'node:os'
import { integer, type Setting } from './setting.ts'

const MAX_PROCESSES = 32

/** A number of processes; `auto` = one per core of this machine. */
export function processCount(effect: string): Setting<number> {
  const count = integer(1, { min: 1, max: MAX_PROCESSES }, effect)
  return {
    ...count,
    values: `${count.values}, or \`auto\``,
    parse: (given) =>
      given.toLowerCase() === 'auto'
        ? { value: Math.min(MAX_PROCESSES, availableParallelism()) }
        : count.parse(given),
  }
}
