import type { Mode } from '@solstice/contracts'
import { beginChat, nextBackground } from '../clips/chat.ts'
import { beginJingle, countSong } from '../clips/jingles.ts'
import { drawPhrase } from '../clips/phrases.ts'
import { isDonatedOnAir } from '../model/on-air.ts'
import { emptyPlaylist, isDonatedQueued } from '../model/playlists.ts'
import { dueMode } from '../model/schedule.ts'
import type { Playlist, PlayoutState, QueueEntry } from '../model/state.ts'
import { andThen, type Step, stepTo, unchanged } from '../model/steps.ts'
import { leftOutMs } from '../model/timing.ts'
import { enterMode } from './enter-mode.ts'
import { switchNow, waitingSwitch } from './mode-switch.ts'

/** Ends the current sound at `atMs`. Background music follows in a chat, a jingle where one is due (rule J3), else `goOn`. */
export function next(state: PlayoutState, atMs: number): Step {
  if (state.onAir.phase === 'chat') return stepTo(nextBackground(state, atMs))
  if (state.onAir.phase !== 'track') return goOn(state, atMs)
  const counted = countSong(state)
  const jingle = beginJingle(counted, atMs, goOn)
  return jingle ? stepTo(jingle) : goOn(counted, atMs)
}

/** The track boundary at `atMs`: the mode due then, its playlist, the next entry or a chat (rules L1, L2, M1, S4, O2). */
export function goOn(state: PlayoutState, atMs: number): Step {
  const { playlist, pendingSwitch, isPaused } = state
  if (pendingSwitch?.waiting && !isDonatedQueued(state)) return runPendingSwitch(state, atMs)
  const mode = dueMode(state, atMs)
  const isChanging = mode !== state.mode
  const isKept = !isChanging || isDonatedQueued(state)
  if (isPaused && isKept) return stepTo(beginChat(state, atMs))
  const { entries } = isChanging ? onlyDonated(playlist) : playlist
  const index = playlist.index + 1
  const entry = entries[index]
  return entry && isKept
    ? startEntry({ ...state, playlist: { ...playlist, entries, index } }, entry, atMs)
    : startList(state, mode, atMs)
}

/** Rule M1: the rest of a playlist when its mode is over. */
function onlyDonated(list: Playlist): Playlist {
  const entries = list.entries.filter((entry, i) => i <= list.index || entry.orderType === 'donated')
  return { ...list, entries }
}

/** Begins the prepared playlist of a mode, or a chat before it; without one the air is preparing (rules L3, O2). */
function startList(state: PlayoutState, mode: Mode, atMs: number): Step {
  const { state: entered, effects } = enterMode(state, mode)
  const { [mode]: prepared, ...others } = entered.prepared
  const first = prepared?.entries[0]
  if (entered.isPaused) {
    const waiting = prepared && first ? { playlist: prepared, prepared: others } : { playlist: emptyPlaylist }
    const before = { ...entered, ...waiting, playlist: { ...waiting.playlist, index: -1 } }
    return stepTo(beginChat(before, atMs), effects)
  }
  if (!prepared || !first) {
    const onAir = { phase: 'preparing', target: mode, sinceMs: atMs, notBeforeMs: atMs } as const
    return stepTo({ ...entered, playlist: emptyPlaylist, onAir }, effects)
  }
  const playlist = { ...prepared, index: 0 }
  const begun = stepTo({ ...entered, prepared: others, playlist }, effects)
  return andThen(begun, (state) => startEntry(state, first, atMs))
}

function startEntry(before: PlayoutState, entry: QueueEntry, atMs: number): Step {
  const { state, phrase } = drawPhrase(before, entry.track)
  // Rule V2: positions count from the beginning of the file, wherever the track begins.
  const startedAtMs = atMs - leftOutMs(entry, state.pace)
  const started: PlayoutState = {
    ...state,
    onAir: { phase: 'track', entry, startedAtMs, ...(phrase && { phrase }) },
    lastPlayedMs: atMs,
  }
  const { track, orderId } = entry
  return stepTo(started, [
    {
      type: 'played',
      track,
      mode: state.mode,
      startedAtMs: atMs,
      ...(orderId !== undefined && { orderId }),
    },
  ])
}

/** While preparing: starts the first track of the mode due, if it may and its playlist is there (rules L3, M2, S5). */
export function start(state: PlayoutState, atMs: number): Step {
  const { onAir } = state
  if (onAir.phase !== 'preparing') return unchanged(state)
  const mode = dueMode(state, atMs)
  if (atMs >= onAir.notBeforeMs && state.prepared[mode]?.entries.length) return startList(state, mode, atMs)
  if (mode === state.mode) return unchanged(state)
  const { state: entered, effects } = enterMode(state, mode)
  return stepTo({ ...entered, onAir: { ...onAir, target: mode, sinceMs: atMs } }, effects)
}

/** In a chat: changes to the mode due at once, unless a donated track is queued or interrupted (rule O7). */
export function changeInChat(state: PlayoutState, atMs: number): Step {
  const { onAir } = state
  if (onAir.phase !== 'chat') return unchanged(state)
  const isPaidFor = isDonatedQueued(state) || isDonatedOnAir(state)
  if (dueMode(state, atMs) !== state.mode && !isPaidFor) return goOn(state, atMs)
  return stepTo({ ...state, onAir: { ...onAir, modeAsOfMs: atMs } })
}

/** Rule S4: the moment of the pending switch, or the track boundary for which it waited. */
export function runPendingSwitch(state: PlayoutState, atMs: number): Step {
  const { pendingSwitch, mode, schedule } = state
  if (!pendingSwitch) return unchanged(state)
  const { target, waiting } = pendingSwitch
  const isTooLate = waiting !== null && waiting.untilMs !== null && atMs >= waiting.untilMs
  const isInVain = target === mode || state.emptyModes.includes(target)
  if (isInVain || isTooLate) return stepTo({ ...state, pendingSwitch: null })
  // A waiting switch gets here only between tracks, with no donated track queued.
  if (waiting || !(isDonatedQueued(state) || isDonatedOnAir(state))) return switchNow(state, target, atMs)
  return stepTo({ ...state, pendingSwitch: waitingSwitch(schedule, target, atMs) })
}
