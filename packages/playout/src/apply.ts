import { next, startList } from './advance.ts'
import type { Command, Fact, Outcome, Step } from './commands.ts'
import { generate } from './programme.ts'
import { naturalMode, type PlayoutState, type QueueEntry } from './state.ts'

/** A command arrives: it is accepted or refused, in full, at once. The caller advances the state to `nowMs` first. */
export function apply(state: PlayoutState, command: Command, _nowMs: number): Step & { outcome: Outcome } {
  switch (command.type) {
    case 'library-changed':
      return { state: forgetLists(state), effects: [], outcome: { ok: true } }
    case 'release-track':
    case 'switch-mode':
    case 'insert-group':
      throw new Error(`${command.type} is not understood yet`)
  }
}

/** The worker tells a fact of its surroundings. */
export function learn(state: PlayoutState, fact: Fact, nowMs: number): Step {
  switch (fact.type) {
    case 'station':
      return { state: { ...state, pace: fact.pace, schedule: fact.schedule }, effects: [] }
    case 'library':
      return learnLibrary(state, fact, nowMs)
    case 'sound-ended':
      return isOnAir(state, fact.entryId) ? next(state, nowMs) : { state, effects: [] }
    case 'unplayable':
      return dropUnplayable(state, fact.entryId, nowMs)
  }
}

/** Rule L4: what is generated is made anew; a list that only repeated a small library ends with the current entry. */
function forgetLists(state: PlayoutState): PlayoutState {
  const { list } = state
  const kept = list.repeats
    ? list.entries.filter((entry, i) => i <= list.index || entry.orderType !== null)
    : list.entries
  return { ...state, prepared: {}, unplayable: [], list: { ...list, entries: kept } }
}

/** Rule L3: the list for a mode is prepared, and begins if the air was waiting for it. */
function learnLibrary(state: PlayoutState, fact: Extract<Fact, { type: 'library' }>, nowMs: number): Step {
  if (state.prepared[fact.mode]) return { state, effects: [] }
  const library = fact.tracks.filter((track) => !state.unplayable.includes(track.id))
  const after = fact.mode === state.mode ? (state.list.entries.at(-1)?.track ?? null) : null
  const { tracks, repeats, seed } = generate(library, fact.settings, state.seed, after)
  const entries = tracks.map((track, i) => ({
    entryId: `e${state.serial + i}`,
    track,
    orderType: null,
    tier: null,
  }))
  const informed = {
    ...state,
    seed,
    serial: state.serial + entries.length,
    prepared: { ...state.prepared, [fact.mode]: { entries, repeats } },
  }
  if (state.onAir.phase !== 'preparing') return { state: informed, effects: [] }
  const due = naturalMode(state.schedule, nowMs)
  return informed.prepared[due]?.entries.length
    ? startList(informed, due, nowMs)
    : { state: informed, effects: [] }
}

/** Rule T4: an entry that cannot be decoded leaves the queue with all others of its track, until the library changes. */
function dropUnplayable(state: PlayoutState, entryId: string, nowMs: number): Step {
  const lists = [state.list, ...Object.values(state.prepared)]
  const trackId = lists.flatMap((list) => list.entries).find((entry) => entry.entryId === entryId)?.track.id
  if (trackId === undefined) return { state, effects: [] }

  const without = (entries: QueueEntry[]) => entries.filter((entry) => entry.track.id !== trackId)
  const { entries, index, repeats } = state.list
  const prepared = Object.fromEntries(
    Object.entries(state.prepared).map(([mode, list]) => [mode, { ...list, entries: without(list.entries) }]),
  )
  const cleaned: PlayoutState = {
    ...state,
    unplayable: [...state.unplayable, trackId],
    prepared,
    list: { entries: [...entries.slice(0, index + 1), ...without(entries.slice(index + 1))], index, repeats },
  }
  return isOnAir(state, entryId) ? next(cleaned, nowMs) : { state: cleaned, effects: [] }
}

function isOnAir(state: PlayoutState, entryId: string): boolean {
  return state.onAir.phase === 'track' && state.onAir.entry.entryId === entryId
}
