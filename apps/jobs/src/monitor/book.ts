import { randomUUID } from 'node:crypto'
import {
  type AlarmDeps,
  beginAlarm,
  dateNow,
  endAlarm,
  type Fault,
  isStoreUnavailable,
  type Spool,
  type SpooledAlarm,
  type SpooledMail,
} from '@solstice/station'
import type { Logger } from 'pino'

const RETRY_MS = 1_000
/** Further ones are in the log of the process only. */
const MAX_WAITING = 2_000

/** Where beginnings and ends of alarms are written down, in their order. Nobody waits for the store. */
export interface AlarmBook {
  /**
   * @param record called with the moment at which it begins (date, epoch ms). The function that it returns is called with the id of the
   * alarm when the store has it; null = it has no record of its own.
   */
  begin(fault: Fault & { evidence: string }, record: (beganAt: number) => OnStored): void
  end(fault: Fault): void
  /** Tries once more; what is still refused waits on disk for the next monitor on this machine. */
  close(): Promise<void>
}

export interface BookDeps extends AlarmDeps {
  spool: Spool<SpooledAlarm>
  /** Tells the operator of alarms that wait; null = there is no mail server. */
  mail: SpooledMail | null
  /** Called when the store has a beginning or an end. */
  onWritten?(): void
  log: Logger
}

type OnStored = (alarmId: number | null) => void
type Entry = SpooledAlarm & { onStored?: OnStored }

/** Opens the book; what an earlier process couldn't store comes first. */
export async function openAlarmBook(deps: BookDeps, retryMs = RETRY_MS): Promise<AlarmBook> {
  const { spool, mail, log, clock } = deps
  const waiting: Entry[] = await spool.all().catch((error) => {
    log.error({ err: error }, 'alarm spool could not be read')
    return []
  })
  let working: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let isAway = false
  let isClosing = false

  const keep = ({ onStored: _, ...record }: Entry) =>
    spool.keep(record).catch((error) => log.error({ err: error }, 'alarm waits in memory: disk refused it'))
  /** Before anything is stored, so that what was told is known to the store. */
  const tell = async () => {
    for (const told of (await mail?.tell(waiting)) ?? []) {
      told.isMailed = true
      await keep(told)
    }
  }
  const store = async ({ id, cause, source, evidence, receivedAt, isMailed, onStored }: Entry) => {
    const fault = { cause, source }
    if (evidence === null) await endAlarm(deps, fault, receivedAt, isMailed)
    else {
      const alarmId = await beginAlarm(deps, { ...fault, evidence }, receivedAt, isMailed)
      onStored?.(alarmId)
    }
    await spool.remove(id)
    deps.onWritten?.()
  }
  const work = async () => {
    for (let [next] = waiting; next; [next] = waiting) {
      try {
        await store(next)
      } catch (error) {
        if (isStoreUnavailable(error)) {
          if (!isAway) log.warn({ waiting: waiting.length }, 'alarm spooled: store is away')
          isAway = true
          return isClosing ? undefined : tell()
        }
        log.error({ err: error, alarm: next }, 'alarm could not be written')
        next.onStored?.(null)
      }
      waiting.shift()
    }
    if (isAway) log.info('spooled alarms written')
    isAway = false
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    working ??= work().finally(() => {
      working = null
      if (waiting.length > 0) timer ??= setTimeout(begin, retryMs).unref()
    })
    return working
  }
  let keeping = Promise.resolve()
  let lastMs = 0
  /** The date, later than that of any entry before: they are read in the order of their dates. */
  const dateOfNext = () => {
    lastMs = Math.max(dateNow(clock), lastMs + 1)
    return lastMs
  }
  const add = (entry: Entry) => {
    if (waiting.length >= MAX_WAITING) {
      log.error({ alarm: entry }, 'alarm dropped: spool is full')
      entry.onStored?.(null)
      return
    }
    keeping = keeping
      .then(() => keep(entry))
      .then(() => {
        waiting.push(entry)
        // While the store is away it is asked at its intervals.
        if (!timer) void begin()
      })
  }
  if (waiting.length > 0) void begin()

  return {
    begin({ cause, source, evidence }, record) {
      const receivedAt = dateOfNext()
      add({ id: randomUUID(), cause, source, evidence, receivedAt, onStored: record(receivedAt) })
    },
    end({ cause, source }) {
      add({ id: randomUUID(), cause, source, evidence: null, receivedAt: dateOfNext() })
    },
    async close() {
      isClosing = true
      await keeping
      if (waiting.length > 0) await begin()
      clearTimeout(timer)
      if (waiting.length > 0) log.warn({ alarms: waiting.length }, 'alarms left on disk')
    },
  }
}
