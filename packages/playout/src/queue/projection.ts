import type { QueueItem } from '@solstice/contracts'
import { upcoming } from '../model/playlists.ts'
import type { OrderType, PlayoutState, QueueEntry } from '../model/state.ts'

/** How many upcoming entries listeners see. */
export const SHOWN = 10
const LONGEST_PAGE = 100
const MOST_FOUND = 1_000
const SEARCHED_AT_ONCE = 2_000

/**
 * What comes next as people are shown it (rule Q1), the first `most` of it: the rest of this list; near its end as much of the
 * prepared one as makes ten. Nothing while the air is preparing. For the queue of a moment, `advance` the state to it first.
 */
export function shownQueue(state: PlayoutState, most = Number.POSITIVE_INFINITY): QueueEntry[] {
  return upcoming(state, Math.min(most, shownLength(state)))
}

function shownLength({ onAir, playlist, prepared, mode }: PlayoutState): number {
  if (onAir.phase === 'preparing') return 0
  const rest = playlist.entries.length - 1 - playlist.index
  return Math.max(rest, Math.min(SHOWN, rest + (prepared[mode]?.entries.length ?? 0)))
}

/** A part of the shown queue, at most 100 entries, and how many there are in all. */
export function queuePage(
  state: PlayoutState,
  offset: number,
  limit: number,
): { items: QueueItem[]; total: number } {
  const from = Math.max(0, offset)
  const to = from + Math.min(Math.max(0, limit), LONGEST_PAGE)
  return { items: shownQueue(state, to).slice(from).map(queueItem), total: shownLength(state) }
}

/**
 * Looks for the entries of the shown queue that have all words of a query: the first 1000 of them, and how many there are in
 * all; `position` counts from the entry on air, 1 = next. In steps of some milliseconds, so that others have their turn.
 */
export function* searchQueue(state: PlayoutState, query: string): Generator<undefined, FoundEntries> {
  const matches = wordSearch(query)
  const items: FoundEntries['items'] = []
  let total = 0
  for (const [i, entry] of shownQueue(state).entries()) {
    if (i % SEARCHED_AT_ONCE === SEARCHED_AT_ONCE - 1) yield
    if (!matches(entry.track)) continue
    total++
    if (items.length < MOST_FOUND) items.push({ ...queueItem(entry), position: i + 1 })
  }
  return { items, total }
}

interface FoundEntries {
  items: (QueueItem & { position: number })[]
  total: number
}

/** Tells whether all words of a query occur in "artist title", whatever their case. No words: everything matches. */
export function wordSearch(query: string): (song: { artist: string; title: string }) => boolean {
  const words = query
    .toLowerCase()
    .split(/[\s\p{Pd},|]+/u)
    .filter(Boolean)
  return ({ artist, title }) => {
    const text = `${artist} ${title}`.toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

/** Why a track must not be changed now: it is on air, or goes on after a talk, or it comes next, be it in the list after this one (rule K1). */
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
