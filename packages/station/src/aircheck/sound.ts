import type { PlayoutState } from '@solstice/playout'
import type { SoundMarker, StreamMarker } from '../ports/bus.ts'
import type { Sound } from './part-cutter.ts'

/** Names of those whose microphones are open. */
export const speakersOf = ({ live }: Pick<PlayoutState, 'live'>): string[] =>
  live.participants.filter(({ isMicOn, isMuted }) => isMicOn && !isMuted).map(({ name }) => name)

/**
 * Names a sound by what travelled with its frames.
 *
 * @param speakers whose microphones were open; null for frames of a version that did not store it.
 * @param state tells of such frames who speaks and who asked, as far as it is still true.
 */
export function describeSound(
  marker: StreamMarker | null,
  speakers: string[] | null,
  state: PlayoutState | null,
): Sound {
  const former = speakers === null ? state : null
  const names = speakers ?? (former ? speakersOf(former) : [])
  const plain = { title: '', artist: '', speakers: names, order: null }
  if (!marker || marker.entryId === null) return { kind: names.length > 0 ? 'live' : 'silence', ...plain }
  const { title, artist, jingle, chat } = marker
  if (chat) return { kind: 'live', ...plain, title, artist }
  if (jingle)
    return { kind: 'jingle', ...plain, title: jingle.media.slice(jingle.media.lastIndexOf('/') + 1) }
  const order = marker.order ?? (former && orderIn(former, marker))
  return { kind: 'track', title, artist, speakers: names, order }
}

function orderIn({ playlist }: PlayoutState, { entryId }: SoundMarker): Sound['order'] {
  const entry = playlist.entries.find((one) => one.entryId === entryId)
  return entry?.orderType ? { type: entry.orderType, id: entry.orderId ?? null } : null
}
