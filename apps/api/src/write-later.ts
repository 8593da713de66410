import { Failure } from '@solstice/station'
import type { Logger } from 'pino'

const RETRY_MS = 1_000
/** While the store is away for so long, the oldest are given up. */
const MOST_WAITING = 2_000

/** Entries of the audit log that wait until the store takes them, in their order. Each is in the log of the process by then. */
export interface WriteLater {
  add(entry: object, write: () => Promise<void>): void
  /** Tries once more; what is not taken then is lost. */
  close(): Promise<void>
}

export function createWriteLater(log: Logger): WriteLater {
  const waiting: (() => Promise<void>)[] = []
  let working: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const work = async () => {
    for (let [write] = waiting; write; [write] = waiting) {
      try {
        await write()
      } catch (error) {
        if (error instanceof Failure && error.code === 'DATA_UNAVAILABLE') return tryAgain()
        log.error({ err: error }, 'an entry of the audit log cannot be written')
      }
      if (waiting[0] === write) waiting.shift()
    }
    log.info('the audit log has what it lacked')
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    working ??= work().finally(() => {
      working = null
    })
    return working
  }
  const tryAgain = () => {
    timer ??= setTimeout(begin, RETRY_MS).unref()
  }

  return {
    add(entry, write) {
      log.warn({ entry }, 'the store is away: an entry of the audit log waits for it')
      if (waiting.length >= MOST_WAITING) waiting.shift()
      waiting.push(write)
      if (!working) tryAgain()
    },
    async close() {
      if (waiting.length > 0) await begin()
      clearTimeout(timer)
      if (waiting.length > 0)
        log.error({ entries: waiting.length }, 'the audit log lacks entries that waited')
    },
  }
}
