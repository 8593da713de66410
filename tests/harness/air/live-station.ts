import {
  apply,
  type Command,
  type Effect,
  type Hosting,
  initialState,
  learn,
  type PlayoutState,
  type Step,
} from '@solstice/playout'
import { alwaysDay, HOUR, NOON } from './programme.ts'

export const SECOND = 1_000

export const MINUTE = 60 * SECOND

export const hosting: Hosting = {
  isOn: true,
  slots: 4,
  guestRequestExpiryMs: MINUTE,
  guestCooldownMs: 10 * MINUTE,
  guestMs: 15 * MINUTE,
  specialGuestMs: HOUR,
}

export function hostingStation(
  settings: Partial<Hosting> = {},
  state = initialState(7, 'sound', alwaysDay, NOON),
) {
  return learn(state, { type: 'hosting', hosting: { ...hosting, ...settings } }, NOON).state
}

export const speaker = (
  name: string,
  { replica = 'api 1', address = `address of ${name}`, uid = `uid of ${name}` } = {},
) => ({ socketId: `socket of ${name}`, replica, uid, address })

export const socket = (name: string) => speaker(name).socketId

export const goLive = (name: string, adminId = `account of ${name}`, takeOver = false): Command => ({
  type: 'go-live',
  speaker: speaker(name),
  adminId,
  login: name,
  takeOver,
})

export const ask = (name: string, from: Parameters<typeof speaker>[1] = {}): Command => ({
  type: 'request-guest',
  speaker: speaker(name, from),
  nickname: name,
})

export const decide = (name: string, action: 'accept' | 'reject'): Command => ({
  type: 'answer-guest',
  uid: speaker(name).uid,
  action,
})

export const connect = (name: string): Command => ({ type: 'connect-guest', socketId: socket(name) })

export const leave = (name: string): Command => ({ type: 'leave-live', socketId: socket(name) })

export const setCode = (
  code: string | null,
  more: { isReplacing?: boolean; lifeMs?: number } = {},
): Command => ({
  type: 'set-code',
  code,
  lifeMs: 8 * HOUR,
  isReplacing: false,
  ...more,
})

export const enter = (name: string, code: string, uid?: string): Command => ({
  type: 'enter-by-code',
  speaker: speaker(name, { uid }),
  nickname: name,
  code,
})

export const kick = (name: string, by: 'host' | 'moderator' = 'moderator'): Command => ({
  type: 'kick',
  targetId: socket(name),
  by,
})

export const mute = (name: string, by: 'host' | 'moderator' = 'moderator', isMuted = true): Command => ({
  type: 'mute',
  targetId: socket(name),
  isMuted,
  by,
})

export const ban = (name: string): Command => ({ type: 'ban-uid', uid: speaker(name).uid })

/** One command after the other, none refused. */
export function after(state: PlayoutState, commands: Command[], nowMs = NOON): PlayoutState {
  for (const command of commands) {
    const step = apply(state, command, nowMs)
    if (!step.outcome.ok)
      throw new Error(`${JSON.stringify(command)} refused: ${JSON.stringify(step.outcome)}`)
    state = step.state
  }
  return state
}

export const guestOnAir = (name: string) => [ask(name), decide(name, 'accept'), connect(name)]

export const names = ({ live }: PlayoutState) => live.participants.map(({ name }) => name)

export const asking = ({ live }: PlayoutState) => live.requests.map(({ nickname }) => nickname)

export const expected = ({ live }: PlayoutState) => live.approvals.map(({ nickname }) => nickname)

export function refusal({ outcome }: ReturnType<typeof apply>) {
  return outcome.ok ? null : [outcome.code, ...Object.values(outcome.details ?? {})].join(' ')
}

export const refusalOf = (state: PlayoutState, command: Command, nowMs = NOON) =>
  refusal(apply(state, command, nowMs))

/** A short form of the effects: who began, who ended and why, who was answered what. */
export function told({ effects }: Step): string[] {
  return effects.flatMap((effect: Effect) => {
    switch (effect.type) {
      case 'live-started':
        return [`${effect.participant.name} began`]
      case 'live-ended':
        return [`${effect.participant.name} ended: ${effect.reason}`]
      case 'guest-answered': {
        const { result } = effect
        const answer = result.accepted ? 'yes' : (result.reason ?? (result.auto ? 'late' : 'no'))
        return [`${effect.socketId}: ${answer}`]
      }
      default:
        return []
    }
  })
}
