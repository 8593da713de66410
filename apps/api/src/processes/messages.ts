import cluster, { type Worker } from 'node:cluster'
import type { Messages } from '../limits/shared-counts.ts'

/** Without a message when the process has ended. */
interface Passed {
  from: number
  message?: unknown
}

/** To the other processes of this replica; the primary passes them on. */
export function openMessages(): Messages {
  return {
    tell(message) {
      if (process.connected) process.send?.(message, undefined, undefined, () => {})
    },
    listen({ onMessage, onGone }) {
      process.on('message', ({ from, message }: Passed) => {
        if (message === undefined) onGone(from)
        else onMessage(from, message)
      })
    },
  }
}

/** Passes the messages of a process on to the others; to be called by the primary. */
export function passMessages(worker: Worker, from: number): void {
  const tellOthers = (passed: Passed) => {
    // One that is about to end may not take it.
    for (const other of Object.values(cluster.workers ?? {}))
      if (other && other !== worker && other.isConnected()) other.send(passed, () => {})
  }
  worker.on('message', (message: unknown) => tellOthers({ from, message }))
  worker.once('exit', () => tellOthers({ from }))
}
