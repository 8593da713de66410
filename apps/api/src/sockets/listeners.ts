import type { Ack } from '@solstice/contracts'
import type { StationClock } from '@solstice/station'
import type { Tokens } from '../tokens.ts'
import type { Handlers, Visitor } from './dispatch.ts'
import type { Roster } from './roster.ts'
import type { Outlook } from './sync.ts'

/** What everyone may ask. */
export function listenerHandlers(deps: {
  tokens: Tokens
  clock: StationClock
  roster: Roster
  outlook: Outlook
  streamMode: boolean
}): Pick<Handlers, 'listener_init' | 'suggest_song' | 'stream_get_seek' | 'stream_ping'> {
  const { tokens, clock, roster, outlook, streamMode } = deps

  /** The first reason that stands against a suggestion, in the contract's order. */
  const refuseSuggestion = (who: Visitor): Ack<'suggest_song'> => {
    if (who.uid === null) return { error: 'no_uid' }
    // Suggestions are not passed on to admins yet. So also while one is online nobody is there who could answer, no
    // cooldown ever begins, and none is looked up.
    return { error: 'no_admin' }
  }

  return {
    listener_init: {
      answer(who) {
        who.uid = tokens.uidOf(who.address)
        who.tuneIn()
        const { token, expiresIn } = tokens.issueArtToken(who.uid, clock.nowMs())
        const life = { artToken: token, artTokenExpiresIn: expiresIn }
        who.tell('listener_uid', { uid: who.uid, ...life, cooldownSecsLeft: 0 })
        who.tell('usersUpdate', roster.list())
        return undefined
      },
    },
    suggest_song: { answer: refuseSuggestion, refuse: refuseSuggestion },
    stream_get_seek: {
      answer() {
        if (!streamMode) return undefined
        const { seek, duration, track } = outlook()
        return { seek, duration, trackId: track }
      },
    },
    stream_ping: {
      answer: (_, clientTs) => ({ serverTs: Math.round(clock.nowMs()), clientTs }),
    },
  }
}
