import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
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
/** While more wait than that, new ones are in the log of the process only. */
const MAX_WAITING = 2_000

/** Entries of the audit log that wait on this machine's disk until the store takes them. */
export interface AuditSpool {
  /** Resolves when the entry would survive a power cut; where the disk takes nothing, when it waits in memory. */
  add(entry: SpooledAuditEntry['entry']): Promise<void>
  /** Tries once more; what is not taken then waits for the next process. */
  close(): Promise<void>
}

/** Writes what waits, in its order; also what a process before this one left. */
export function openAuditSpool(deps: {
  data: Pick<DataStore, 'audit'>
  announcer: Announcer
  spool: Spool<SpooledAuditEntry>
  log: Logger
}): AuditSpool {
  const { data, spool, log } = deps
  const waiting: SpooledAuditEntry[] = []
  let working: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  /** What seemed to fail may have been written all the same, and processes that share a disk find the same. */
  const isWritten = async ({ data: about, ...named }: SpooledAuditEntry['entry']) => {
    const alike = await data.audit.find(named)
    const saved = JSON.parse(JSON.stringify(about))
    return alike.some((entry) => isDeepStrictEqual(entry.data, saved))
  }
  const work = async () => {
    for (let [late] = waiting; late; [late] = waiting) {
      try {
        if (!(await isWritten(late.entry))) await writeEntry(deps, late.entry)
        await spool.remove(late.id)
      } catch (err) {
        if (err instanceof Failure && err.code === 'DATA_UNAVAILABLE') return
        log.error({ err, entry: late.entry }, 'an entry of the audit log cannot be written')
      }
      waiting.shift()
    }
    log.info('the audit log has what it lacked')
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    // What was left comes first: until it is known, nothing is written.
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
    .catch((err) => log.error({ err }, 'what waits for the audit log cannot be read'))
    .then(tryAgain)

  return {
    async add(entry) {
      const late = { id: randomUUID(), entry, receivedAt: entry.createdAt }
      if (waiting.length >= MAX_WAITING) return void log.error({ entry }, 'the audit log lacks an entry')
      waiting.push(late)
      await spool.keep(late).then(
        () => log.warn({ entry }, 'the store is away: an entry of the audit log waits for it'),
        (err) => log.error({ err }, 'entries of the audit log wait in memory: the disk takes none'),
      )
      if (!working) tryAgain()
    },
    async close() {
      await found
      if (waiting.length > 0) await begin()
      clearTimeout(timer)
      if (waiting.length > 0) log.warn({ entries: waiting.length }, 'entries of the audit log wait on disk')
    },
  }
}
