import type { QueueItem } from '@solstice/contracts'
import { upcoming } from '../model/playlists.ts'
import type { OrderType, PlayoutState, QueueEntry } from '../model/state.ts'
import { placesOf } from '../model/track-places.ts'

/** Number of upcoming entries shown to listeners (rule L5). */
export const SHOWN = 10
const MAX_PAGE = 100
const MAX_FOUND = 1_000
const SEARCHED_AT_ONCE = 2_000

/**
 * The first `most` upcoming entries as people see them (rule Q1): the rest of the playlist, and near its end as many of the
 * prepared one as make ten. Empty while preparing. For the queue at a moment, `advance` the state to it first.
 */
export function shownQueue(state: PlayoutState, most = Number.POSITIVE_INFINITY): QueueEntry[] {
  return upcoming(state, Math.min(most, shownLength(state)))
}

/** The number of shown entries of a track. */
export function shownPlaces(state: PlayoutState, trackId: string): number {
  if (state.onAir.phase === 'preparing') return 0
  const { entries, index } = state.playlist
  const rest = placesOf(entries, new Set([trackId])).filter((place) => place > index)
  const following = shownQueue(state).slice(entries.length - 1 - index)
  return rest.length + following.filter(({ track }) => track.id === trackId).length
}

function shownLength({ onAir, playlist, prepared, mode }: PlayoutState): number {
  if (onAir.phase === 'preparing') return 0
  const rest = playlist.entries.length - 1 - playlist.index
  return Math.max(rest, Math.min(SHOWN, rest + (prepared[mode]?.entries.length ?? 0)))
}

/** A part of the shown queue, at most 100 entries, and the total. */
export function queuePage(
  state: PlayoutState,
  offset: number,
  limit: number,
): { items: QueueItem[]; total: number } {
  const from = Math.max(0, offset)
  const to = from + Math.min(Math.max(0, limit), MAX_PAGE)
  const entries = shownQueue(state, to).slice(from)
  return { items: entries.map(timedItem), total: shownLength(state) }
}

/** With its id, which only admins see. */
const namedItem = (entry: QueueEntry): QueueItem => ({ ...queueItem(entry), entryId: entry.entryId })

/** With its length too, from which the times of the queue are reckoned. */
function timedItem(entry: QueueEntry): QueueItem {
  const { durationMs } = entry.track
  return { ...namedItem(entry), duration: durationMs === null ? null : durationMs / 1000 }
}

/**
 * Finds the entries of the shown queue that have all words of a query: the first 1000 of them, and the total; `position`
 * counts from the entry on air, 1 = next. Yields every few milliseconds, so that the event loop is not blocked.
 */
export function* searchQueue(state: PlayoutState, query: string): Generator<undefined, FoundEntries> {
  const matches = wordSearch(query)
  const items: FoundEntries['items'] = []
  let total = 0
  for (const [i, entry] of shownQueue(state).entries()) {
    if (i % SEARCHED_AT_ONCE === SEARCHED_AT_ONCE - 1) yield
    if (!matches(entry.track)) continue
    total++
    if (items.length < MAX_FOUND) items.push({ ...namedItem(entry), position: i + 1 })
  }
  return { items, total }
}

interface FoundEntries {
  items: (QueueItem & { position: number })[]
  total: number
}

/** Makes a test for all words of a query in "artist title", in any case. Without words everything matches. */
export function wordSearch(query: string): (song: { artist: string; title: string }) => boolean {
  const matches = searchOfTexts(query)
  return (song) => matches(searchedText(song))
}

/** As `wordSearch`, of what `searchedText` makes of a song. */
export function searchOfTexts(query: string): (text: string) => boolean {
  const words = query
    .toLowerCase()
    .split(/[\s\p{Pd},|]+/u)
    .filter(Boolean)
  return (text) => words.every((word) => text.includes(word))
}

/** The text of a song in which words are searched. */
export const searchedText = ({ artist, title }: { artist: string; title: string }): string =>
  `${artist} ${title}`.toLowerCase()

/** Rule K1: the lock on a track that is on air, continues after a chat, or comes next, also in the prepared playlist. */
export function lockOf(state: PlayoutState, trackId: string): 'current' | 'next' | null {
  if (state.onAir.phase === 'preparing') return null
  if (state.onAir.entry?.track.id === trackId) return 'current'
  return upcoming(state, 1)[0]?.track.id === trackId ? 'next' : null
}

export function queueItem({ track, orderType, tier }: QueueEntry): QueueItem {
  return {
    id: track.id,
    title: track.title,
    artist: track.artist,
    album: track.album,
    year: track.year,
    orderType: wireOrderType(orderType),
    tier,
  }
}

/** The wire says `lastinline` where the engine says `requested`. */
export function wireOrderType(orderType: OrderType): QueueItem['orderType'] {
  return orderType === 'requested' ? 'lastinline' : orderType
}
