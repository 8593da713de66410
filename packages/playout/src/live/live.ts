import type { Command, CommandOf, FactOf } from '../model/commands/commands.ts'
import { isHost, type LiveEnd, nobodyLive, type Participant } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { accepted, acceptedBy, andThen, type Decision, refused, type Step, stepTo } from '../model/steps.ts'
import { withoutCode } from './access-code.ts'
import { withdraw } from './guests.ts'
import { resumeQueue } from './pause.ts'
import { isHostOnline } from './roster.ts'
import { begin, endSessions, isOf } from './sessions.ts'
import { hasSlot } from './slots.ts'

const MIN_GAIN = 2
const MAX_GAIN = 7
const needHosting = new Set<Command['type']>([
  'go-live',
  'request-guest',
  'connect-guest',
  'enter-by-code',
  'set-code',
])

/** True where a command needs hosting, which is off. */
export function lacksHosting({ hosting }: PlayoutState, { type }: Command): boolean {
  return !hosting.isOn && needHosting.has(type)
}

/** Takes in the hosting settings; where hosting is off, all live sessions, requests and the code end (rule H4). */
export function learnHosting(state: PlayoutState, { hosting }: FactOf<'hosting'>, nowMs: number): Step {
  const informed = { ...state, hosting }
  if (hosting.isOn) return stepTo(informed)
  const ended = andThen(endSessions(informed, isHost, 'kick', nowMs), (state) =>
    endWithoutHosts(state, nowMs),
  )
  return andThen(ended, (state) => stepTo({ ...state, live: { ...nobodyLive, ends: state.live.ends } }))
}

/** Puts an admin on the air, in a slot or, with `takeOver`, in place of another socket of the account (rules H1, H2). */
export function goLive(
  state: PlayoutState,
  { speaker, adminId, login, takeOver }: CommandOf<'go-live'>,
  nowMs: number,
): Decision<'go-live'> {
  const { participants } = state.live
  const own = participants.find(isOf(speaker))
  if (own && !isHost(own)) return refused(state, 'ALREADY_LIVE')
  if (own) return accepted(state, { isNew: false })
  const replaced = participants.find((participant) => participant.adminId === adminId)
  if (replaced && !takeOver) return refused(state, 'LIVE_ELSEWHERE')
  if (!replaced && !hasSlot(state, 'host', speaker.socketId)) return refused(state, 'SLOTS_TAKEN')
  const participant: Participant = {
    ...begin(speaker, login, nowMs),
    role: 'host',
    adminId,
    endsAtMs: null,
    isMuted: replaced?.isMuted ?? false,
  }
  const place = replaced ? participants.indexOf(replaced) : participants.length
  const left = andThen(withdraw(state, isOf(speaker), null), (state) =>
    endSessions(state, (other) => other === replaced, 'session_replaced', nowMs),
  )
  const begun = andThen(left, (state) => {
    const present = state.live.participants.toSpliced(place, 0, participant)
    const live = { ...state.live, participants: present }
    return stepTo({ ...state, live }, [{ type: 'live-started', participant }])
  })
  return acceptedBy(begun, { isNew: true })
}

/** Takes a socket off the air, with its guest request and its approval (rule H3). */
export function leaveLive(
  state: PlayoutState,
  command: CommandOf<'leave-live'>,
  nowMs: number,
): Decision<'leave-live'> {
  const left = end(state, isOf(command), 'self', nowMs)
  return acceptedBy(andThen(left, (state) => withdraw(state, isOf(command), null)))
}

/** Takes all sockets of an API process off the air (rule H3). */
export function leaveWithReplica(
  state: PlayoutState,
  command: CommandOf<'replica-gone'>,
  nowMs: number,
): Decision<'replica-gone'> {
  const isGone = ({ replica }: { replica: string }) => replica === command.replica
  // Requests and approvals end first: no guest is left to be told about them.
  return acceptedBy(andThen(withdraw(state, isGone, null), (state) => end(state, isGone, 'self', nowMs)))
}

/** Switches the microphone of a participant (rule H5). */
export function setMic(state: PlayoutState, { socketId, isOn }: CommandOf<'set-mic'>): Decision<'set-mic'> {
  return changeOwn(state, socketId, { isMicOn: isOn })
}

/** Sets the gain of a participant's microphone (rule H5). */
export function setGain(
  state: PlayoutState,
  { socketId, gain }: CommandOf<'set-gain'>,
): Decision<'set-gain'> {
  return changeOwn(state, socketId, { gain: Math.min(MAX_GAIN, Math.max(MIN_GAIN, gain)) })
}

/** Mutes a participant, who stays on the air (rules H5, H6). */
export function mute(state: PlayoutState, command: CommandOf<'mute'>): Decision<'mute'> {
  const target = targetOf(state, command)
  if (!target) return notFound(state, command)
  const muted = { ...target, isMuted: command.isMuted }
  return accepted(withParticipant(state, muted), { target: muted })
}

/** Takes a participant off the air; kicking a special guest ends the access code (rule H6). */
export function kick(state: PlayoutState, command: CommandOf<'kick'>, nowMs: number): Decision<'kick'> {
  const target = targetOf(state, command)
  if (!target) return notFound(state, command)
  const closed = target.role === 'specialGuest' ? withoutCode(state) : state
  return acceptedBy(end(closed, isOf(target), 'kick', nowMs), { target })
}

/** Takes the ordinary guests of a household off the air, with their requests and approvals (rule H6). */
export function banHousehold(
  state: PlayoutState,
  command: CommandOf<'ban-uid'>,
  nowMs: number,
): Decision<'ban-uid'> {
  const isBanned = ({ uid, role }: { uid: string; role?: Participant['role'] }) =>
    uid === command.uid && (role === undefined || role === 'guest')
  return acceptedBy(andThen(end(state, isBanned, 'ban', nowMs), (state) => withdraw(state, isBanned, {})))
}

/** Takes an ordinary guest off the air for a ban (rule H6). */
export function banGuest(
  state: PlayoutState,
  { targetId }: CommandOf<'ban-guest'>,
  nowMs: number,
): Decision<'ban-guest'> {
  const target = state.live.participants.find(isOf({ socketId: targetId }))
  if (target?.role !== 'guest') return refused(state, 'GUEST_NOT_FOUND')
  return acceptedBy(end(state, isOf(target), 'ban', nowMs), { target })
}

/** Ends some sessions; when the last host leaves, guests, requests, approvals and the pause end too (rule H4). */
function end(
  state: PlayoutState,
  isOver: (participant: Participant) => boolean,
  reason: LiveEnd,
  nowMs: number,
): Step {
  const ended = endSessions(state, isOver, reason, nowMs)
  return isHostOnline(state) && !isHostOnline(ended.state)
    ? andThen(ended, (state) => endWithoutHosts(state, nowMs))
    : ended
}

/** Rule H4: ends all that needs a host. */
function endWithoutHosts(state: PlayoutState, nowMs: number): Step {
  const alone = endSessions(state, () => true, 'no_hosts', nowMs)
  const withdrawn = andThen(alone, (state) => withdraw(state, () => true, { reason: 'no_admin' }))
  return andThen(withdrawn, (state) => resumeQueue(state, nowMs))
}

function changeOwn(
  state: PlayoutState,
  socketId: string,
  change: Partial<Pick<Participant, 'isMicOn' | 'gain'>>,
): Decision<'set-mic' | 'set-gain'> {
  const participant = state.live.participants.find(isOf({ socketId }))
  if (!participant) return refused(state, 'NOT_LIVE')
  return accepted(withParticipant(state, { ...participant, ...change }))
}

function withParticipant(state: PlayoutState, changed: Participant): PlayoutState {
  const participants = state.live.participants.map((participant) =>
    participant.socketId === changed.socketId ? changed : participant,
  )
  return { ...state, live: { ...state.live, participants } }
}

/** The participant that a host or a moderator names; a host can only name a guest. */
function targetOf(
  { live }: PlayoutState,
  { targetId, by }: CommandOf<'mute' | 'kick'>,
): Participant | undefined {
  const target = live.participants.find(isOf({ socketId: targetId }))
  return target && isHost(target) && by === 'host' ? undefined : target
}

const notFound = (state: PlayoutState, { by }: CommandOf<'mute' | 'kick'>) =>
  refused(state, by === 'host' ? 'GUEST_NOT_FOUND' : 'PARTICIPANT_NOT_FOUND')
