import { withSafeNext } from '../boundary/blank.ts'
import { changeInChat, goOn, next, start } from '../boundary/boundary.ts'
import { forcedMode, onSchedule } from '../boundary/mode-switch.ts'
import { dropClip, learnClips } from '../clips/clips.ts'
import { learnCuePoints } from '../clips/cue-points.ts'
import { withoutLostJingle } from '../clips/jingles.ts'
import { learnLibrary } from '../library/playlist-made.ts'
import { learnHosting } from '../live/live.ts'
import { resumeQueue } from '../live/pause.ts'
import type { Fact, FactOf } from '../model/commands/commands.ts'
import { noClips } from '../model/initial-state.ts'
import { withoutTracks } from '../model/playlists.ts'
import type { PlayoutState, QueueEntry } from '../model/state.ts'
import { andThen, type Step, stepTo, unchanged } from '../model/steps.ts'
import { noteTurn } from '../model/turns.ts'
import { advance } from './advance.ts'

/** Bounds the undecodable tracks, which are saved and sent at every change (rule T4). */
const KNOWN_UNPLAYABLE = 100
/** Entries from the one on air in which an undecodable one is looked for first. */
const NEAR = 20

/** Takes in a fact that the worker reports. */
export function learn(state: PlayoutState, fact: Fact, nowMs: number): Step {
  return noteTurn(state, takeIn(state, fact, nowMs), nowMs)
}

function takeIn(state: PlayoutState, fact: Fact, nowMs: number): Step {
  switch (fact.type) {
    case 'station':
      return learnStation(state, fact, nowMs)
    case 'library':
      return learnLibrary(state, fact, nowMs)
    case 'clips':
      return stepTo(learnClips(state, fact.clips, nowMs))
    case 'cue-points':
      return stepTo(learnCuePoints(state, fact.cuePoints))
    case 'hosting':
      return learnHosting(state, fact, nowMs)
    case 'sound-ended':
    case 'unplayable':
    case 'blank':
    case 'clip-unplayable':
      // The sound is a little ahead of the clock: everything that falls due until then comes first.
      return andThen(advance(state, nowMs), (state) => learnOfSound(state, fact, nowMs))
  }
}

/**
 * Takes in the setup, which may have changed since the state was saved: a station without a night has no use for a switch,
 * one without a stream none for clips (rule J1).
 */
function learnStation(
  state: PlayoutState,
  { pace, schedule, nightMode, limits }: FactOf<'station'>,
  nowMs: number,
): Step {
  const { forced, pendingSwitch } = state
  const isForced = nightMode && forced !== null && (forced.untilMs === null || nowMs < forced.untilMs)
  const informed = withoutLostJingle({
    ...state,
    pace,
    schedule,
    nightMode,
    limits,
    forced: isForced ? forcedMode(schedule, forced.mode, nowMs) : null,
    pendingSwitch:
      nightMode && pendingSwitch ? onSchedule(pendingSwitch, state.schedule, schedule, nowMs) : null,
    clips: pace === 'sound' ? state.clips : noClips,
  })
  const { onAir } = informed
  const isLost = pace === 'clock' && onAir.phase === 'jingle'
  if (isLost) return goOn({ ...informed, isPaused: false }, nowMs)
  // Rule S7: without a night the day begins at once, except during a donated track.
  const isOfNight = !nightMode && informed.mode === 'night'
  const isKept = onAir.phase === 'track' && onAir.entry.orderType === 'donated'
  if (isOfNight && (onAir.phase === 'track' || onAir.phase === 'jingle') && !isKept)
    return goOn(informed, nowMs)
  // Rule O9: in sync mode there is no pause.
  const resumed = pace === 'clock' ? resumeQueue(informed, nowMs) : stepTo(informed)
  return andThen(resumed, (state) => (state.onAir.phase === 'chat' ? changeInChat : start)(state, nowMs))
}

/** Takes in a fact about the sound (rules T2, T4, T6, J5, J6, P5, O4). */
function learnOfSound(
  state: PlayoutState,
  fact: FactOf<'sound-ended' | 'unplayable' | 'blank' | 'clip-unplayable'>,
  nowMs: number,
): Step {
  const { onAir } = state
  switch (fact.type) {
    case 'sound-ended':
      return isOnAir(state, fact.entryId) ? next(state, nowMs) : unchanged(state)
    case 'unplayable':
      return dropUnplayable(state, fact.entryId, nowMs)
    case 'blank': {
      const { entryId, wasHeard } = fact
      if (wasHeard || !isOnAir(state, entryId))
        return learnOfSound(state, { type: 'sound-ended', entryId }, nowMs)
      if (onAir.phase !== 'jingle') return dropUnplayable(withSafeNext(state, nowMs), entryId, nowMs)
      return learnOfSound(state, { type: 'clip-unplayable', clipId: onAir.jingle.clip.id }, nowMs)
    }
    case 'clip-unplayable': {
      const informed = dropClip(state, fact.clipId, nowMs)
      const isHeard = onAir.phase === 'jingle' && onAir.jingle.clip.id === fact.clipId
      return isHeard ? goOn(informed, nowMs) : stepTo(informed)
    }
  }
}

/** Rule T4: removes an undecodable entry with all others of its track, until the library changes. */
function dropUnplayable(state: PlayoutState, entryId: string, nowMs: number): Step {
  const track = entryWith(state, entryId)?.track
  if (!track) return unchanged(state)
  const cleaned = withoutTracks(state, new Set([track.id]))
  const others = state.unplayable.filter((id) => id !== track.id)
  const informed = { ...cleaned, unplayable: [...others, track.id].slice(-KNOWN_UNPLAYABLE) }
  return andThen(stepTo(informed, [{ type: 'track-unplayable', track }]), (informed) =>
    isOnAir(state, entryId) ? goOn(informed, nowMs) : stepTo(informed),
  )
}

/** The entry with an id; nearly always it is on air or comes next. */
function entryWith({ playlist, prepared }: PlayoutState, entryId: string): QueueEntry | undefined {
  const near = playlist.entries.slice(Math.max(0, playlist.index)).slice(0, NEAR)
  const lists = [near, ...[playlist, ...Object.values(prepared)].map(({ entries }) => entries)]
  for (const entries of lists) {
    const found = entries.find((entry) => entry.entryId === entryId)
    if (found) return found
  }
  return undefined
}

function isOnAir({ onAir }: PlayoutState, entryId: string): boolean {
  switch (onAir.phase) {
    case 'preparing':
      return false
    case 'track':
      return onAir.entry.entryId === entryId
    case 'jingle':
      return onAir.jingle.entryId === entryId
    case 'chat':
      return onAir.background.entryId === entryId
  }
}
