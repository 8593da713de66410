import {
  type Ack,
  type ClientEventName,
  type ClientPayload,
  clientEvents,
  type ServerEventName,
  type ServerPayload,
} from '@solstice/contracts'
import type { StationClock } from '@solstice/station'
import type { Logger } from 'pino'
import { Compile } from 'typebox/compile'
import type { Tokens } from '../tokens.ts'
import type { Roster } from './roster.ts'
import type { Outlook } from './sync.ts'

/** Events that this process sends: their payloads are those of the contract. */
export type ServerEmits = {
  [E in ServerEventName]: ServerPayload<E> extends undefined
    ? () => void
    : (payload: ServerPayload<E>) => void
}

/** One connected socket, as far as the answers need it. */
export interface Visitor {
  /** As `clientAddress` gives it. */
  readonly address: string
  /** null before `listener_init`. */
  uid: string | null
  tell<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void
}

interface Handler<E extends ClientEventName> {
  /** What the callback gets; without an answer it is not called. */
  answer(who: Visitor, payload: ClientPayload<E>): Ack<E> | undefined
  /** The answer to a payload that is not of the contract's shape; events without one stay silent. */
  refuse?(who: Visitor): Ack<E>
}

type Handlers = { [E in ClientEventName]: Handler<E> }

/** What everyone may ask. */
export function listenerHandlers(deps: {
  tokens: Tokens
  clock: StationClock
  roster: Roster
  outlook: Outlook
  streamMode: boolean
}): Handlers {
  const { tokens, clock, roster, outlook, streamMode } = deps

  /** The first reason that stands against a suggestion, in the contract's order. */
  const refuseSuggestion = (who: Visitor): Ack<'suggest_song'> => {
    if (who.uid === null) return { error: 'no_uid' }
    // Nobody can answer a suggestion yet, so no cooldown ever begins and none is looked up.
    return { error: 'no_admin' }
  }

  return {
    listener_init: {
      answer(who) {
        who.uid = tokens.uidOf(who.address)
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

/** Takes one event of a visitor: `args` are what the client sent, a callback last. Never throws. */
export type Dispatch = (who: Visitor, event: string, args: unknown[]) => void

/**
 * One way in for all events: the payload is held against the contract before the handler sees it.
 *
 * @throws when an event declares no access rule.
 */
export function createDispatch(handlers: Handlers, log: Logger): Dispatch {
  const entries = new Map<string, (who: Visitor, args: unknown[]) => void>()
  for (const event of Object.keys(clientEvents) as ClientEventName[]) {
    entries.set(event, entry(event, handlers[event]))
  }
  return (who, event, args) => {
    try {
      entries.get(event)?.(who, args)
    } catch (error) {
      log.error({ err: error, event }, 'an event could not be answered')
    }
  }
}

/** Lets everybody pass: the only rule so far. A rule that is not listed here lets nobody register. */
const rules: Record<string, true> = { anyone: true }

function entry<E extends ClientEventName>(event: E, handler: Handler<E>) {
  const { access, payload: shape } = clientEvents[event]
  if (!rules[access]) throw new Error(`the event ${event} declares no access rule`)
  const check = shape ? Compile(shape) : null
  return (who: Visitor, args: unknown[]) => {
    const last = args.at(-1)
    const callback = typeof last === 'function' ? (last as (answer: Ack<E>) => void) : null
    const payload = args[0]
    const answer =
      !check || check.Check(payload)
        ? handler.answer(who, payload as ClientPayload<E>)
        : handler.refuse?.(who)
    if (answer !== undefined) callback?.(answer)
  }
}
