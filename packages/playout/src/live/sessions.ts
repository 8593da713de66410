import type { Effect } from '../model/commands/commands.ts'
import type { LiveEnd, Participant, Speaker } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { type Step, stepTo, unchanged } from '../model/steps.ts'

/** The gain of a microphone that nobody has changed. */
export const DEFAULT_GAIN = 5
/** Replicas read the last ends to tell clients why they went off the air. */
const MAX_ENDS = 20

/** A participant at the moment of coming on the air (rule H5). */
export function begin({ socketId, replica, uid, address }: Speaker, name: string, nowMs: number) {
  const silent = { isMicOn: false, gain: DEFAULT_GAIN, isMuted: false }
  return { socketId, replica, uid, address, name, ...silent, sinceMs: nowMs }
}

/** Takes participants off the air. The reason stays in the state, from which the replicas tell their clients. */
export function endSessions(
  state: PlayoutState,
  isOver: (participant: Participant) => boolean,
  reason: LiveEnd,
  atMs: number,
): Step {
  const { live } = state
  const over = live.participants.filter(isOver)
  if (over.length === 0) return unchanged(state)
  const participants = live.participants.filter((participant) => !over.includes(participant))
  const ends = [...live.ends, ...over.map(({ socketId }) => ({ socketId, reason }))].slice(-MAX_ENDS)
  return stepTo(
    { ...state, live: { ...live, participants, ends } },
    over.map((participant): Effect => ({ type: 'live-ended', participant, reason, atMs })),
  )
}

/** A test for the same socket. */
export const isOf =
  ({ socketId }: Pick<Speaker, 'socketId'>) =>
  (other: Speaker) =>
    other.socketId === socketId
