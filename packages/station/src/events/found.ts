import { createHash } from 'node:crypto'
import type { Mode, WebhookEventData, WebhookEventType } from '@solstice/contracts'
import { type AirTurn, liveSinceMs, type PlayoutState } from '@solstice/playout'
import { toUnits } from '../core/units.ts'
import { dateOf } from '../core/wall-clock.ts'
import { shownSource } from '../monitor/alarms.ts'
import type { WallClock } from '../ports/bus.ts'
import type {
  AlarmRecord,
  AuditRecord,
  DataStore,
  HistoryRecord,
  LedgerRecord,
  WebhookMarkRecord,
} from '../ports/data/data-store.ts'
import type { StationEvent } from '../webhooks/event.ts'

/** Records may become visible in another order than they are numbered: the last ones are read again, */
const OVERLAP = 50
/** for this long. */
const RECENT_MS = 3_600_000

export interface FindDeps {
  data: Pick<DataStore, 'history' | 'audit' | 'ledger' | 'donations' | 'alarms'>
  clock: WallClock
  /** Reads the saved state of the air; null if no worker has ever been on air. */
  readAir: () => Promise<PlayoutState | null>
  readLease: () => Promise<{ isHeld: boolean; fencingToken: number }>
}

/**
 * Finds what has happened since the records and the state were read last, in order of time.
 *
 * @param before null = they never were: nothing has happened since.
 * @returns the events, and how far was read now.
 */
export async function eventsSince(
  deps: FindDeps,
  before: Readonly<WebhookMarkRecord> | null,
  nowMs: number,
): Promise<{ mark: WebhookMarkRecord; events: StationEvent[] }> {
  const { data, clock, readAir, readLease } = deps
  const [history, audit, ledger, alarms, air, lease] = await Promise.all([
    ...([data.history.find(), data.audit.find(), data.ledger.find(), data.alarms.find()] as const),
    ...([readAir(), readLease()] as const),
  ])
  const known = before?.fencingToken ?? 0
  const revision = (before?.revision ?? 0) + 1
  const lastTurn = air?.turns?.at(-1)
  const turns = air ? turnsSince(air, before, { atMs: clock.nowMs(), key: revision }) : []
  const mark: WebhookMarkRecord = {
    id: 'station',
    madeMs: before?.madeMs ?? nowMs,
    historyId: lastId(history),
    auditId: lastId(audit),
    ledgerId: lastId(ledger),
    alarms: { lastId: lastId(alarms), openIds: alarms.filter(isOpen).map(({ id }) => id) },
    mode: air?.mode ?? null,
    liveSinceMs: turns.at(-1)?.liveSinceMs ?? null,
    ...(lastTurn && { turnMs: lastTurn.atMs }),
    fencingToken: lease.isHeld || !before ? lease.fencingToken : known,
    revision,
  }
  if (!before) return { mark, events: [] }
  const recentMs = nowMs - RECENT_MS
  const events: StationEvent[] = []
  for (const entry of since(history, before.historyId, ({ playedAt }) => playedAt > recentMs))
    events.push(eventOfHistory(entry))
  for (const entry of since(audit, before.auditId, ({ createdAt }) => createdAt > recentMs))
    events.push(...eventsOfAudit(entry))
  for (const entry of since(ledger, before.ledgerId, ({ atMs }) => atMs > recentMs))
    events.push(...(await eventsOfLedger(data, entry)))
  if (before.alarms) events.push(...eventsOfAlarms(alarms, before.alarms, recentMs))
  if (air && mark.fencingToken !== before.fencingToken) {
    const source = `air ${mark.madeMs} ${mark.fencingToken}`
    events.push(eventOf('station.started', source, nowMs, { mode: air.mode }))
  }
  events.push(...eventsOfTurns(before, turns, (atMs) => dateOf(clock, atMs)))
  return { mark, events: events.sort((a, b) => a.atMs - b.atMs) }
}

function eventOfHistory({ id, playedAt, ...track }: Readonly<HistoryRecord>): StationEvent {
  const { trackId, title, artist, album, mode } = track
  const about = { trackId, title, artist, album, mode, startedAt: playedAt }
  return eventOf('track.started', `history ${id}`, playedAt, about)
}

const isOpen = ({ endedAt }: Readonly<AlarmRecord>) => endedAt === null

function eventsOfAlarms(
  alarms: readonly Readonly<AlarmRecord>[],
  { lastId, openIds }: NonNullable<WebhookMarkRecord['alarms']>,
  recentMs: number,
): StationEvent[] {
  const began = since(alarms, lastId, ({ beganAt }) => beganAt > recentMs)
  const mayHaveEnded = new Set([...alarms.filter(({ id }) => openIds.includes(id)), ...began])
  return [
    ...began.map((alarm) => eventOf('alarm.began', `alarm ${alarm.id}`, alarm.beganAt, factsOf(alarm))),
    ...[...mayHaveEnded].flatMap((alarm) => {
      const { id, endedAt } = alarm
      return endedAt === null
        ? []
        : eventOf('alarm.ended', `alarm ${id}`, endedAt, { ...factsOf(alarm), endedAt })
    }),
  ]
}

function factsOf({ id: alarmId, cause, source, evidence, beganAt }: Readonly<AlarmRecord>) {
  return { alarmId, cause, source: shownSource(source), evidence, beganAt }
}

function eventsOfAudit({ id, operationType, createdAt, data }: Readonly<AuditRecord>): StationEvent[] {
  const { title, artist, mode } = data as { title: string; artist: string; mode: Mode }
  if (operationType === 'suggestion_accept')
    return [eventOf('request.accepted', `audit ${id}`, createdAt, { title, artist })]
  if (operationType === 'upload_song')
    return [eventOf('upload.committed', `audit ${id}`, createdAt, { title, artist, mode })]
  return []
}

async function eventsOfLedger(
  data: Pick<DataStore, 'donations'>,
  { donationId, event, onceKey, atMs }: Readonly<LedgerRecord>,
): Promise<StationEvent[]> {
  const type = donationEventOf(event, onceKey)
  const donation = type && (await data.donations.get(donationId))
  if (!donation) return []
  const { songTitle: title, songArtist: artist, amountMinor, currency, tier } = donation
  const about = { donationId, title, artist, amount: toUnits(amountMinor), currency, tier }
  return [eventOf(type, onceKey, atMs, about)]
}

/** Orders that were closed unpaid have another key than those whose track found no place. */
function donationEventOf(event: LedgerRecord['event'], onceKey: string) {
  if (event === 'claimed') return 'donation.paid'
  if (event === 'on-air') return 'donation.aired'
  return event === 'refused' && onceKey.startsWith('unqueued ') ? 'donation.unqueued' : null
}

/** The air from a moment on, station time; `key` tells the moment from all others. */
interface Turn extends Pick<AirTurn, 'atMs' | 'liveSinceMs'> {
  mode: Mode
  key: number
}

/**
 * The turns that the state remembers and nobody has looked at, then what it is now: without its turns, as earlier versions saved it,
 * or with those of another state, that is what counts.
 */
function turnsSince(
  air: PlayoutState,
  before: Readonly<WebhookMarkRecord> | null,
  seen: Pick<Turn, 'atMs' | 'key'>,
): Turn[] {
  const all = air.turns ?? []
  const known = all.findLastIndex(({ atMs }) => atMs === before?.turnMs)
  const now = { ...seen, mode: air.mode, liveSinceMs: liveSinceMs(air) }
  const turns = [...all.slice(known + 1).map((turn) => ({ ...turn, key: turn.atMs })), now]
  // A live show lasts as long as anybody is on air, whoever it began with.
  let since = before?.liveSinceMs ?? null
  return turns.map((turn) => {
    since = turn.liveSinceMs === null ? null : (since ?? turn.liveSinceMs)
    return { ...turn, liveSinceMs: since }
  })
}

function eventsOfTurns(
  before: Readonly<WebhookMarkRecord>,
  turns: readonly Turn[],
  dateOf: (stationMs: number) => number,
): StationEvent[] {
  const events: StationEvent[] = []
  let known: Pick<WebhookMarkRecord, 'mode' | 'liveSinceMs'> = before
  for (const turn of turns) {
    const { mode, key } = turn
    const atMs = dateOf(turn.atMs)
    if (known.mode !== null && mode !== known.mode)
      events.push(eventOf('mode.changed', `mode ${before.madeMs} ${key}`, atMs, { mode, before: known.mode }))
    const [ended, began] = [known.liveSinceMs, turn.liveSinceMs]
    if (ended !== began && ended !== null)
      events.push(eventOf('live.ended', `live ${ended}`, atMs, { since: dateOf(ended) }))
    if (ended !== began && began !== null)
      events.push(eventOf('live.began', `live ${began}`, atMs, { since: dateOf(began) }))
    known = turn
  }
  return events
}

function eventOf<E extends WebhookEventType>(
  type: E,
  source: string,
  atMs: number,
  data: WebhookEventData<E>,
): StationEvent {
  const hash = createHash('sha256').update(`${type} ${source}`).digest('base64url')
  return { id: `msg_${hash.slice(0, 22)}`, type, atMs, data }
}

/** Records that are new, and the last ones before them where they are recent. */
function since<T extends { id: number }>(
  records: readonly T[],
  lastId: number,
  isRecent: (record: T) => boolean,
): T[] {
  return records.filter((record) => record.id > lastId || (record.id > lastId - OVERLAP && isRecent(record)))
}

const lastId = (records: readonly { id: number }[]) => records.reduce((max, { id }) => Math.max(max, id), 0)
