import cluster from 'node:cluster'

/** The place of a process among those of its replica. */
export interface Place {
  /** From 1; the process that replaces a dead one takes over its number. */
  readonly number: number
  /** Private folder in which each process has a Unix socket for the others. */
  readonly folder: string
}

/** The place of a process, as the primary tells it. */
export const argumentsOf = ({ number, folder }: Place): string[] => [String(number), folder]

/** The place of this process; null when it is the only one of its replica. */
export function findPlace(): Place | null {
  const [number, folder] = process.argv.slice(2)
  return cluster.isWorker && number && folder ? { number: Number(number), folder } : null
}
