import { randomUUID } from 'node:crypto'
import {
  type Announcer,
  type DataStore,
  Failure,
  type Spool,
  type SpooledAuditEntry,
  writeEntry,
} from '@solstice/station'
import type { Logger } from 'pino'

const RETRY_MS = 1_000
/** Further entries go to the process log only. */
const MAX_WAITING = 2_000

/** Audit entries that wait on this machine's disk until the store takes them. */
export interface AuditSpool {
  /** Resolves when the entry is on disk; when the disk takes nothing, once it waits in memory. */
  add(entry: SpooledAuditEntry['entry']): Promise<void>
  /** Tries once more; entries that are still refused wait for the next process. */
  close(): Promise<void>
}

/** Writes waiting entries in order, including those that an earlier process left. */
export function openAuditSpool(deps: {
  data: Pick<DataStore, 'audit'>
  announcer: Announcer
  spool: Spool<SpooledAuditEntry>
  log: Logger
}): AuditSpool {
  const { spool, log } = deps
  const waiting: SpooledAuditEntry[] = []
  let working: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const work = async () => {
    for (let [late] = waiting; late; [late] = waiting) {
      try {
        // Processes that share a disk find the same entries. Those of earlier versions have no key of their own.
        await writeEntry(deps, { onceKey: late.id, ...late.entry })
        await spool.remove(late.id)
      } catch (err) {
        if (err instanceof Failure && err.code === 'DATA_UNAVAILABLE') return
        log.error({ err, entry: late.entry }, 'audit entry could not be written')
      }
      waiting.shift()
    }
    log.info('spooled audit entries written')
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    // Entries of an earlier process come first, so nothing is written until they are known.
    working ??= found.then(work).finally(() => {
      working = null
      tryAgain()
    })
    return working
  }
  const tryAgain = () => {
    if (waiting.length > 0) timer ??= setTimeout(begin, RETRY_MS).unref()
  }

  const found = spool
    .all()
    .then((left) => void waiting.unshift(...left))
    .catch((err) => log.error({ err }, 'audit spool could not be read'))
    .then(tryAgain)

  return {
    async add(entry) {
      const late = { id: randomUUID(), entry, receivedAt: entry.createdAt }
      if (waiting.length >= MAX_WAITING)
        return void log.error({ entry }, 'audit entry dropped: spool is full')
      waiting.push(late)
      await spool.keep(late).then(
        () => log.warn({ entry }, 'audit entry spooled: store is away'),
        (err) => log.error({ err }, 'audit entry waits in memory: disk refused it'),
      )
      if (!working) tryAgain()
    },
    async close() {
      await found
      if (waiting.length > 0) await begin()
      clearTimeout(timer)
      if (waiting.length > 0) log.warn({ entries: waiting.length }, 'audit entries left on disk')
    },
  }
}
