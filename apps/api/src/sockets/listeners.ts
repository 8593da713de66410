import type { Ack } from '@solstice/contracts'
import { cooldownSecsLeft, type PlayoutState, suggestWaitSecs } from '@solstice/playout'
import {
  type Announcer,
  type Bus,
  type DataStore,
  dateNow,
  Failure,
  suggestSong,
  type WallClock,
} from '@solstice/station'
import type { AudibleAir } from '../air/audible.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { BatchedReplies } from './batched-replies.ts'
import type { Handlers, Visitor } from './dispatch.ts'
import type { Roster } from './presence/roster.ts'
import { chatStart } from './stream-events.ts'
import type { SyncPayload } from './sync.ts'

/** Who could not be served because the air is away may ask again after so long. */
const RETRY_S = 10

/** What everyone may ask. @param deps.airNow the air of this moment; null before any state came. */
export function listenerHandlers(deps: {
  airNow: () => PlayoutState | null
  air: Pick<AudibleAir, 'state'>
  tokens: Tokens
  clock: WallClock
  roster: Pick<Roster, 'isAdminOnline'>
  rosterReplies: Pick<BatchedReplies, 'ask'>
  syncPayload: SyncPayload
  data: Pick<DataStore, 'tracks'>
  bus: Pick<Bus, 'send'>
  announcer: Announcer
  streamMode: boolean
  suggestCooldownS: number
}): Pick<Handlers, 'listener_init' | 'suggest_song' | 'stream_get_seek' | 'stream_ping'> {
  const { airNow, air, tokens, clock, roster, rosterReplies, syncPayload, announcer, streamMode } = deps
  /** Listeners whose request is being decided on by the worker. */
  const asking = new Set<string>()

  /** The first reason that stands against whatever a listener asks for, in the contract's order. */
  const obstacle = ({ uid }: Visitor): Ack<'suggest_song'> | null => {
    if (uid === null) return { error: 'no_uid' }
    const state = airNow()
    const waitSecs = state ? suggestWaitSecs(state, uid, clock.nowMs()) : 0
    // Of several at a time the first will most likely be taken in: so long the others would have to wait.
    const secsLeft = waitSecs || (asking.has(uid) ? Math.max(1, deps.suggestCooldownS) : 0)
    if (secsLeft > 0) return { error: 'cooldown', secsLeft }
    return roster.isAdminOnline ? null : { error: 'no_admin' }
  }

  /** The worker decides, so that of several replicas only one gets through. */
  const suggest = async (uid: string, socketId: string, id: string): Promise<Ack<'suggest_song'>> => {
    asking.add(uid)
    try {
      const secsLeft = await suggestSong(deps, airNow(), clock.nowMs(), { uid, socketId }, id)
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
    listener_init: {
      answer(who) {
        who.uid = tokens.uidOf(who.address)
        who.updateRooms()
        const nowMs = clock.nowMs()
        const { token, expiresIn } = tokens.issueArtToken(who.uid, nowMs)
        const life = { artToken: token, artTokenExpiresIn: expiresIn }
        const state = airNow()
        const secsLeft = state ? cooldownSecsLeft(state, who.uid, nowMs) : 0
        who.send('listener_uid', { uid: who.uid, ...life, cooldownSecsLeft: secsLeft })
        rosterReplies.ask(who.socketId)
        const chat = air.state && chatStart(air.state, clock.aheadMs())
        if (chat) who.send('stream_chat_mode_start', chat)
        return undefined
      },
    },
    suggest_song: {
      answer: (who, { id }) => obstacle(who) ?? suggest(who.uid!, who.socketId, id),
      refuse: (who) => obstacle(who) ?? { error: 'not_found' },
    },
    stream_get_seek: {
      answer() {
        if (!streamMode) return undefined
        const { seek, duration, track } = syncPayload()
        return { seek, duration, trackId: track }
      },
    },
    stream_ping: {
      answer: (_, clientTs) => ({ serverTs: dateNow(clock), clientTs }),
    },
  }
}
