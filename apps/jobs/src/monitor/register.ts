import { type AlarmCause, alarmCauses } from '@solstice/contracts'
import { type AlarmDeps, beginAlarm, endAlarm, type Fault, openFaults } from '@solstice/station'
import type { Logger } from 'pino'
import type { Findings } from './judge.ts'
import { type Persistence, patienceOf, persist, WELL } from './persistence.ts'

export interface Register {
  /** Takes all that is found at a source at this moment. */
  note(source: string, findings: Findings, nowMs: number): Promise<void>
}

/**
 * Begins and ends alarms as findings come and go; those that a process before this one began go on.
 *
 * @param sources those that are looked at; alarms of others end.
 * @param onBegan called with each alarm that begins.
 */
export async function openRegister(
  deps: AlarmDeps & { log: Logger },
  sources: ReadonlySet<string>,
  onBegan: (alarmId: number, source: string) => void,
): Promise<Register> {
  const keyOf = ({ cause, source }: Fault) => `${cause} ${source}`
  const known = new Map<string, Persistence>()
  for (const fault of await openFaults(deps.data))
    if (sources.has(fault.source)) known.set(keyOf(fault), { state: 'faulty', changingSinceMs: null })
    else await endAlarm(deps, fault)

  const noteOne = async (fault: Fault, evidence: string | undefined, nowMs: number) => {
    const before = known.get(keyOf(fault)) ?? WELL
    const after = persist(before, evidence !== undefined, patienceOf(fault.cause), nowMs)
    if (after.state !== before.state) {
      const isNew = after.state === 'faulty'
      const alarmId = isNew ? await beginAlarm(deps, { ...fault, evidence: evidence ?? '' }) : null
      if (!isNew) await endAlarm(deps, fault)
      deps.log.warn({ ...fault, evidence }, isNew ? 'alarm began' : 'alarm ended')
      if (alarmId !== null) onBegan(alarmId, fault.source)
    }
    known.set(keyOf(fault), after)
  }
  return {
    async note(source, findings, nowMs) {
      for (const cause of alarmCauses as readonly AlarmCause[])
        await noteOne({ cause, source }, findings.get(cause), nowMs)
    },
  }
}
