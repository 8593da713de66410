import type { Alarm, AlarmCause } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AlarmRecord, DataStore } from '../ports/data/data-store.ts'

const KEPT_DAYS = 90
const DAY_MS = 24 * 3_600_000
const MAX_ALARMS = 2_000
const MAX_EVIDENCE_CHARACTERS = 500
const MONITOR = { adminId: 'monitor', login: 'monitor' }

export interface AlarmDeps {
  data: Pick<DataStore, 'alarms' | 'audit'>
  audit: Audit
  clock: WallClock
}

/** A fault that is heard at an address. */
export interface Fault {
  cause: AlarmCause
  /** The address, or `station`. */
  source: string
}

/**
 * Begins an alarm. A repetition with the same date finishes what was interrupted.
 *
 * @param beganAt date, epoch ms.
 * @param isMailed whether it was told by e-mail already.
 * @returns its id; null when the same fault has one that has not ended.
 */
export async function beginAlarm(
  { data, audit, clock }: AlarmDeps,
  { cause, source, evidence }: Fault & { evidence: string },
  beganAt = dateNow(clock),
  isMailed = false,
): Promise<number | null> {
  const alarm = { cause, source, beganAt, evidence: evidence.slice(0, MAX_EVIDENCE_CHARACTERS) }
  const about = { cause, source, evidence: alarm.evidence }
  const [begun] = await data.alarms.find({ cause, source, beganAt })
  const mailed = isMailed && { mailed: ['alarm.began' as const] }
  const added =
    begun ?? (await data.alarms.insert({ ...alarm, ...mailed, endedAt: null, openKey: openKeyOf(alarm) }))
  if (!added) return null
  await forgetOldAlarms(data, beganAt - KEPT_DAYS * DAY_MS)
  await audit.record(MONITOR, 'alarm_begin', about, { onceKey: `alarm_begin ${added.id} ${beganAt}` })
  return added.id
}

/** Ends the alarm of a fault; false when it has none. @param endsAt date, epoch ms. @param isMailed as in `beginAlarm`. */
export async function endAlarm(
  { data, audit, clock }: AlarmDeps,
  fault: Fault,
  endsAt = dateNow(clock),
  isMailed = false,
): Promise<boolean> {
  const openKey = openKeyOf(fault)
  const [open] = await data.alarms.find({ openKey })
  if (!open) return false
  const endedAt = Math.max(endsAt, open.beganAt)
  const mailed = isMailed && { mailed: [...(open.mailed ?? []), 'alarm.ended' as const] }
  if (!(await data.alarms.update({ openKey }, { endedAt, openKey: String(open.id), ...mailed }))) return false
  const seconds = Math.round((endedAt - open.beganAt) / 1000)
  await audit.record(MONITOR, 'alarm_end', { cause: fault.cause, source: fault.source, seconds })
  return true
}

/** The faults whose alarms have not ended, whichever process began them. */
export async function openFaults(data: Pick<DataStore, 'alarms'>): Promise<Fault[]> {
  const open = await data.alarms.find({ endedAt: null })
  return open.map(({ cause, source }) => ({ cause, source }))
}

/** A page of alarms: those that go on, then the others, newest first. */
export async function readAlarms(
  data: Pick<DataStore, 'alarms'>,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ alarms: Alarm[]; total: number }> {
  const isOver = ({ endedAt }: Readonly<AlarmRecord>) => Number(endedAt !== null)
  const all = (await data.alarms.find()).toSorted((a, b) => isOver(a) - isOver(b) || b.id - a.id)
  return { alarms: all.slice(offset, offset + limit).map(shown), total: all.length }
}

/** As others are told of it: addresses may hold passwords, and paths what is nobody's business. */
export const shownSource = (source: string) => (URL.canParse(source) ? new URL(source).host : source)

const openKeyOf = ({ cause, source }: Fault) => `${cause} ${source}`

function shown({ openKey: _, mailed: __, hasEvidence = false, ...alarm }: AlarmRecord): Alarm {
  return { ...alarm, hasEvidence }
}

/** Removes alarms that ended before `sinceMs`, and the oldest when there are too many. */
async function forgetOldAlarms(data: Pick<DataStore, 'alarms'>, sinceMs: number): Promise<void> {
  const all = await data.alarms.find()
  const oldestKept = all.at(-MAX_ALARMS)?.id ?? 0
  const isOld = ({ id, endedAt }: Readonly<AlarmRecord>) =>
    endedAt !== null && (endedAt < sinceMs || id < oldestKept)
  if (all.some(isOld)) await data.alarms.delete(isOld)
}
