import type { Ack } from '@solstice/contracts'
import { apply, type LiveCommand, liveRoster, type Outcome, type PlayoutState } from '@solstice/playout'
import {
  accepted,
  type Bans,
  type Bus,
  cleanNickname,
  dateOf,
  Failure,
  sendCommand,
  type WallClock,
} from '@solstice/station'
import type { Handlers, Visitor } from '../dispatch.ts'
import type { LiveSockets } from './sockets.ts'

/** What a household may ask at a time on one replica. */
const MAX_CONCURRENT = 4
/** Clients subscribe to the roster when they have the answer that they are on the air. */
const ROSTER_AFTER_ANSWER_MS = 120

/** What listeners do to come on the air. @param deps.airNow the air of this moment; null before any state came. */
export function guestHandlers(deps: {
  airNow: () => PlayoutState | null
  clock: WallClock
  bus: Pick<Bus, 'send'>
  bans: Bans
  sockets: LiveSockets
}): Pick<
  Handlers,
  'guest_check_ban' | 'guest_request' | 'guest_connect' | 'guest_leave_live' | 'special_guest_connect'
> {
  const { airNow, clock, bus, bans, sockets } = deps
  /** How many questions of a uid are not answered yet. */
  const asking = new Map<string, number>()

  /** Strangers may ask as often as they like, over as many sockets: a few things at a time are enough. */
  const inTurn = async <T>(who: Visitor, work: () => Promise<T>): Promise<T> => {
    const { uid } = sockets.speakerOf(who)
    const count = asking.get(uid) ?? 0
    if (count === MAX_CONCURRENT) throw new Failure('RATE_LIMITED', { retryAfterSecs: 1 })
    asking.set(uid, count + 1)
    try {
      return await work()
    } finally {
      const left = (asking.get(uid) ?? 1) - 1
      if (left > 0) asking.set(uid, left)
      else asking.delete(uid)
    }
  }
  const refuseBanned = async ({ address }: Visitor) => {
    if (await bans.isBanned(address)) throw new Failure('BANNED')
  }
  const nicknameOf = async (who: Visitor, text: string) => {
    if (who.admin) throw new Failure('FORBIDDEN', { reason: 'is_admin' })
    const nickname = cleanNickname(text)
    if (nickname === '') throw new Failure('BAD_REQUEST', { field: 'nickname', reason: 'missing' })
    await refuseBanned(who)
    return nickname
  }

  const tellRoster = (who: Visitor) => {
    const state = airNow()
    if (state && who.isConnected && who.liveRole) who.send('live_hosts_roster', liveRoster(state))
  }

  type Wish = Extract<LiveCommand, { type: 'request-guest' | 'enter-by-code' }>
  /** The worker decides, but what is sure to be refused, and changes nothing, is kept from it; null when `who` is gone. */
  const ask = async (who: Visitor, command: Wish): Promise<Outcome | null> => {
    const state = airNow()
    const expected = state && apply(state, command, clock.nowMs())
    if (expected && !expected.outcome.ok && expected.state === state) return expected.outcome
    return sockets.begin(who, 'guest') ? bus.send(command) : null
  }

  const request = async (who: Visitor, text: string): Promise<Ack<'guest_request'> | undefined> => {
    const nickname = await nicknameOf(who, text)
    const outcome = await ask(who, { type: 'request-guest', speaker: sockets.speakerOf(who), nickname })
    if (!outcome) return undefined
    if (outcome.ok) return { ok: true }
    const { code, details } = outcome
    if (code !== 'GUEST_REQUEST_REFUSED') throw new Failure(code, details)
    return details?.reason === 'cooldown'
      ? { error: 'cooldown', secsLeft: Number(details.secsLeft) }
      : { error: details?.reason as 'special_guest_active' | 'no_admin' | 'room_full' }
  }

  return {
    guest_check_ban: {
      answer: async ({ address }) => ({ banned: await bans.isBanned(address) }),
    },
    guest_request: {
      answer: (who, { nickname }) => inTurn(who, () => request(who, nickname)),
    },
    guest_connect: {
      answer: (who) =>
        inTurn(who, async () => {
          await refuseBanned(who)
          if (!sockets.roleOf(who)) throw new Failure('GUEST_NOT_APPROVED')
          const { socketId } = who
          const { role, nickname, expiresAtMs } = await sendCommand(bus, { type: 'connect-guest', socketId })
          setTimeout(tellRoster, ROSTER_AFTER_ANSWER_MS, who).unref()
          return { ok: true, role, nickname, expiresAt: dateOf(clock, expiresAtMs) }
        }),
    },
    guest_leave_live: {
      answer(who) {
        if (who.liveRole !== 'host') sockets.end(who)
        return undefined
      },
    },
    special_guest_connect: {
      answer: (who, { code, nickname: text }) =>
        inTurn(who, async () => {
          const nickname = await nicknameOf(who, text)
          const speaker = sockets.speakerOf(who)
          const outcome = await ask(who, { type: 'enter-by-code', speaker, nickname, code: code.trim() })
          if (!outcome) return undefined
          accepted(outcome)
          return { ok: true }
        }),
    },
  }
}
