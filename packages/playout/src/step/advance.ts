import type { Mode } from '@solstice/contracts'
import { switchNow, waitingSwitch } from '../boundary/mode-switch.ts'
import { beginChat, fillerEndMs, nextFiller } from '../clips/chat.ts'
import { beginJingle, countSong, jingleDueMs } from '../clips/jingles.ts'
import { drawPhrase } from '../clips/phrases.ts'
import { liveDueMs, passLiveTime } from '../live/guests.ts'
import type { Effect, Step } from '../model/commands.ts'
import {
  dueMode,
  emptyList,
  isDonatedOnAir,
  isDonatedQueued,
  type List,
  type PlayoutState,
  type QueueEntry,
} from '../model/state.ts'
import { enterMode, expireSuggestions, expiryMs } from '../queue/suggestions.ts'

/** A track of unknown length is left after this time (rule T3). */
const UNKNOWN_LENGTH_MS = 600_000
/** How long the sound may run over the duration before the clock ends the track (rule T2). */
const SOUND_GRACE_MS = 30_000
/** No track is shorter than this to the clock, whatever its tags say: the loop below must get on. */
const SHORTEST_MS = 100

/** Time passes: all that falls due until `nowMs` happens, each at its own moment. */
export function advance(state: PlayoutState, nowMs: number): Step {
  const effects: Effect[] = []
  for (;;) {
    const due = firstDue(state)
    if (due === null || due.atMs > nowMs) return { state, effects }
    const step = due.happen(state, due.atMs)
    state = step.state
    effects.push(...step.effects)
  }
}

/** The moment at which time alone changes the state, or null. */
export function nextDueMs(state: PlayoutState): number | null {
  return firstDue(state)?.atMs ?? null
}

interface Due {
  atMs: number
  happen(state: PlayoutState, atMs: number): Step
}

/** Of what falls on the same moment the first is done first: a switch comes before the track that it would cut. */
function firstDue(state: PlayoutState): Due | null {
  const dues = [
    due(endOfHold(state), releaseHolds),
    due(expiryMs(state), expireSuggestions),
    due(liveDueMs(state), passLiveTime),
    due(state.forced?.untilMs, endForced),
    due(pendingSwitchMs(state), runPendingSwitch),
    due(modeInChatMs(state), changeInChat),
    due(soundDueMs(state) ?? jingleDueMs(state), next),
    due(startMs(state), start),
  ]
  return dues.reduce((first, other) => (other && (!first || other.atMs < first.atMs) ? other : first), null)
}

function due(atMs: number | null | undefined, happen: Due['happen']): Due | null {
  return typeof atMs === 'number' ? { atMs, happen } : null
}

/** When a track ends by its duration. */
export function trackEndMs(entry: QueueEntry, startedAtMs: number): number {
  return startedAtMs + Math.max(SHORTEST_MS, entry.track.durationMs ?? UNKNOWN_LENGTH_MS)
}

/** When the first sound of what is on air is due: in stream mode not at position 0, where silence before it is left out. */
export function soundStartMs({ onAir, pace }: Pick<PlayoutState, 'onAir' | 'pace'>): number {
  switch (onAir.phase) {
    case 'preparing':
      return onAir.sinceMs
    case 'jingle':
      return onAir.startedAtMs
    case 'track':
      return onAir.resumedAtMs ?? onAir.startedAtMs + leftOutMs(onAir.entry, pace)
    case 'chat':
      return onAir.filler.startedAtMs
  }
}

/** Rule V2: what of the beginning of a track is not heard. */
export function leftOutMs({ track }: QueueEntry, pace: PlayoutState['pace']): number {
  return pace === 'sound' ? (track.rendition?.startMs ?? 0) : 0
}

/** When a song or filler ends by the clock: where the sound is the pace only when that does not end. */
function soundDueMs({ onAir, pace }: PlayoutState): number | null {
  const endMs =
    onAir.phase === 'track'
      ? trackEndMs(onAir.entry, onAir.startedAtMs)
      : onAir.phase === 'chat'
        ? fillerEndMs(onAir.filler)
        : null
  return endMs === null ? null : endMs + (pace === 'sound' ? SOUND_GRACE_MS : 0)
}

/** What is heard ends at `atMs`: filler follows in a chat, a jingle where one is to come (rule J3), else what `goOn` gives. */
export function next(state: PlayoutState, atMs: number): Step {
  if (state.onAir.phase === 'chat') return { state: nextFiller(state, atMs), effects: [] }
  if (state.onAir.phase !== 'track') return goOn(state, atMs)
  const counted = countSong(state)
  const jingle = beginJingle(counted, atMs, goOn)
  return jingle ? { state: jingle, effects: [] } : goOn(counted, atMs)
}

/** The track boundary at `atMs`: the mode that is due then, its list, the next entry or a chat (rules L1, L2, M1, S4, O2). */
export function goOn(state: PlayoutState, atMs: number): Step {
  const { list, pendingSwitch, isPaused } = state
  if (pendingSwitch?.waiting && !isDonatedQueued(state)) return runPendingSwitch(state, atMs)
  const mode = dueMode(state, atMs)
  const isChanging = mode !== state.mode
  const isKept = !isChanging || isDonatedQueued(state)
  if (isPaused && isKept) return { state: beginChat(state, atMs), effects: [] }
  const { entries } = isChanging ? onlyDonated(list) : list
  const index = list.index + 1
  const entry = entries[index]
  return entry && isKept
    ? startEntry({ ...state, list: { ...list, entries, index } }, entry, atMs)
    : startList(state, mode, atMs)
}

/** Rule M1: what is left of a list when its mode is over. */
function onlyDonated(list: List): List {
  const entries = list.entries.filter((entry, i) => i <= list.index || entry.orderType === 'donated')
  return { ...list, entries }
}

/** Begins the prepared list of a mode, or a chat before it; without one the air is preparing until there is (rules L3, O2). */
function startList(state: PlayoutState, mode: Mode, atMs: number): Step {
  const { state: entered, effects } = enterMode(state, mode)
  const { [mode]: prepared, ...others } = entered.prepared
  const first = prepared?.entries[0]
  if (entered.isPaused) {
    const waiting = prepared && first ? { list: prepared, prepared: others } : { list: emptyList }
    const before = { ...entered, ...waiting, list: { ...waiting.list, index: -1 } }
    return { state: beginChat(before, atMs), effects }
  }
  if (!prepared || !first) {
    const onAir = { phase: 'preparing', target: mode, sinceMs: atMs, notBeforeMs: atMs } as const
    return { state: { ...entered, list: emptyList, onAir }, effects }
  }
  const list = { ...prepared, index: 0 }
  const started = startEntry({ ...entered, prepared: others, list }, first, atMs)
  return { state: started.state, effects: [...effects, ...started.effects] }
}

function startEntry(before: PlayoutState, entry: QueueEntry, atMs: number): Step {
  const { state, phrase } = drawPhrase(before, entry.track)
  // Rule V2: positions count from the beginning of the file, wherever it is begun.
  const startedAtMs = atMs - leftOutMs(entry, state.pace)
  return {
    state: {
      ...state,
      onAir: { phase: 'track', entry, startedAtMs, ...(phrase && { phrase }) },
      lastPlayedMs: atMs,
    },
    effects: [
      {
        type: 'played',
        track: entry.track,
        mode: state.mode,
        startedAtMs: atMs,
        ...(entry.orderId !== undefined && { orderId: entry.orderId }),
      },
    ],
  }
}

/** While preparing: when the first track starts, or another mode is due (rule M2). */
function startMs(state: PlayoutState): number | null {
  const { onAir, mode, prepared, schedule } = state
  if (onAir.phase !== 'preparing') return null
  const { sinceMs, notBeforeMs } = onAir
  const isOther = (atMs: number) => atMs > sinceMs && dueMode(state, atMs) !== mode
  const changeMs = schedule.changes.find((change) => isOther(change.atMs))?.atMs ?? null
  if (!prepared[mode]?.entries.length) return changeMs
  return Math.min(Math.max(sinceMs, notBeforeMs), changeMs ?? Number.POSITIVE_INFINITY)
}

/** While preparing: the first track of the mode that is due starts, if it may and its list is there (rules L3, M2, S5). */
export function start(state: PlayoutState, atMs: number): Step {
  const { onAir } = state
  if (onAir.phase !== 'preparing') return { state, effects: [] }
  const mode = dueMode(state, atMs)
  if (atMs >= onAir.notBeforeMs && state.prepared[mode]?.entries.length) return startList(state, mode, atMs)
  if (mode === state.mode) return { state, effects: [] }
  const { state: entered, effects } = enterMode(state, mode)
  return { state: { ...entered, onAir: { ...onAir, target: mode, sinceMs: atMs } }, effects }
}

/** In a chat: when another mode is due by the schedule (rule O7). */
function modeInChatMs(state: PlayoutState): number | null {
  const { onAir, mode, schedule } = state
  if (onAir.phase !== 'chat') return null
  const isOther = (atMs: number) => atMs > onAir.modeAsOfMs && dueMode(state, atMs) !== mode
  return schedule.changes.find((change) => isOther(change.atMs))?.atMs ?? null
}

/** In a chat: the mode that is due comes, there being no song to wait for, unless a donated one is queued (rule O7). */
export function changeInChat(state: PlayoutState, atMs: number): Step {
  const { onAir } = state
  if (onAir.phase !== 'chat') return { state, effects: [] }
  const isPaidFor = isDonatedQueued(state) || isDonatedOnAir(state)
  if (dueMode(state, atMs) !== state.mode && !isPaidFor) return goOn(state, atMs)
  return { state: { ...state, onAir: { ...onAir, modeAsOfMs: atMs } }, effects: [] }
}

/** When the pending switch runs, or is given up; null = at a track boundary. */
function pendingSwitchMs(state: PlayoutState): number | null {
  const { pendingSwitch, onAir } = state
  if (!pendingSwitch?.waiting) return pendingSwitch?.atMs ?? null
  const isFree = onAir.phase === 'preparing' && !isDonatedQueued(state)
  return isFree ? onAir.sinceMs : pendingSwitch.waiting.untilMs
}

/** Rule S4: the moment of the pending switch, or a track boundary that it has waited for. */
function runPendingSwitch(state: PlayoutState, atMs: number): Step {
  const { pendingSwitch, mode, schedule } = state
  if (!pendingSwitch) return { state, effects: [] }
  const { target, waiting } = pendingSwitch
  const isTooLate = waiting !== null && waiting.untilMs !== null && atMs >= waiting.untilMs
  const isInVain = target === mode || state.emptyModes.includes(target)
  if (isInVain || isTooLate) return { state: { ...state, pendingSwitch: null }, effects: [] }
  // What waits is not run before nothing is queued, at a boundary.
  if (waiting || !(isDonatedQueued(state) || isDonatedOnAir(state))) return switchNow(state, target, atMs)
  return { state: { ...state, pendingSwitch: waitingSwitch(schedule, target, atMs) }, effects: [] }
}

/** Rule S6: from now on the schedule wants the same. */
function endForced(state: PlayoutState): Step {
  return { state: { ...state, forced: null }, effects: [] }
}

function endOfHold({ withheld }: PlayoutState): number | null {
  return withheld.reduce<number | null>(
    (first, { untilMs }) => (first === null ? untilMs : Math.min(first, untilMs)),
    null,
  )
}

/** Rule K3: who wanted to remove a track has not come back; a list that is empty for want of it is made anew. */
function releaseHolds(state: PlayoutState, atMs: number): Step {
  const withheld = state.withheld.filter((hold) => hold.untilMs > atMs)
  const prepared = Object.fromEntries(
    Object.entries(state.prepared).filter(([, list]) => list.entries.length > 0),
  )
  return { state: { ...state, withheld, prepared }, effects: [] }
}
