import { cancelSwitch, switchMode } from '../boundary/mode-switch.ts'
import { skip } from '../boundary/skip.ts'
import { cancelJingle, insertJingle } from '../clips/insert-jingle.ts'
import { changeLibrary, changeSettings } from '../library/changes.ts'
import { releaseTrack } from '../library/release.ts'
import { enterByCode, forgetCode, setCode } from '../live/access-code.ts'
import { answerGuest, connectGuest, requestGuest } from '../live/guests.ts'
import {
  banGuest,
  banHousehold,
  goLive,
  kick,
  lacksHosting,
  leaveLive,
  leaveWithReplica,
  mute,
  setGain,
  setMic,
} from '../live/live.ts'
import { chooseBackground, pauseQueue, resumeByHost, resumeQueue } from '../live/pause.ts'
import type { Command, CommandOf } from '../model/commands/commands.ts'
import type { PlayoutState } from '../model/state.ts'
import { accepted, acceptedBy, andThen, type Decision, refused } from '../model/steps.ts'
import { noteTurn } from '../model/turns.ts'
import { insertGroup } from '../queue/insert-group.ts'
import { moveEntry } from '../queue/move-entry.ts'
import { addSong } from '../queue/queue.ts'
import { removeEntry, restoreEntry } from '../queue/removal.ts'
import { answerTrackRequest, requestTrack } from '../queue/track-requests.ts'

/** Applies a command: accepts or refuses all of it, at once. The caller advances the state to `nowMs` first. */
export function apply(state: PlayoutState, command: Command, nowMs: number): Decision {
  return noteTurn(state, decide(state, command, nowMs), nowMs)
}

function decide(state: PlayoutState, command: Command, nowMs: number): Decision {
  if (lacksHosting(state, command)) return refused(state, 'FEATURE_UNAVAILABLE', { capability: 'radioHosts' })
  switch (command.type) {
    case 'library-changed':
      return changeLibrary(state, command, nowMs)
    case 'settings-changed':
      return changeSettings(state)
    case 'clips-changed':
    case 'cue-points-changed':
      return accepted(state)
    case 'release-track':
      return releaseTrack(state, command, nowMs)
    case 'switch-mode':
      return switchMode(state, command, nowMs)
    case 'cancel-switch':
      return cancelSwitch(state)
    case 'insert-group':
      return insertGroup(state, command, nowMs)
    case 'add-song':
      return addToQueue(state, command, nowMs)
    case 'remove-entry':
      return removeEntry(state, command, nowMs)
    case 'restore-entry':
      return restoreEntry(state, command, nowMs)
    case 'move-entry':
      return moveEntry(state, command, nowMs)
    case 'insert-jingle':
      return insertJingle(state, command)
    case 'cancel-jingle':
      return cancelJingle(state, command)
    case 'skip':
      return skip(state, nowMs)
    case 'request-track':
      return requestTrack(state, command, nowMs)
    case 'answer-track-request':
      return answerTrackRequest(state, command, nowMs)
    case 'go-live':
      return goLive(state, command, nowMs)
    case 'leave-live':
      return leaveLive(state, command, nowMs)
    case 'replica-gone':
      return leaveWithReplica(state, command, nowMs)
    case 'set-mic':
      return setMic(state, command)
    case 'set-gain':
      return setGain(state, command)
    case 'mute':
      return mute(state, command)
    case 'kick':
      return kick(state, command, nowMs)
    case 'ban-uid':
      return banHousehold(state, command, nowMs)
    case 'ban-guest':
      return banGuest(state, command, nowMs)
    case 'request-guest':
      return requestGuest(state, command, nowMs)
    case 'answer-guest':
      return answerGuest(state, command, nowMs)
    case 'connect-guest':
      return connectGuest(state, command, nowMs)
    case 'enter-by-code':
      return enterByCode(state, command, nowMs)
    case 'set-code':
      return setCode(state, command, nowMs)
    case 'forget-code':
      return forgetCode(state, command)
    case 'pause-queue':
      return pauseQueue(state, command, nowMs)
    case 'resume-queue':
      return resumeByHost(state, command, nowMs)
    case 'choose-background':
      return chooseBackground(state, command, nowMs)
  }
}

/** Queues a track, and resumes the queue if the order says so (rules A1–A5, O8). */
function addToQueue(state: PlayoutState, order: CommandOf<'add-song'>, nowMs: number): Decision<'add-song'> {
  const added = addSong(state, order, nowMs)
  if (!order.resumesQueue || added.state === state) return added
  return acceptedBy(andThen(added, (state) => resumeQueue(state, nowMs)))
}
