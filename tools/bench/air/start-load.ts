import { type Process, start, type Teardown } from '../../../tests/harness/processes/processes.ts'

/** Clients of one kind who come at a pace and stay for a while. */
export interface Clients {
  kind: 'stream' | 'sockets'
  url: string
  clients: number
  /** How many of them come each second. */
  rate: number
  /** How long they stay to be measured, once all have come and `settle` seconds have passed. */
  seconds: number
  settle?: number
  /** Listeners who want titles in the stream. */
  titles?: boolean
}

/** Starts clients in a process of their own, which prints `window` when the measurement begins. */
export function startLoad(t: Teardown, { titles, ...sizes }: Clients): Process {
  const options = Object.entries(sizes).flatMap(([name, value]) => [`--${name}`, String(value)])
  const args = ['--import', 'tsx', 'tools/bench/air/load.ts', ...options, ...(titles ? ['--titles'] : [])]
  return start(t, 'node', args)
}

/** Figures of clients that have left. */
export async function figuresOf<F>(load: Process): Promise<F> {
  const output = await load.printed(/\{.*\}\n/)
  await load.exited
  return JSON.parse(/\{.*\}/.exec(output)![0]) as F
}
