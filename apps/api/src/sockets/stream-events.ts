import type { ServerPayload } from '@solstice/contracts'
import type { OnAir, PlayoutState } from '@solstice/playout'

/** What clients of the stream are told when another song or jingle begins. */
export type StreamEvent =
  | { event: 'stream_track_start'; payload: ServerPayload<'stream_track_start'> }
  | { event: 'stream_jingle_start'; payload: ServerPayload<'stream_jingle_start'> }
  | { event: 'stream_jingle_end'; payload: ServerPayload<'stream_jingle_end'> }

/**
 * What a change of state began and ended, in order. Each replica works it out for its own sockets, so that nothing is told
 * twice. What was on before this replica knew it is no start.
 */
export function streamEvents({ onAir }: PlayoutState, before: PlayoutState | null): StreamEvent[] {
  if (!before || heardId(onAir) === heardId(before.onAir)) return []
  const serverTs = Math.round(onAir.phase === 'preparing' ? onAir.sinceMs : onAir.startedAtMs)
  const events: StreamEvent[] = []
  if (before.onAir.phase === 'jingle') events.push({ event: 'stream_jingle_end', payload: { serverTs } })
  if (onAir.phase === 'jingle') {
    const payload = { jingleId: onAir.jingle.clip.id, serverTs }
    events.push({ event: 'stream_jingle_start', payload })
  }
  if (onAir.phase === 'track') {
    const { id: trackId, durationMs } = onAir.entry.track
    const payload = { trackId, duration: (durationMs ?? 0) / 1000, serverTs }
    events.push({ event: 'stream_track_start', payload })
  }
  return events
}

/** Of the song or jingle that is heard; null in silence. */
function heardId(onAir: OnAir): string | null {
  if (onAir.phase === 'preparing') return null
  return (onAir.phase === 'jingle' ? onAir.jingle : onAir.entry).entryId
}
