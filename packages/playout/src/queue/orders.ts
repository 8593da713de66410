import type { OrderEffect } from '../model/commands/commands.ts'
import { songOnAir } from '../model/on-air.ts'
import { durationOf, type PlayoutState } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { clockEndMs, type Started, soundStartMs } from '../model/timing.ts'
import { ordersOf } from '../model/track-places.ts'

/**
 * Rule A9: the effects of a step on the orders in the queue, whatever caused it. Each order that leaves the queue is either
 * aired or reported as dropped.
 */
export function orderEffects(before: PlayoutState, { state: after, effects }: Step): OrderEffect[] {
  const starts = effects.flatMap((effect) => (effect.type === 'played' ? [effect] : []))
  const aired = starts.flatMap(({ orderId, startedAtMs }) =>
    orderId === undefined ? [] : [{ type: 'order-aired', orderId, atMs: startedAtMs } as const],
  )
  const wasAiring = songOnAir(before)?.orderId
  const isAiring = songOnAir(after)?.orderId
  const isSpoilt = spoilt(before, after)

  const over = [wasAiring, ...aired.map(({ orderId }) => orderId)].filter(
    (orderId) => orderId !== undefined && orderId !== isAiring,
  )
  const ended = over.map((orderId): OrderEffect => {
    if (isSpoilt(orderId!)) return { type: 'order-dropped', orderId: orderId!, why: 'unplayable' }
    const at = starts.findLastIndex((start) => start.orderId === orderId)
    const nextMs = starts[at + 1]?.startedAtMs ?? soundStartMs(after)
    // A jingle or a change of the mode may come before what plays next.
    const ownMs = clockEndMs(before.pace, starts[at] ?? playing(before))
    return { type: 'order-ended', orderId: orderId!, atMs: Math.min(nextMs, ownMs) }
  })

  const isWaitingSame = before.playlist === after.playlist
  const kept = new Set([...(isWaitingSame ? [] : waiting(after)), isAiring, ...over])
  const dropped = isWaitingSame ? [] : waiting(before).filter((orderId) => !kept.has(orderId))
  return [
    ...aired,
    ...ended,
    ...dropped.map(
      (orderId): OrderEffect => ({
        type: 'order-dropped',
        orderId,
        why: isSpoilt(orderId) ? 'unplayable' : 'removed',
      }),
    ),
  ]
}

/**
 * The moment at which the first sound of an order is due by the queue as it is now; for an order on air, when it was due.
 * null = it is not in the queue, or the queue is paused. `state` is advanced to `nowMs`.
 */
export function orderAirsAtMs(state: PlayoutState, orderId: string, nowMs: number): number | null {
  const { onAir, playlist, isPaused } = state
  const current = songOnAir(state)
  if (current?.orderId === orderId && onAir.phase === 'track') return soundStartMs(state)
  const place = ordersOf(playlist.entries).find(
    (place) => place > playlist.index && playlist.entries[place]!.orderId === orderId,
  )
  if (place === undefined || isPaused || onAir.phase === 'preparing') return null
  const endMs =
    onAir.phase === 'track'
      ? onAir.startedAtMs + durationOf(onAir.entry.track)
      : onAir.phase === 'jingle'
        ? onAir.startedAtMs + (onAir.jingle.clip.durationMs ?? 0)
        : nowMs
  const between = playlist.entries.slice(playlist.index + 1, place)
  return Math.max(nowMs, endMs) + between.reduce((sum, { track }) => sum + durationOf(track), 0)
}

/** The track on air with its start; null in a chat. */
function playing({ onAir }: PlayoutState): Started | null {
  return onAir.phase === 'track' ? { ...onAir.entry, startedAtMs: onAir.startedAtMs } : null
}

function waiting({ playlist: { entries, index } }: PlayoutState): string[] {
  return ordersOf(entries).flatMap((place) => (place > index && entries[place]!.orderId) || [])
}

/** Tells whether the track of an order became unplayable in between. */
function spoilt(before: PlayoutState, after: PlayoutState): (orderId: string) => boolean {
  const news = after.unplayable.filter((trackId) => !before.unplayable.includes(trackId))
  const isOf = ({ playlist: { entries } }: PlayoutState, orderId: string) =>
    ordersOf(entries).some(
      (place) => entries[place]!.orderId === orderId && news.includes(entries[place]!.track.id),
    )
  return (orderId) => news.length > 0 && (isOf(before, orderId) || isOf(after, orderId))
}
