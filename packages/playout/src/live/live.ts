import type { Command, Outcome, Step } from '../model/commands.ts'
import type { HostingFact, LiveCommand } from '../model/live-commands.ts'
import { isHost, type LiveEnd, nobodyLive, type Participant } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import {
  answerGuest,
  begin,
  connectGuest,
  ended,
  enterByCode,
  isOf,
  noted,
  refused,
  requestGuest,
  setCode,
  withdraw,
} from './guests.ts'
import { resumeQueue } from './pause.ts'
import { isHostOnline } from './roster.ts'
import { hasSlot } from './slots.ts'

const MIN_GAIN = 2
const MAX_GAIN = 7
const needsHosting = new Set<LiveCommand['type']>([
  'go-live',
  'request-guest',
  'connect-guest',
  'enter-by-code',
  'set-code',
])

type Of<T extends Command['type']> = Extract<Command, { type: T }>
type Answered = Step & { outcome: Outcome }

type PeopleCommand = Exclude<LiveCommand, { type: 'pause-queue' | 'resume-queue' | 'choose-background' }>

/** Applies a command about people on the air (rules H). */
export function applyLive(state: PlayoutState, command: PeopleCommand, nowMs: number): Answered {
  return noted(carryOut(state, command, nowMs))
}

function carryOut(state: PlayoutState, command: PeopleCommand, nowMs: number): Answered {
  if (!state.hosting.isOn && needsHosting.has(command.type))
    return refused(state, 'FEATURE_UNAVAILABLE', { capability: 'radioHosts' })
  switch (command.type) {
    case 'go-live':
      return goLive(state, command, nowMs)
    case 'leave-live': {
      const left = end(state, isOf(command), 'self', nowMs)
      return done(andThen(left, (state) => withdraw(state, isOf(command), null)))
    }
    case 'replica-gone': {
      const isGone = ({ replica }: { replica: string }) => replica === command.replica
      // Requests and approvals end first: no guest is left to be told about them.
      return done(andThen(withdraw(state, isGone, null), (state) => end(state, isGone, 'self', nowMs)))
    }
    case 'set-mic':
      return changeOwn(state, command.socketId, { isMicOn: command.isOn })
    case 'set-gain':
      return changeOwn(state, command.socketId, {
        gain: Math.min(MAX_GAIN, Math.max(MIN_GAIN, command.gain)),
      })
    case 'mute': {
      const target = targetOf(state, command)
      if (!target) return notFound(state, command)
      const muted = { ...target, isMuted: command.isMuted }
      return { state: withParticipant(state, muted), effects: [], outcome: { ok: true, target: muted } }
    }
    case 'kick':
      return kick(state, command, nowMs)
    case 'ban-uid': {
      const isBanned = ({ uid, role }: { uid: string; role?: Participant['role'] }) =>
        uid === command.uid && (role === undefined || role === 'guest')
      return done(andThen(end(state, isBanned, 'ban', nowMs), (state) => withdraw(state, isBanned, {})))
    }
    case 'ban-guest': {
      const target = state.live.participants.find(({ socketId }) => socketId === command.targetId)
      if (target?.role !== 'guest') return refused(state, 'GUEST_NOT_FOUND')
      const step = end(state, isOf(target), 'ban', nowMs)
      return { ...step, outcome: { ok: true, target } }
    }
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
    case 'forget-code': {
      const { live } = state
      const isThere = live.code?.code === command.code
      return done({ state: isThere ? { ...state, live: { ...live, code: null } } : state, effects: [] })
    }
  }
}

/** Takes in the hosting settings; where hosting is off, all live sessions, requests and the code end (rule H4). */
export function learnHosting(state: PlayoutState, { hosting }: HostingFact, nowMs: number): Step {
  const informed = { ...state, hosting }
  if (hosting.isOn) return { state: informed, effects: [] }
  const { state: emptied, effects } = andThen(end(informed, isHost, 'kick', nowMs), (state) =>
    endWithoutHosts(state, nowMs),
  )
  const { ends } = emptied.live
  return noted({ state: { ...emptied, live: { ...nobodyLive, ends } }, effects })
}

/** Rules H1, H2: puts an admin on the air, in a slot or, with `takeOver`, in place of another socket of the account. */
function goLive(
  state: PlayoutState,
  { speaker, adminId, login, takeOver }: Of<'go-live'>,
  nowMs: number,
): Step & { outcome: Outcome<'go-live'> } {
  const { participants } = state.live
  const own = participants.find(isOf(speaker))
  if (own && !isHost(own)) return refused(state, 'ALREADY_LIVE')
  if (own) return { state, effects: [], outcome: { ok: true, isNew: false } }
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
  const { state: free } = withdraw(state, isOf(speaker), null)
  const present = replaced
    ? participants.with(participants.indexOf(replaced), participant)
    : [...participants, participant]
  return {
    state: { ...free, live: { ...free.live, participants: present } },
    effects: [
      ...(replaced ? [ended(replaced, 'session_replaced', nowMs)] : []),
      { type: 'live-started', participant },
    ],
    outcome: { ok: true, isNew: true },
  }
}

/** Rule H6: takes a participant off the air; kicking a special guest ends the access code. */
function kick(state: PlayoutState, command: Of<'kick'>, nowMs: number): Answered {
  const target = targetOf(state, command)
  if (!target) return notFound(state, command)
  const { live } = state
  const closed = target.role === 'specialGuest' ? { ...state, live: { ...live, code: null } } : state
  return { ...end(closed, isOf(target), 'kick', nowMs), outcome: { ok: true, target } }
}

/** Ends some sessions; when the last host leaves, guests, requests, approvals and the pause end too (rule H4). */
function end(
  state: PlayoutState,
  isOver: (participant: Participant) => boolean,
  reason: LiveEnd,
  nowMs: number,
): Step {
  const over = state.live.participants.filter(isOver)
  if (over.length === 0) return { state, effects: [] }
  const participants = state.live.participants.filter((participant) => !isOver(participant))
  const left: Step = {
    state: { ...state, live: { ...state.live, participants } },
    effects: over.map((participant) => ended(participant, reason, nowMs)),
  }
  return over.some(isHost) && !isHostOnline(left.state)
    ? andThen(left, (state) => endWithoutHosts(state, nowMs))
    : left
}

/** Rule H4: ends all that needs a host. */
function endWithoutHosts(state: PlayoutState, nowMs: number): Step {
  const { participants } = state.live
  const alone: Step = {
    state: { ...state, live: { ...state.live, participants: [] } },
    effects: participants.map((participant) => ended(participant, 'no_hosts', nowMs)),
  }
  const withdrawn = andThen(alone, (state) => withdraw(state, () => true, { reason: 'no_admin' }))
  return andThen(withdrawn, (state) => resumeQueue(state, nowMs))
}

function changeOwn(
  state: PlayoutState,
  socketId: string,
  change: Partial<Pick<Participant, 'isMicOn' | 'gain'>>,
): Answered {
  const participant = state.live.participants.find(isOf({ socketId }))
  if (!participant) return refused(state, 'NOT_LIVE')
  return done({ state: withParticipant(state, { ...participant, ...change }), effects: [] })
}

function withParticipant(state: PlayoutState, changed: Participant): PlayoutState {
  const participants = state.live.participants.map((participant) =>
    participant.socketId === changed.socketId ? changed : participant,
  )
  return { ...state, live: { ...state.live, participants } }
}

/** The participant that a host or a moderator names; a host can only name a guest. */
function targetOf({ live }: PlayoutState, { targetId, by }: Of<'mute' | 'kick'>): Participant | undefined {
  const target = live.participants.find(isOf({ socketId: targetId }))
  return target && isHost(target) && by === 'host' ? undefined : target
}

const notFound = (state: PlayoutState, { by }: Of<'mute' | 'kick'>) =>
  refused(state, by === 'host' ? 'GUEST_NOT_FOUND' : 'PARTICIPANT_NOT_FOUND')

const done = (step: Step): Answered => ({ ...step, outcome: { ok: true } })

function andThen({ state, effects }: Step, follow: (state: PlayoutState) => Step): Step {
  const next = follow(state)
  return { state: next.state, effects: [...effects, ...next.effects] }
}
