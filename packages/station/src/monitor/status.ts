import { type AlarmCause, STATUS_DAYS, type Status } from '@solstice/contracts'
import { dateText, dayOf } from '../core/wall-clock.ts'
import type { AlarmRecord, DataStore, WatchRecord } from '../ports/data/data-store.ts'

/** Nothing is heard. */
const BREAKS: ReadonlySet<AlarmCause> = new Set(['no_bytes', 'silence'])
/** What is heard is at fault. */
const DISTURBANCES: ReadonlySet<AlarmCause> = new Set([
  'broken_frames',
  'missing_frames',
  'clipping',
  'loudness',
  'repeating',
])
/** A monitor that is started again did not hear a few seconds, which end no time on air. */
const RESTART_MS = 5 * 60_000
/** The monitor notes that it listens more often. */
const NOTED_MS = 2 * 60_000

export type Reliability = Pick<Status, 'onAirSince' | 'incident' | 'uptime'>

interface Span {
  fromMs: number
  /** Exclusive. */
  untilMs: number
}

/** Reads how the station was over the last days. @param nowMs date, epoch ms. */
export async function readReliability(
  data: Pick<DataStore, 'alarms' | 'watches'>,
  timeZone: string,
  nowMs: number,
): Promise<Reliability> {
  const [alarms, watches] = await Promise.all([data.alarms.find(), data.watches.find()])
  return reliabilityOf({ alarms, watches }, timeZone, nowMs)
}

/**
 * The station's time on air as the alarms tell it. It was off the air while nothing was heard of the first mount at any address.
 * Time in which the monitor did not listen counts neither way.
 */
export function reliabilityOf(
  records: { alarms: readonly Readonly<AlarmRecord>[]; watches: readonly Readonly<WatchRecord>[] },
  timeZone: string,
  nowMs: number,
): Reliability {
  const days = lastDays(timeZone, nowMs)
  const sinceMs = days[0]!.fromMs
  const noted = records.watches.filter(({ untilMs }) => untilMs > sinceMs)
  const last = noted.at(-1)
  const watches = last ? [...noted.slice(0, -1), upToNow(last, nowMs)] : []
  const spans = records.alarms
    .filter((alarm) => isOfFirstMount(alarm) && (alarm.endedAt ?? nowMs) > sinceMs)
    .map((alarm) => ({ ...alarm, fromMs: alarm.beganAt, untilMs: alarm.endedAt ?? nowMs }))
  const breaks = breaksOf(
    spans.filter(({ cause }) => BREAKS.has(cause)),
    watches,
  )
  const incidents = spans.filter(({ cause }) => BREAKS.has(cause) || DISTURBANCES.has(cause))
  const isOpen = (span: Span) =>
    incidents.some(({ endedAt, fromMs }) => endedAt === null && fromMs < span.untilMs)
  const latest = joined(incidents).at(-1)
  const watched = (span: Span) => total(watches, span)
  const lost = (span: Span) => breaks.reduce((sum, one) => sum + total(watches, overlap(one, span)), 0)
  const whole = { fromMs: sinceMs, untilMs: nowMs }
  return {
    onAirSince: last && nowMs - last.untilMs < RESTART_MS ? onAirSince(watches, breaks, nowMs) : null,
    incident: latest
      ? {
          kind: breaks.some((one) => total([one], latest) > 0) ? 'break' : 'disturbance',
          from: latest.fromMs,
          until: latest.untilMs >= nowMs && isOpen(latest) ? null : latest.untilMs,
        }
      : null,
    uptime:
      watched(whole) > 0
        ? {
            share: shareOf(watched(whole), lost(whole))!,
            days: days.map(({ date, ...day }) => ({
              date,
              share: shareOf(watched(day), lost(day)),
              breaks: breaks.filter(({ fromMs }) => fromMs >= day.fromMs && fromMs < day.untilMs).length,
            })),
          }
        : null,
  }
}

/** A watch that was noted lately goes on. */
function upToNow(watch: Readonly<WatchRecord>, nowMs: number): Readonly<WatchRecord> {
  const sinceMs = nowMs - watch.untilMs
  return sinceMs > 0 && sinceMs < NOTED_MS ? { ...watch, untilMs: nowMs } : watch
}

/** Alarms of other mounts name a path. */
const isOfFirstMount = ({ source }: Readonly<AlarmRecord>) => !source.includes('/api/')

/** The days of the status, oldest first. */
function lastDays(timeZone: string, nowMs: number): (Span & { date: string })[] {
  const days: (Span & { date: string })[] = []
  for (let atMs = nowMs; days.length < STATUS_DAYS; atMs = days[0]!.fromMs - 1) {
    const date = dateText(atMs, timeZone)
    days.unshift({ date, ...dayOf(date, timeZone)! })
  }
  return days
}

/** The times in which as many addresses were without sound as were listened to. */
function breaksOf(silent: (Span & { source: string })[], watches: readonly WatchRecord[]): Span[] {
  const sources = [...new Set(silent.map(({ source }) => source))]
  const edges = sources
    .flatMap((name) => joined(silent.filter(({ source }) => source === name)))
    .flatMap(({ fromMs, untilMs }) => [
      { atMs: fromMs, by: 1 },
      { atMs: untilMs, by: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.by - b.by)
  const found: Span[] = []
  let count = 0
  edges.forEach(({ atMs, by }, i) => {
    count += by
    const untilMs = edges[i + 1]?.atMs ?? atMs
    if (untilMs > atMs && count >= addressesAt(watches, atMs)) found.push({ fromMs: atMs, untilMs })
  })
  return joined(found)
}

function addressesAt(watches: readonly WatchRecord[], atMs: number): number {
  const watch = watches.findLast(({ fromMs }) => fromMs <= atMs) ?? watches[0]
  return watch?.addresses ?? 1
}

/** Since when it is on air: the end of the last break, or the beginning of the time that the monitor listens. */
function onAirSince(watches: readonly Span[], breaks: readonly Span[], nowMs: number): number | null {
  const lastBreak = breaks.at(-1)
  if (lastBreak && lastBreak.untilMs >= nowMs) return null
  const listening = joined(watches, RESTART_MS).at(-1)!
  return Math.max(listening.fromMs, lastBreak?.untilMs ?? 0)
}

/** Spans in order, those that touch or are at most `gapMs` apart as one. */
function joined(spans: readonly Span[], gapMs = 0): Span[] {
  const result: Span[] = []
  for (const { fromMs, untilMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const before = result.at(-1)
    if (before && fromMs <= before.untilMs + gapMs) before.untilMs = Math.max(before.untilMs, untilMs)
    else result.push({ fromMs, untilMs })
  }
  return result
}

function overlap(a: Span, b: Span): Span {
  return { fromMs: Math.max(a.fromMs, b.fromMs), untilMs: Math.min(a.untilMs, b.untilMs) }
}

/** ms of a span that lie within others, which do not overlap. */
function total(spans: readonly Span[], within: Span): number {
  return spans.reduce((sum, span) => {
    const { fromMs, untilMs } = overlap(span, within)
    return sum + Math.max(0, untilMs - fromMs)
  }, 0)
}

const shareOf = (watchedMs: number, lostMs: number) =>
  watchedMs > 0 ? Math.max(0, 1 - lostMs / watchedMs) : null
