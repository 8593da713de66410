import type { Ack } from '@solstice/contracts'
import { type PlayoutState, trackRequestWaitSecs } from '@solstice/playout'
import {
  type Announcer,
  type Bus,
  type DataStore,
  Failure,
  requestTrack,
  type WallClock,
} from '@solstice/station'
import type { Handlers, Visitor } from '../dispatch.ts'
import type { Roster } from '../presence/roster.ts'

/** Cooldown reported when no worker answered, in seconds. */
const RETRY_S = 10

/** Requests of tracks by listeners. @param deps.airNow the air of this moment; null before any state came. */
export function trackRequestHandlers(deps: {
  airNow: () => PlayoutState | null
  clock: WallClock
  roster: Pick<Roster, 'isAdminOnline'>
  data: Pick<DataStore, 'tracks'>
  bus: Pick<Bus, 'send'>
  announcer: Announcer
  suggestCooldownS: number
}): Pick<Handlers, 'suggest_song'> {
  const { airNow, clock, roster, announcer, suggestCooldownS } = deps
  /** Listeners whose request the worker is deciding on. */
  const asking = new Set<string>()

  /** The first reason against any request of a listener, in the contract's order. */
  const obstacle = ({ uid }: Visitor): Ack<'suggest_song'> | null => {
    if (uid === null) return { error: 'no_uid' }
    const state = airNow()
    const waitSecs = state ? trackRequestWaitSecs(state, uid, clock.nowMs()) : 0
    // The first of several concurrent requests will most likely be accepted and start the cooldown.
    const secsLeft = waitSecs || (asking.has(uid) ? Math.max(1, suggestCooldownS) : 0)
    if (secsLeft > 0) return { error: 'cooldown', secsLeft }
    return roster.isAdminOnline ? null : { error: 'no_admin' }
  }

  /** The worker decides, so that requests over several replicas still pass one by one. */
  const request = async (uid: string, socketId: string, id: string): Promise<Ack<'suggest_song'>> => {
    asking.add(uid)
    try {
      const secsLeft = await requestTrack(deps, airNow(), clock.nowMs(), { uid, socketId }, id)
      announcer.tell({ uid }, 'suggest_cooldown_update', secsLeft)
      return { ok: true }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const { code, details } = error
      if (code !== 'SUGGESTION_REFUSED') return { error: 'cooldown', secsLeft: RETRY_S }
      return details.reason === 'cooldown'
        ? { error: 'cooldown', secsLeft: Number(details.secsLeft) }
        : { error: 'not_found' }
    } finally {
      asking.delete(uid)
    }
  }

  return {
    suggest_song: {
      answer: (who, { id }) => obstacle(who) ?? request(who.uid!, who.socketId, id),
      refuse: (who) => obstacle(who) ?? { error: 'not_found' },
    },
  }
}
