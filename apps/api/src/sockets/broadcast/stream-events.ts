import type { ServerPayload } from '@solstice/contracts'
import { type OnAir, type PlayoutState, soundId, soundStartMs } from '@solstice/playout'

/** Events for clients of the stream: a track, jingle or chat begins or ends. */
export type StreamEvent =
  | { event: 'stream_track_start'; payload: ServerPayload<'stream_track_start'> }
  | { event: 'stream_jingle_start'; payload: ServerPayload<'stream_jingle_start'> }
  | { event: 'stream_jingle_end'; payload: ServerPayload<'stream_jingle_end'> }
  | { event: 'stream_chat_mode_start'; payload: ServerPayload<'stream_chat_mode_start'> }
  | { event: 'stream_chat_mode_end'; payload: ServerPayload<'stream_chat_mode_end'> }

/**
 * The events between two states, in order. Each replica derives them for its own sockets, so that nothing is sent twice. An entry
 * that this replica finds on air has not started now.
 *
 * @param aheadMs how far the station's clock is ahead of the wall clock, which dates are in.
 */
export function streamEvents(state: PlayoutState, before: PlayoutState | null, aheadMs = 0): StreamEvent[] {
  const { onAir } = state
  if (!before || soundId(onAir) === soundId(before.onAir)) return []
  const serverTs = Math.round(beganAtMs(onAir) - aheadMs)
  const events: StreamEvent[] = []
  if (before.onAir.phase === 'jingle') events.push({ event: 'stream_jingle_end', payload: { serverTs } })
  if (before.onAir.phase === 'chat') {
    const payload = { serverTs: Math.round(soundStartMs(state) - aheadMs) }
    events.push({ event: 'stream_chat_mode_end', payload })
  }
  if (onAir.phase === 'chat') events.push({ event: 'stream_chat_mode_start', payload: { serverTs } })
  if (onAir.phase === 'jingle') {
    const payload = { jingleId: onAir.jingle.clip.id, serverTs }
    events.push({ event: 'stream_jingle_start', payload })
  }
  // A track that resumes after an interruption has started before.
  if (onAir.phase === 'track' && onAir.resumedAtMs === undefined) {
    const { id: trackId, durationMs } = onAir.entry.track
    const payload = { trackId, duration: (durationMs ?? 0) / 1000, serverTs }
    events.push({ event: 'stream_track_start', payload })
  }
  return events
}

/** The start of the running chat, for a client that joins in the middle of it; null when there is none. */
export function chatStart(
  { onAir }: Pick<PlayoutState, 'onAir'>,
  aheadMs: number,
): ServerPayload<'stream_chat_mode_start'> | null {
  return onAir.phase === 'chat' ? { serverTs: Math.round(beganAtMs(onAir) - aheadMs) } : null
}

function beganAtMs(onAir: OnAir): number {
  const isMeanwhile = onAir.phase === 'preparing' || onAir.phase === 'chat'
  return isMeanwhile ? onAir.sinceMs : onAir.startedAtMs
}
