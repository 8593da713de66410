import {
  addCooldownSecsLeft,
  apply,
  type PlayoutState,
  type SongOrder,
  shownQueue,
  type TrackRef,
  wireOrderType,
} from '@solstice/playout'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { accepted, sendCommand } from '../core/outcome.ts'
import { trackRef } from '../library/library.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore } from '../ports/data/data-store.ts'

interface Deps {
  bus: Pick<Bus, 'send'>
  audit: Audit
}
type Library = Pick<DataStore, 'tracks'>

/**
 * Queues a track of the library.
 *
 * @param air as shown at `nowMs`; null when there is none.
 * @throws Failure QUEUE_ADD_FAILED, AIR_UNAVAILABLE
 */
export async function addTrack(
  deps: Deps & { data: Library },
  actor: Actor,
  air: PlayoutState | null,
  nowMs: number,
  id: string,
  place: Pick<SongOrder, 'orderType' | 'tier' | 'at'>,
): Promise<void> {
  const found = await deps.data.tracks.get(id)
  if (!found) {
    const secsLeft = air ? addCooldownSecsLeft(air, nowMs) : 0
    throw new Failure(
      'QUEUE_ADD_FAILED',
      secsLeft > 0 ? { reason: 'cooldown', secsLeft } : { reason: 'not_found' },
    )
  }
  const track = trackRef(found)
  await sendCommand(deps.bus, { type: 'add-song', track, mode: found.mode, ...place })
  await deps.audit.record(actor, 'queue_add', {
    ...named(track),
    orderType: wireOrderType(place.orderType),
  })
}

/**
 * Removes an entry: the one of an id, or the one that an admin sees at a position, 1 = next, also when the queue moves on
 * meanwhile.
 *
 * @param air as shown now; null when there is none.
 * @returns which entry it was.
 * @throws Failure QUEUE_REMOVE_FAILED, AIR_UNAVAILABLE
 */
export async function removeEntry(
  { bus, audit }: Deps,
  actor: Actor,
  air: PlayoutState | null,
  which: number | { entryId: string },
): Promise<{ entryId: string; title: string; artist: string }> {
  if (!air) throw new Failure('AIR_UNAVAILABLE')
  const queue = shownQueue(air)
  const at =
    typeof which === 'number' ? which - 1 : queue.findIndex((entry) => entry.entryId === which.entryId)
  const entry = queue[at]
  if (!entry) throw new Failure('QUEUE_REMOVE_FAILED', { reason: 'not_found' })
  const { entryId } = entry
  const position = at + 1
  const { track } = await sendCommand(bus, { type: 'remove-entry', position, entryId })
  await audit.record(actor, 'queue_remove', { position, ...named(track) })
  return { entryId, ...named(track) }
}

/**
 * Moves the entry that an admin sees at a position, 1 = next, to another.
 *
 * @param air as shown now; null when there is none.
 * @param move.id the track that the admin sees there.
 * @throws Failure QUEUE_MOVE_FAILED, AIR_UNAVAILABLE
 */
export async function moveEntry(
  { bus, audit }: Deps,
  actor: Actor,
  air: PlayoutState | null,
  move: { id: string; from: number; to: number },
): Promise<void> {
  if (!air) throw new Failure('AIR_UNAVAILABLE')
  const { id, from, to } = move
  const entry = shownQueue(air)[from - 1]
  if (entry?.track.id !== id) throw new Failure('QUEUE_MOVE_FAILED', { reason: 'moved' })
  const { track } = await sendCommand(bus, { type: 'move-entry', entryId: entry.entryId, from, to })
  if (from !== to) await audit.record(actor, 'queue_move', { from, to, ...named(track) })
}

/** Puts a jingle after the track on air. @throws Failure JINGLE_INSERT_FAILED, AIR_UNAVAILABLE */
export async function insertJingle(
  { data, bus, audit }: Deps & { data: Pick<DataStore, 'clips'> },
  actor: Actor,
  clipId: string,
): Promise<void> {
  const clip = await data.clips.get(clipId)
  if (clip?.family !== 'jingles') throw new Failure('JINGLE_INSERT_FAILED', { reason: 'off' })
  await sendCommand(bus, { type: 'insert-jingle', clipId })
  const { filename, mode } = clip
  await audit.record(actor, 'jingle_insert', { filename, mode })
}

/** Takes back a jingle that was put next. @throws Failure JINGLE_CANCEL_FAILED, AIR_UNAVAILABLE */
export async function cancelJingle(
  { data, bus, audit }: Deps & { data: Pick<DataStore, 'clips'> },
  actor: Actor,
  clipId: string,
): Promise<void> {
  await sendCommand(bus, { type: 'cancel-jingle', clipId })
  const clip = await data.clips.get(clipId)
  await audit.record(actor, 'jingle_cancel', clip ? { filename: clip.filename, mode: clip.mode } : {})
}

/** Ends the track on air. @throws Failure QUEUE_SKIP_FAILED, JINGLE_IN_PROGRESS, AIR_UNAVAILABLE */
export async function skipTrack({ bus, audit }: Deps, actor: Actor): Promise<void> {
  const { track } = await sendCommand(bus, { type: 'skip' })
  await audit.record(actor, 'queue_skip', named(track))
}

/** Decides on what a listener asked for. @throws Failure SUGGESTION_NOT_FOUND, QUEUE_SUGGESTION_INJECT_FAILED, AIR_UNAVAILABLE */
export async function answerSuggestion(
  { bus, audit }: Deps,
  actor: Actor,
  uid: string,
  action: 'add' | 'reject',
): Promise<void> {
  const { track } = await sendCommand(bus, { type: 'answer-track-request', uid, action })
  await audit.record(actor, action === 'add' ? 'suggestion_accept' : 'suggestion_reject', named(track))
}

/**
 * Requests a track of the library for a listener, whose socket is told the decision.
 *
 * @param air as known at `nowMs`; null when it is not.
 * @returns seconds until the listener may ask again.
 * @throws Failure SUGGESTION_REFUSED with its `reason`, AIR_UNAVAILABLE
 */
export async function requestTrack(
  { data, bus }: { data: Library; bus: Pick<Bus, 'send'> },
  air: PlayoutState | null,
  nowMs: number,
  listener: { uid: string; socketId: string },
  id: string,
): Promise<number> {
  const found = await data.tracks.get(id)
  if (!found) throw new Failure('SUGGESTION_REFUSED', { reason: 'not_found' })
  const command = { type: 'request-track', ...listener, track: trackRef(found), mode: found.mode } as const
  // Anybody may ask, as often as they like: requests that are sure to be refused do not reach the worker.
  if (air) accepted(apply(air, command, nowMs).outcome)
  return (await sendCommand(bus, command)).secsLeft
}

const named = ({ title, artist }: TrackRef) => ({ title, artist })
