import type { FailureDetails } from '@solstice/contracts'
import { jingleEndMs } from '../clips/jingles.ts'
import type { SongOrder } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import { dueMode } from '../model/schedule.ts'
import {
  durationOf,
  type OnAir,
  type OrderType,
  type PlayoutState,
  type QueueEntry,
  type TrackRef,
} from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { ordersOf, spliced } from '../model/track-places.ts'

/** Safety margin before a change of mode (rule I3). */
const FIT_MARGIN_MS = 10_000
/** Bounds the order ids saved with the state (rule A5). */
const KNOWN_ORDERS = 200

/** Queues a single track (rules A1–A5). */
export function addSong(state: PlayoutState, order: SongOrder, nowMs: number): Decision<'add-song'> {
  if (order.orderId !== undefined && isOrderKnown(state, order.orderId)) return accepted(state)
  const details = refusalOf(state, order, nowMs)
  return details ? refused(state, 'QUEUE_ADD_FAILED', details) : accepted(insert(state, order, nowMs))
}

/** Rules A2, A8, A10: the reason for which an order is refused now; null = it can be queued. */
export function refusalOf(state: PlayoutState, order: SongOrder, nowMs: number): FailureDetails | null {
  const { restores, notAfterMs = nowMs } = order
  if (nowMs > notAfterMs) return { reason: 'too_late' }
  const secs = restores ? 0 : addCooldownSecsLeft(state, nowMs)
  if (secs > 0) return { reason: 'cooldown', secsLeft: secs }
  return obstacleTo(state, order, nowMs)
}

/** Rule A2 without the cooldown: the reason for which an order would be refused; null = it could be queued. */
export function obstacleTo(
  state: PlayoutState,
  order: Pick<SongOrder, 'track' | 'mode' | 'orderType' | 'tier' | 'at'>,
  nowMs: number,
): FailureDetails | null {
  if (playable(state, [order.track]).length === 0) return { reason: 'not_found' }
  if (order.mode !== state.mode) return { reason: 'wrong_mode' }
  const misfit = misfitOf(state, [order.track], nowMs)
  if (misfit) return misfit
  const isRefused = order.orderType !== 'donated' && isNearby(state, placeOf(state, order), order.track)
  return isRefused ? { reason: 'duplicate_nearby' } : null
}

/** Whole seconds until the next single track may be queued; 0 = now. */
export function addCooldownSecsLeft(state: PlayoutState, nowMs: number): number {
  return secsLeft(state.lastAddMs, state.limits.queueAddCooldownMs, nowMs)
}

/** Puts the track of an order in its place (rules A1, A4) and begins the cooldown of single tracks. */
export function insert(state: PlayoutState, order: SongOrder, nowMs: number): PlayoutState {
  const { track, orderType, orderId } = order
  const entry: QueueEntry = {
    entryId: `e${state.serial}`,
    track,
    orderType,
    tier: orderType === 'donated' ? order.tier : null,
    ...(orderId !== undefined && { orderId }),
  }
  return {
    ...insertAt(state, orderType === 'donated' ? placeApart(state, order) : placeOf(state, order), [entry]),
    serial: state.serial + 1,
    lastAddMs: order.restores ? state.lastAddMs : nowMs,
    orders: orderId === undefined ? state.orders : [...state.orders, orderId].slice(-KNOWN_ORDERS),
  }
}

/** True for an order in the queue or among the last queued: it is not queued again (rule A5). */
export function isOrderKnown(
  { orders, playlist: { entries } }: Pick<PlayoutState, 'orders' | 'playlist'>,
  orderId: string,
): boolean {
  return orders.includes(orderId) || ordersOf(entries).some((place) => entries[place]!.orderId === orderId)
}

/**
 * The place of a new entry (rules A1, A12, I2): a donated track goes behind those of at least its tier, everything else behind
 * all donated and requested tracks, or, where it asks for a position, behind the donated ones.
 */
export function placeOf(
  state: PlayoutState,
  order: { orderType: OrderType; tier: number | null; at?: number },
): number {
  const { playlist } = state
  const { at, ...behindAll } = order
  if (at !== undefined && order.orderType === 'requested') {
    const isDonated = (place: number) => playlist.entries[place]?.orderType === 'donated'
    let first = playlist.index + 1
    while (isDonated(first)) first++
    return Math.max(first, Math.min(playlist.index + at, placeOf(state, behindAll)))
  }
  const comesFirst = (entry: QueueEntry) =>
    order.orderType === 'donated'
      ? entry.orderType === 'donated' && tierOf(entry) >= tierOf(order)
      : entry.orderType !== null
  let place = playlist.index + 1
  while (place < playlist.entries.length && comesFirst(playlist.entries[place]!)) place++
  return place
}

export function insertAt(state: PlayoutState, place: number, entries: readonly QueueEntry[]): PlayoutState {
  const { playlist } = state
  return { ...state, playlist: { ...playlist, entries: spliced(playlist.entries, place, 0, entries) } }
}

/** The tracks that a playlist may take up at the moment. */
export function playable({ unplayable, withheld }: PlayoutState, tracks: readonly TrackRef[]): TrackRef[] {
  const leftOut = new Set([...unplayable, ...withheld.map((hold) => hold.trackId)])
  return leftOut.size === 0 ? tracks.slice() : tracks.filter((track) => !leftOut.has(track.id))
}

/** Rules A3, I3: the reason for which not all of these tracks fit before the mode changes; null = they do. */
export function misfitOf(
  state: PlayoutState,
  songs: readonly TrackRef[],
  nowMs: number,
): FailureDetails | null {
  const { onAir, playlist } = state
  if (onAir.phase === 'preparing') return { reason: 'preparing' }
  const changeMs = modeChangeMs(state, nowMs)
  if (changeMs === null) return null
  // Generated tracks count when they stand before an order (rule A3).
  const lastOrder = ordersOf(playlist.entries).at(-1) ?? -1
  const first = playlist.entries.slice(playlist.index + 1, lastOrder + 1).map((entry) => entry.track)
  const remainingMs = Math.max(0, leftMs(onAir, nowMs))
  const queuedMs = [...first, ...songs].reduce((sum, track) => sum + durationOf(track), 0)
  if (remainingMs + queuedMs + FIT_MARGIN_MS <= changeMs - nowMs) return null
  return { reason: 'no_time', minutesLeft: Math.floor((changeMs - nowMs) / 60_000) }
}

/** Remaining time of the track on air, of a jingle, or of a track that continues after a chat, ms. */
function leftMs(onAir: Exclude<OnAir, { phase: 'preparing' }>, nowMs: number): number {
  switch (onAir.phase) {
    case 'track':
      return onAir.startedAtMs + durationOf(onAir.entry.track) - nowMs
    case 'jingle':
      return jingleEndMs(onAir) - nowMs
    case 'chat': {
      const { entry, interrupted } = onAir
      return entry && interrupted ? durationOf(entry.track) - interrupted.positionMs : 0
    }
  }
}

/**
 * The moment at which the mode on air ends, by the schedule or by a pending switch; now, if it only waits for a track
 * boundary; null = never.
 */
export function modeChangeMs(state: PlayoutState, nowMs: number): number | null {
  const { mode, nightMode, pendingSwitch, schedule } = state
  if (!nightMode) return null
  if (pendingSwitch?.waiting || dueMode(state, nowMs) !== mode) return nowMs
  const naturalMs =
    schedule.changes.find((change) => change.atMs > nowMs && dueMode(state, change.atMs) !== mode)?.atMs ??
    null
  if (!pendingSwitch || pendingSwitch.target === mode) return naturalMs
  return Math.min(pendingSwitch.atMs, naturalMs ?? Number.POSITIVE_INFINITY)
}

/** Rule A4: the place of a donated track, moved back until the same track is not beside it. */
export function placeApart(
  state: PlayoutState,
  order: Pick<SongOrder, 'track' | 'orderType' | 'tier'>,
): number {
  const first = placeOf(state, order)
  for (let place = first; place <= state.playlist.entries.length; place++)
    if (!isNearby(state, place, order.track)) return place
  return first
}

/** Rule A4: true if the entry before or after the place has the same track. */
export function isNearby(state: PlayoutState, place: number, { id }: TrackRef): boolean {
  const { entries } = state.playlist
  const after = entries[place] ?? state.prepared[state.mode]?.entries[0]
  return [entries[place - 1], after].some((entry) => entry?.track.id === id)
}

const tierOf = ({ tier }: { tier: number | null }) => tier ?? 1
