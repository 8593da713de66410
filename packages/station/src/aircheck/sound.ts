import type { PlayoutState } from '@solstice/playout'
import type { StreamMarker } from '../ports/bus.ts'
import type { Sound } from './part-cutter.ts'

/** Names a sound by its marker, and by the state: whose microphones are open, and who asked for it. */
export function describeSound(marker: StreamMarker | null, state: PlayoutState | null): Sound {
  const speakers = (state?.live.participants ?? [])
    .filter(({ isMicOn, isMuted }) => isMicOn && !isMuted)
    .map(({ name }) => name)
  const plain = { title: '', artist: '', speakers, order: null }
  if (!marker || marker.entryId === null) return { kind: speakers.length > 0 ? 'live' : 'silence', ...plain }
  const { title, artist, entryId, jingle, chat } = marker
  if (chat) return { kind: 'live', ...plain, title, artist }
  if (jingle)
    return { kind: 'jingle', ...plain, title: jingle.media.slice(jingle.media.lastIndexOf('/') + 1) }
  const entry = state?.playlist.entries.find((one) => one.entryId === entryId)
  const order = entry?.orderType ? { type: entry.orderType, id: entry.orderId ?? null } : null
  return { kind: 'track', title, artist, speakers, order }
}
