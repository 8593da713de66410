import { createHash } from 'node:crypto'
import type { Mode, WebhookEventData, WebhookEventType } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { dateNow, dateOf } from '../core/wall-clock.ts'
import { toUnits } from '../donations/pricing.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AuditRecord, DataStore, LedgerRecord, WebhookMarkRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import { addMessage, deliverNow, hasDue, trimMessages } from './messages.ts'

const DAY_MS = 86_400_000
/** Records of PostgreSQL may become visible in another order than they are numbered. */
const OVERLAP = 50

/** Something that webhooks are told of. `id` is made of what happened, so that it is the same however often it is found. */
export interface StationEvent {
  id: string
  type: WebhookEventType
  /** epoch ms */
  atMs: number
  data: object
}

type SweepData = Pick<
  DataStore,
  'webhooks' | 'webhookMessages' | 'webhookMarks' | 'history' | 'audit' | 'ledger' | 'donations'
>

interface SweepDeps {
  data: SweepData
  jobs: Pick<JobQueue, 'add'>
  clock: WallClock
  /** Reads the saved state of the air; null if no worker has ever been on air. */
  readAir: () => Promise<PlayoutState | null>
  readLease: () => Promise<{ isHeld: boolean; fencingToken: number }>
}

/**
 * Makes messages of what the records and the saved state say has happened since the last time, and has due messages delivered.
 * The records themselves are the outbox: what is recorded is told, and only that. Run again after a crash, it makes no message
 * twice.
 *
 * @returns the number of new messages.
 */
export async function sweepWebhooks(deps: SweepDeps): Promise<number> {
  const { data, jobs } = deps
  const webhooks = (await data.webhooks.find()).filter(({ isOn }) => isOn)
  const before = await data.webhookMarks.get('station')
  if (webhooks.length === 0) {
    if (before) await data.webhookMarks.delete({ id: 'station' })
    return 0
  }
  const nowMs = dateNow(deps.clock)
  const { mark, events } = await eventsSince(deps, before, nowMs)
  let added = 0
  for (const event of events) {
    for (const webhook of webhooks) {
      if (!webhook.types.includes(event.type) || event.atMs < webhook.since) continue
      if (await addMessage(data, webhook.id, event, nowMs)) added++
    }
  }
  if (!before || isOther(before, mark)) await data.webhookMarks.put(mark)
  for (const { id } of webhooks) {
    await trimMessages(data, id, nowMs)
    if (await hasDue(data, id, nowMs)) await deliverNow(jobs, id)
  }
  return added
}

const isOther = ({ revision: _, ...one }: WebhookMarkRecord, { revision: __, ...other }: WebhookMarkRecord) =>
  JSON.stringify(one) !== JSON.stringify(other)

/** @param before null = nothing was read yet: nothing has happened since. */
async function eventsSince(deps: SweepDeps, before: Readonly<WebhookMarkRecord> | null, nowMs: number) {
  const { data, clock, readAir, readLease } = deps
  const [history, audit, ledger, air, lease] = await Promise.all([
    data.history.find(),
    data.audit.find(),
    data.ledger.find(),
    readAir(),
    readLease(),
  ])
  const known = before?.fencingToken ?? 0
  const mark: WebhookMarkRecord = {
    id: 'station',
    madeMs: before?.madeMs ?? nowMs,
    historyId: lastId(history),
    auditId: lastId(audit),
    ledgerId: lastId(ledger),
    mode: air?.mode ?? null,
    liveSinceMs: air ? liveSince(air, before?.liveSinceMs ?? null) : null,
    fencingToken: lease.isHeld || !before ? lease.fencingToken : known,
    revision: (before?.revision ?? 0) + 1,
  }
  if (!before) return { mark, events: [] }
  const events: StationEvent[] = []
  for (const { trackId, title, artist, album, mode, playedAt, id } of since(
    history,
    before.historyId,
    ({ playedAt }) => playedAt > nowMs - DAY_MS,
  ))
    events.push(
      eventOf('track.started', `history ${id}`, playedAt, {
        ...{ trackId, title, artist, album, mode, startedAt: playedAt },
      }),
    )
  for (const entry of since(audit, before.auditId, ({ createdAt }) => createdAt > nowMs - DAY_MS))
    events.push(...eventsOfAudit(entry))
  for (const entry of since(ledger, before.ledgerId, ({ atMs }) => atMs > nowMs - DAY_MS))
    events.push(...(await eventsOfLedger(data, entry)))
  if (air) events.push(...eventsOfAir({ before, mark, nowMs, dateOf: (atMs) => dateOf(clock, atMs) }))
  return { mark, events: events.sort((a, b) => a.atMs - b.atMs) }
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

/** What is different on the air. `nowMs` is when it was seen. */
function eventsOfAir(seen: {
  before: Readonly<WebhookMarkRecord>
  mark: WebhookMarkRecord
  nowMs: number
  dateOf: (stationMs: number) => number
}): StationEvent[] {
  const { before, mark, nowMs, dateOf } = seen
  const events: StationEvent[] = []
  const mode = mark.mode!
  if (mark.fencingToken !== before.fencingToken)
    events.push(eventOf('station.started', `air ${mark.madeMs} ${mark.fencingToken}`, nowMs, { mode }))
  if (before.mode !== null && mode !== before.mode)
    events.push(
      eventOf('mode.changed', `mode ${mark.madeMs} ${mark.revision}`, nowMs, { mode, before: before.mode }),
    )
  if (mark.liveSinceMs !== before.liveSinceMs) {
    const [ended, began] = [before.liveSinceMs, mark.liveSinceMs]
    if (ended !== null) events.push(eventOf('live.ended', `live ${ended}`, nowMs, { since: dateOf(ended) }))
    if (began !== null) events.push(eventOf('live.began', `live ${began}`, nowMs, { since: dateOf(began) }))
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

/** A live show lasts as long as anybody is on air, whoever it began with. */
function liveSince({ live }: PlayoutState, knownMs: number | null): number | null {
  if (live.participants.length === 0) return null
  return knownMs ?? Math.min(...live.participants.map(({ sinceMs }) => sinceMs))
}
