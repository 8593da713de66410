import type { FailureDetails } from '@solstice/contracts'
import type { CommandOf } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import { dueMode } from '../model/schedule.ts'
import type { PlayoutState, PreparedPlaylist, QueueEntry, RemovedEntry } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { spliced } from '../model/track-places.ts'
import { SHOWN, shownQueue } from './projection.ts'
import { insertAt, isNearby, placeApart, placeOf, playable } from './queue.ts'

/** Bounds the removed entries, which are saved and sent at every change (rule A13). */
const KNOWN_REMOVED = 10

/** Removes an upcoming entry, shown in the playlist or the prepared one (rule A6). */
export function removeEntry(
  state: PlayoutState,
  { position, entryId }: CommandOf<'remove-entry'>,
  nowMs: number,
): Decision<'remove-entry'> {
  const refuse = (details: FailureDetails) => refused(state, 'QUEUE_REMOVE_FAILED', details)
  const secs = secsLeft(state.lastRemoveMs, state.limits.queueRemoveCooldownMs, nowMs)
  if (secs > 0) return refuse({ reason: 'cooldown', secsLeft: secs })
  const there = shownQueue(state, position)[position - 1]
  const isThere = entryId === undefined || there?.entryId === entryId
  const entry = isThere ? there : shownQueue(state).find((candidate) => candidate.entryId === entryId)
  if (!entry) return refuse({ reason: 'not_found' })

  const without = <L extends PreparedPlaylist>(list: L): L => {
    const at = list.entries.indexOf(entry)
    return at < 0 ? list : { ...list, entries: spliced(list.entries, at, 1, []) }
  }
  const following = state.prepared[state.mode]
  const left = following && without(following)
  // A prepared playlist that has become too short to be shown whole is made again.
  const isTooShort = left && left !== following && left.entries.length < SHOWN
  const prepared = left && { [state.mode]: isTooShort ? { ...left, isStale: true } : left }
  const shortened: PlayoutState = {
    ...state,
    lastRemoveMs: nowMs,
    removed: withRemoved(state, entry),
    playlist: without(state.playlist),
    prepared: { ...state.prepared, ...prepared },
  }
  return accepted(shortened, { track: entry.track })
}

/** Puts a removed entry back at its place (rule A13). */
export function restoreEntry(
  state: PlayoutState,
  { entryId }: CommandOf<'restore-entry'>,
  nowMs: number,
): Decision<'restore-entry'> {
  const refuse = (reason: string) => refused(state, 'QUEUE_RESTORE_FAILED', { reason })
  const removed = state.removed?.find(({ entry }) => entry.entryId === entryId)
  if (!removed) return refuse('forgotten')
  const { entry } = removed
  const { track, orderId } = entry
  // A payment has rules of its own: its order is queued again, under another id.
  if (orderId !== undefined) return accepted(state, { track, position: null, orderId })
  if (playable(state, [track]).length === 0) return refuse('not_found')
  if (state.onAir.phase === 'preparing') return refuse('preparing')
  if (entry.orderType !== 'donated' && dueMode(state, nowMs) !== state.mode) return refuse('mode_over')
  const stood = formerPlace(state, removed)
  if (typeof stood === 'string') return refuse(stood)
  const isSame = isBetween(state, stood, removed)
  const place = isSame ? stood : allowedPlace(state, entry, stood)
  if (!isSame && isNearby(state, place, track)) return refuse('duplicate_nearby')
  const restored = putAt(state, place, entry)
  if (!restored) return refuse('gone')
  return accepted(
    { ...restored, removed: besides(state.removed ?? [], removed) },
    { track, position: place - state.playlist.index },
  )
}

/** The removed entries, with one that is about to be removed. */
function withRemoved(state: PlayoutState, entry: QueueEntry): RemovedEntry[] {
  const at = placeOfEntry(state, entry.entryId)
  const [before, after] = [idAt(state, at - 1), idAt(state, at + 1)]
  return [...(state.removed ?? []), { entry, before, after }].slice(-KNOWN_REMOVED)
}

/** The place of an entry; places count from the beginning of the playlist, and go on in the prepared one. −1 = it has none. */
function placeOfEntry({ playlist, prepared, mode }: PlayoutState, entryId: string | null): number {
  const isIt = (entry: QueueEntry) => entry.entryId === entryId
  const at = playlist.entries.findIndex(isIt)
  const following = at < 0 ? (prepared[mode]?.entries.findIndex(isIt) ?? -1) : -1
  return following < 0 ? at : playlist.entries.length + following
}

function idAt({ playlist, prepared, mode }: PlayoutState, place: number): string | null {
  const { entries } = playlist
  const entry = place < entries.length ? entries[place] : prepared[mode]?.entries[place - entries.length]
  return entry?.entryId ?? null
}

/** Rule A13b: where a removed entry stood, by its neighbours; a neighbour that was removed later stands for its own. */
function formerPlace(state: PlayoutState, removed: RemovedEntry): number | 'aired' | 'gone' {
  const { index } = state.playlist
  const placeBy = (side: 'before' | 'after') =>
    placeOfEntry(state, followed(state.removed ?? [], removed, side).at)
  const after = placeBy('after')
  if (after >= 0) return after > index ? after : 'aired'
  const before = placeBy('before')
  if (before < 0) return 'gone'
  return before >= index ? before + 1 : 'aired'
}

/** Goes from neighbour to neighbour: past those that are removed too (`passed`), to the first that is not. */
function followed(all: readonly RemovedEntry[], from: RemovedEntry, side: 'before' | 'after') {
  const passed = new Set<string>()
  for (let at = from[side]; ; ) {
    const other = all.find(({ entry }) => entry.entryId === at)
    if (!other || passed.has(other.entry.entryId)) return { passed, at }
    passed.add(other.entry.entryId)
    at = other[side]
  }
}

/** The other removed entries; those that stood beside the one that comes back have it as their neighbour again. */
function besides(all: readonly RemovedEntry[], restored: RemovedEntry): RemovedEntry[] {
  const { entryId } = restored.entry
  const earlier = followed(all, restored, 'before').passed
  const later = followed(all, restored, 'after').passed
  return all.flatMap((other) => {
    if (other === restored) return []
    if (earlier.has(other.entry.entryId)) return { ...other, after: entryId }
    return later.has(other.entry.entryId) ? { ...other, before: entryId } : other
  })
}

/** Rule A13c: the nearest place at which rule A1 lets the entry stand. */
function allowedPlace(state: PlayoutState, entry: QueueEntry, stood: number): number {
  const { track, orderType, tier } = entry
  const last = placeOf(state, { orderType, tier })
  if (orderType === null) return Math.max(stood, last)
  if (orderType === 'requested') {
    const first = placeOf(state, { orderType, tier, at: 1 })
    return Math.min(last, Math.max(stood, first))
  }
  const passed = state.playlist.entries.slice(stood, last)
  const isOfTier = stood <= last && passed.every((other) => (other.tier ?? 1) === (tier ?? 1))
  return isOfTier ? stood : placeApart(state, { track, orderType, tier })
}

/** True when a place is the one at which an entry stood: between the same two. */
function isBetween(state: PlayoutState, place: number, { before, after }: RemovedEntry): boolean {
  return idAt(state, place - 1) === before && idAt(state, place) === after
}

/** null when the place is in a list that is about to be made again, without the entry. */
function putAt(state: PlayoutState, place: number, entry: QueueEntry): PlayoutState | null {
  const { playlist, prepared, mode } = state
  const { length } = playlist.entries
  if (place <= length)
    return playlist.isStale && entry.orderType === null ? null : insertAt(state, place, [entry])
  const following = prepared[mode]
  if (!following || following.isStale) return null
  const entries = spliced(following.entries, place - length, 0, [entry])
  return { ...state, prepared: { ...prepared, [mode]: { ...following, entries } } }
}
