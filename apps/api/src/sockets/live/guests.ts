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

/** Concurrent requests of one household on one replica. */
const MAX_CONCURRENT = 4
/** Clients subscribe to the roster once they have the answer that they are on the air. */
const ROSTER_AFTER_ANSWER_MS = 120

/** How listeners come on the air as guests. @param deps.airNow the air of this moment; null before any state came. */
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
  // Strangers may ask over any number of sockets.
  const limited = limitConcurrency(MAX_CONCURRENT)
  const uidOf = (who: Visitor) => sockets.speakerOf(who).uid

  const tellRoster = (who: Visitor) => {
    const state = airNow()
    if (state && who.isConnected && who.liveRole) who.send('live_hosts_roster', liveRoster(state))
  }

  /**
   * Asks the worker, unless the command is sure to be refused and to change nothing; null when `who` is gone.
   */
  const ask = async (
    who: Visitor,
    command: Extract<LiveCommand, { type: 'request-guest' | 'enter-by-code' }>,
  ): Promise<Outcome | null> => {
    const state = airNow()
    const expected = state && apply(state, command, clock.nowMs())
    if (expected && !expected.outcome.ok && expected.state === state) return expected.outcome
    return sockets.begin(who, 'guest') ? bus.send(command) : null
  }

  const request = async (who: Visitor, text: string): Promise<Ack<'guest_request'> | undefined> => {
    const nickname = await nicknameOf(who, text, bans)
    const outcome = await ask(who, { type: 'request-guest', speaker: sockets.speakerOf(who), nickname })
    if (!outcome) return undefined
    if (outcome.ok) return { ok: true }
    const { code, details } = outcome
    if (code !== 'GUEST_REQUEST_REFUSED') throw new Failure(code, details)
    return details?.reason === 'cooldown'
      ? { error: 'cooldown', secsLeft: Number(details.secsLeft) }
      : { error: details?.reason as 'special_guest_active' | 'no_admin' | 'room_full' }
  }

  const connect = async (who: Visitor): Promise<Ack<'guest_connect'>> => {
    await refuseBanned(who, bans)
    if (!sockets.roleOf(who)) throw new Failure('GUEST_NOT_APPROVED')
    const command = { type: 'connect-guest', socketId: who.socketId } as const
    const { role, nickname, expiresAtMs } = await sendCommand(bus, command)
    setTimeout(tellRoster, ROSTER_AFTER_ANSWER_MS, who).unref()
    return { ok: true, role, nickname, expiresAt: dateOf(clock, expiresAtMs) }
  }

  const enterByCode = async (who: Visitor, code: string, text: string) => {
    const nickname = await nicknameOf(who, text, bans)
    const speaker = sockets.speakerOf(who)
    const outcome = await ask(who, { type: 'enter-by-code', speaker, nickname, code: code.trim() })
    if (!outcome) return undefined
    accepted(outcome)
    return { ok: true as const }
  }

  return {
    guest_check_ban: { answer: async ({ address }) => ({ banned: await bans.isBanned(address) }) },
    guest_request: { answer: (who, { nickname }) => limited(uidOf(who), () => request(who, nickname)) },
    guest_connect: { answer: (who) => limited(uidOf(who), () => connect(who)) },
    guest_leave_live: {
      answer(who) {
        if (who.liveRole !== 'host') sockets.end(who)
        return undefined
      },
    },
    special_guest_connect: {
      answer: (who, { code, nickname }) => limited(uidOf(who), () => enterByCode(who, code, nickname)),
    },
  }
}

async function refuseBanned({ address }: Visitor, bans: Bans): Promise<void> {
  if (await bans.isBanned(address)) throw new Failure('BANNED')
}

/** @throws Failure for admins, without a visible name, and for banned addresses. */
async function nicknameOf(who: Visitor, text: string, bans: Bans): Promise<string> {
  if (who.admin) throw new Failure('FORBIDDEN', { reason: 'is_admin' })
  const nickname = cleanNickname(text)
  if (nickname === '') throw new Failure('BAD_REQUEST', { field: 'nickname', reason: 'missing' })
  await refuseBanned(who, bans)
  return nickname
}

/** Runs at most `max` pieces of work per key at a time. @throws Failure RATE_LIMITED for more */
function limitConcurrency(max: number): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, number>()
  return async (key, work) => {
    const count = running.get(key) ?? 0
    if (count === max) throw new Failure('RATE_LIMITED', { retryAfterSecs: 1 })
    running.set(key, count + 1)
    try {
      return await work()
    } finally {
      const left = (running.get(key) ?? 1) - 1
      if (left > 0) running.set(key, left)
      else running.delete(key)
    }
  }
}
