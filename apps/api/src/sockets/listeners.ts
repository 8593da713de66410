import { type PlayoutState, trackRequestCooldownSecsLeft } from '@solstice/playout'
import { dateNow, type WallClock } from '@solstice/station'
import type { AudibleAir } from '../air/audible.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { BatchedReplies } from './batched-replies.ts'
import { chatStart } from './broadcast/stream-events.ts'
import type { SyncPayload } from './broadcast/sync.ts'
import type { Handlers } from './dispatch.ts'

/** The events that every client may send. @param deps.airNow the air of this moment; null before any state came. */
export function listenerHandlers(deps: {
  airNow: () => PlayoutState | null
  air: Pick<AudibleAir, 'state'>
  tokens: Tokens
  clock: WallClock
  rosterReplies: Pick<BatchedReplies, 'ask'>
  syncPayload: SyncPayload
  streamMode: boolean
}): Pick<Handlers, 'listener_init' | 'stream_get_seek' | 'stream_ping'> {
  const { airNow, air, tokens, clock, rosterReplies, syncPayload, streamMode } = deps
  return {
    listener_init: {
      answer(who) {
        who.uid = tokens.uidOf(who.address)
        who.updateRooms()
        const nowMs = clock.nowMs()
        const { token, expiresIn } = tokens.issueArtToken(who.uid, nowMs)
        const life = { artToken: token, artTokenExpiresIn: expiresIn }
        const state = airNow()
        const secsLeft = state ? trackRequestCooldownSecsLeft(state, who.uid, nowMs) : 0
        who.send('listener_uid', { uid: who.uid, ...life, cooldownSecsLeft: secsLeft })
        rosterReplies.ask(who.socketId)
        const chat = air.state && chatStart(air.state, clock.aheadMs())
        if (chat) who.send('stream_chat_mode_start', chat)
        return undefined
      },
    },
    stream_get_seek: {
      answer() {
        if (!streamMode) return undefined
        const { seek, duration, track } = syncPayload()
        return { seek, duration, trackId: track }
      },
    },
    stream_ping: { answer: (_, clientTs) => ({ serverTs: dateNow(clock), clientTs }) },
  }
}
