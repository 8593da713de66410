import { goOn } from '../boundary/boundary.ts'
import { beginChat, renewBackground } from '../clips/chat.ts'
import { countSong } from '../clips/jingles.ts'
import type { CommandOf } from '../model/commands/commands.ts'
import { isDonatedOnAir } from '../model/on-air.ts'
import { isDonatedQueued } from '../model/playlists.ts'
import type { Chat, OnAir, PlayoutState, QueueEntry } from '../model/state.ts'
import { accepted, acceptedBy, type Decision, refused, type Step, stepTo, unchanged } from '../model/steps.ts'
import { leftOutMs, trackEndMs } from '../model/timing.ts'
import { liveRoleOf } from './roster.ts'

/** A shorter rest of a track is not worth hearing after a chat (rule O6). */
const WORTH_RESUMING_MS = 10_000

/** Pauses the queue for a host, at once or after the track (rules O1, O2, O9). */
export function pauseQueue(
  state: PlayoutState,
  { socketId, when }: CommandOf<'pause-queue'>,
  nowMs: number,
): Decision<'pause-queue'> {
  if (liveRoleOf(state, socketId) !== 'host') return refused(state, 'NOT_LIVE')
  if (state.pace === 'clock') return refused(state, 'STREAM_OFF')
  if (!state.isPaused && isDonatedQueued(state)) return refused(state, 'DONATED_QUEUED')
  const paused = { ...state, isPaused: true }
  const { onAir } = state
  const isSongCut = onAir.phase === 'track' && !isDonatedOnAir(state)
  const isCut = when === 'now' && (isSongCut || onAir.phase === 'jingle')
  return accepted(isCut ? beginChat(paused, nowMs, interruptedAt(paused, nowMs)) : paused)
}

/** Resumes the queue for a host (rule O8). */
export function resumeByHost(
  state: PlayoutState,
  { socketId }: CommandOf<'resume-queue'>,
  nowMs: number,
): Decision<'resume-queue'> {
  if (liveRoleOf(state, socketId) !== 'host') return refused(state, 'NOT_LIVE')
  return acceptedBy(resumeQueue(state, nowMs))
}

/** Sets the background music that a host chose (rule O4). */
export function chooseBackground(
  state: PlayoutState,
  { socketId, clipId }: CommandOf<'choose-background'>,
  nowMs: number,
): Decision<'choose-background'> {
  if (liveRoleOf(state, socketId) !== 'host') return refused(state, 'NOT_LIVE')
  const isUsable = state.clips.background.usable[state.mode].some((clip) => clip.id === clipId)
  if (clipId !== null && !isUsable) return refused(state, 'NOT_FOUND')
  return accepted(renewBackground({ ...state, backgroundChoice: clipId }, nowMs))
}

/** Resumes the queue: with the interrupted track if enough of it is left, else as at a track boundary (rule O6). */
export function resumeQueue(state: PlayoutState, nowMs: number): Step {
  if (!state.isPaused) return unchanged(state)
  const { onAir } = state
  const resumed = { ...state, isPaused: false }
  if (onAir.phase !== 'chat') return stepTo(resumed)
  const { entry, interrupted } = onAir
  if (!entry || !interrupted) return goOn(resumed, nowMs)
  const { positionMs, phrase } = interrupted
  if (!isWorthResuming(entry, positionMs)) return goOn(countSong(resumed), nowMs)
  // Rule P4: a phrase that becomes unusable before it begins is not heard.
  const isPhraseHeard =
    phrase &&
    (phrase.fromMs <= positionMs ||
      state.clips.phrases.usable[state.mode].some((clip) => clip.id === phrase.clip.id))
  const song: OnAir = {
    phase: 'track',
    entry,
    startedAtMs: nowMs - positionMs,
    ...(isPhraseHeard && { phrase }),
    resumedAtMs: nowMs,
  }
  return stepTo({ ...resumed, onAir: song })
}

/** Rules O6, R4: true if enough of a track is left after a position. */
export function isWorthResuming(entry: QueueEntry, positionMs: number): boolean {
  const endMs = entry.track.cuePoints?.endMs ?? trackEndMs(entry, 0)
  return endMs - positionMs > WORTH_RESUMING_MS
}

/** The position at which a track that is interrupted now continues later; null for a jingle, which does not. */
function interruptedAt({ onAir, pace }: PlayoutState, nowMs: number): Chat['interrupted'] {
  if (onAir.phase !== 'track') return null
  const { entry, startedAtMs, phrase } = onAir
  // Before its first sound nothing of the track was heard.
  const positionMs = Math.max(leftOutMs(entry, pace), nowMs - startedAtMs)
  return { positionMs, ...(phrase && { phrase }) }
}
