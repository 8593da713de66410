import { type AlarmCause, alarmCauses } from '@solstice/contracts'
import { type DataStore, type Fault, openFaults } from '@solstice/station'
import type { Logger } from 'pino'
import type { AlarmBook } from './book.ts'
import type { Findings } from './judge.ts'
import { type Persistence, patienceOf, persist, WELL } from './persistence.ts'

export interface Register {
  /** Takes all that is found at a source at this moment. */
  note(source: string, findings: Findings, nowMs: number): void
  /** Alarms that have not ended. */
  readonly open: readonly Fault[]
}

/**
 * Begins and ends alarms as findings come and go. Those that a process before this one began go on, once the store can be asked
 * for them.
 *
 * @param options.sources those that are looked at; alarms of others end.
 * @param options.onBegan called with each alarm that begins and its date; returns a function that takes its id, as in `AlarmBook.begin`.
 * @param options.retry calls a function again, later.
 */
export async function openRegister(
  { data, book, log }: { data: Pick<DataStore, 'alarms'>; book: AlarmBook; log: Logger },
  {
    sources,
    onBegan,
    retry,
  }: {
    sources: ReadonlySet<string>
    onBegan(fault: Fault, beganAt: number): (alarmId: number | null) => void
    retry(again: () => void): void
  },
): Promise<Register> {
  const known = new Map<string, { fault: Fault; persistence: Persistence }>()
  const keyOf = ({ cause, source }: Fault) => `${cause} ${source}`

  const adopt = async () => {
    for (const fault of await openFaults(data)) {
      if (!sources.has(fault.source)) book.end(fault)
      else if (!known.get(keyOf(fault)) || known.get(keyOf(fault))!.persistence.state === 'well')
        known.set(keyOf(fault), { fault, persistence: { state: 'faulty', changingSinceMs: null } })
    }
  }
  const adoptLater = async (): Promise<void> => {
    await adopt().catch((error) => {
      log.warn({ err: error }, 'open alarms not known yet')
      retry(() => void adoptLater())
    })
  }
  await adoptLater()

  const noteOne = (fault: Fault, evidence: string | undefined, nowMs: number) => {
    const before = known.get(keyOf(fault))?.persistence ?? WELL
    const after = persist(before, evidence !== undefined, patienceOf(fault.cause), nowMs)
    if (after.state !== before.state) {
      const isNew = after.state === 'faulty'
      if (isNew) book.begin({ ...fault, evidence: evidence ?? '' }, (beganAt) => onBegan(fault, beganAt))
      else book.end(fault)
      log.warn({ ...fault, evidence }, isNew ? 'alarm began' : 'alarm ended')
    }
    known.set(keyOf(fault), { fault, persistence: after })
  }
  return {
    note(source, findings, nowMs) {
      for (const cause of alarmCauses as readonly AlarmCause[])
        noteOne({ cause, source }, findings.get(cause), nowMs)
    },
    get open() {
      return [...known.values()].flatMap(({ fault, persistence }) =>
        persistence.state === 'faulty' ? [fault] : [],
      )
    },
  }
}
