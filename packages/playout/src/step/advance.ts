import { changeInChat, next, runPendingSwitch, start } from '../boundary/boundary.ts'
import { backgroundEndMs } from '../clips/chat.ts'
import { jingleDueMs } from '../clips/jingles.ts'
import { liveDueMs, passLiveTime } from '../live/guests.ts'
import type { Effect } from '../model/commands/commands.ts'
import { isDonatedQueued } from '../model/playlists.ts'
import { dueMode } from '../model/schedule.ts'
import type { PlayoutState } from '../model/state.ts'
import { type Step, stepTo } from '../model/steps.ts'
import { byClockMs, trackEndMs } from '../model/timing.ts'
import { noteTurn } from '../model/turns.ts'
import { expireTrackRequests, trackRequestsExpireAtMs } from '../queue/track-requests.ts'

/** Carries out everything that falls due until `nowMs`, each at its own moment. */
export function advance(state: PlayoutState, nowMs: number): Step {
  const effects: Effect[] = []
  for (;;) {
    const due = firstDue(state)
    if (due === null || due.atMs > nowMs) return stepTo(state, effects)
    const step = noteTurn(state, due.happen(state, due.atMs), due.atMs)
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

/** The first due event; at the same moment, the first in this order: a switch comes before the end of the track it would cut. */
function firstDue(state: PlayoutState): Due | null {
  const dues = [
    due(endOfHold(state), releaseHolds),
    due(trackRequestsExpireAtMs(state), expireTrackRequests),
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

/** The moment at which the clock ends a track or background music. */
function soundDueMs({ onAir, pace }: PlayoutState): number | null {
  const endMs =
    onAir.phase === 'track'
      ? trackEndMs(onAir.entry, onAir.startedAtMs)
      : onAir.phase === 'chat'
        ? backgroundEndMs(onAir.background)
        : null
  return endMs === null ? null : byClockMs(pace, endMs)
}

/** While preparing: the moment at which the first track starts, or another mode is due (rule M2). */
function startMs(state: PlayoutState): number | null {
  const { onAir, mode, prepared, schedule } = state
  if (onAir.phase !== 'preparing') return null
  const { sinceMs, notBeforeMs } = onAir
  const isOther = (atMs: number) => atMs > sinceMs && dueMode(state, atMs) !== mode
  const changeMs = schedule.changes.find((change) => isOther(change.atMs))?.atMs ?? null
  if (!prepared[mode]?.entries.length) return changeMs
  return Math.min(Math.max(sinceMs, notBeforeMs), changeMs ?? Number.POSITIVE_INFINITY)
}

/** In a chat: the moment at which another mode is due by the schedule (rule O7). */
function modeInChatMs(state: PlayoutState): number | null {
  const { onAir, mode, schedule } = state
  if (onAir.phase !== 'chat') return null
  const isOther = (atMs: number) => atMs > onAir.modeAsOfMs && dueMode(state, atMs) !== mode
  return schedule.changes.find((change) => isOther(change.atMs))?.atMs ?? null
}

/** The moment at which the pending switch is carried out or lapses; null = at a track boundary. */
function pendingSwitchMs(state: PlayoutState): number | null {
  const { pendingSwitch, onAir } = state
  if (!pendingSwitch?.waiting) return pendingSwitch?.atMs ?? null
  const isFree = onAir.phase === 'preparing' && !isDonatedQueued(state)
  return isFree ? onAir.sinceMs : pendingSwitch.waiting.untilMs
}

/** Rule S6: from now on the schedule has the same mode. */
function endForced(state: PlayoutState): Step {
  return stepTo({ ...state, forced: null })
}

function endOfHold({ withheld }: PlayoutState): number | null {
  return withheld.reduce<number | null>(
    (first, { untilMs }) => (first === null ? untilMs : Math.min(first, untilMs)),
    null,
  )
}

/** Rule K3: releases holds that were not settled; a prepared playlist that is empty for want of the track is made again. */
function releaseHolds(state: PlayoutState, atMs: number): Step {
  const withheld = state.withheld.filter((hold) => hold.untilMs > atMs)
  const prepared = Object.fromEntries(
    Object.entries(state.prepared).filter(([, list]) => list.entries.length > 0),
  )
  return stepTo({ ...state, withheld, prepared })
}
