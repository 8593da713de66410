import {
  type Ack,
  type ClientEvent,
  type ClientEventName,
  type ClientEvents,
  type ClientPayload,
  type Coded,
  clientEvents,
  coded,
  type EventAccess,
  type FailureCode,
  failureBody,
  type LiveRole,
  type Privilege,
  privileges,
  type ServerEventName,
  type ServerPayload,
} from '@solstice/contracts'
import { type Admin, diskFullAsFailure, Failure, holds } from '@solstice/station'
import type { Logger } from 'pino'
import { Compile } from 'typebox/compile'
import type { Slot } from './presence/roster.ts'

/** Events that this process sends: their payloads are those of the contract. */
export type ServerEmits = {
  [E in ServerEventName]: ServerPayload<E> extends undefined
    ? () => void
    : (payload: ServerPayload<E>) => void
}

/** One connected socket, as far as the answers need it. */
export interface Visitor {
  readonly socketId: string
  /** As `clientAddress` gives it. */
  readonly address: string
  /** The admin token of the cookie that came with the handshake. */
  readonly cookieToken: string | null
  readonly slot: Slot
  readonly isConnected: boolean
  /** null before `listener_init`. */
  uid: string | null
  /** The account that the socket acts for; null for a listener. */
  admin: Admin | null
  /** As what it is on the air now; null = it is not. */
  readonly liveRole: LiveRole | null
  send<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void
  /** To be called when `uid` or `admin` changed: from now on the socket hears what is said to those. */
  updateRooms(): void
}

/** Who a handler has before it: behind the rules for admins there is one. */
type EventCaller<E extends ClientEventName> = ClientEvents[E]['access'] extends 'anyone' | 'live'
  ? Visitor
  : Visitor & { readonly admin: Admin }

type EventAnswer<E extends ClientEventName> = Ack<E> | undefined

export interface Handler<E extends ClientEventName> {
  /**
   * What the callback gets; without an answer it is not called.
   * @throws Failure which is told, to a listener where the callback takes it; any other error is logged.
   */
  answer(who: EventCaller<E>, payload: ClientPayload<E>): EventAnswer<E> | Promise<EventAnswer<E>>
  /** The answer to a payload that is not of the contract's shape, when there is a better one than the general refusal. */
  refuse?(who: EventCaller<E>, payload: unknown): EventAnswer<E>
  /** This station does not have what the event is for: it is refused. */
  isOff?: boolean
  /** The code under which an admin is told of a failure that is not of the event itself; the text is that of the cause. */
  failsAs?: FailureCode
}

export type Handlers = { [E in ClientEventName]: Handler<E> }

/**
 * Takes one event of a visitor: `args` are what the client sent, a callback last. Never throws or rejects.
 *
 * @param hindrance why the event is not carried out, whatever it asks for: admins are told, listeners are not.
 */
export type Dispatch = (who: Visitor, event: string, args: unknown[], hindrance?: Failure) => Promise<void>

type Entry = (who: Visitor, args: unknown[], hindrance?: Failure) => Promise<void>

/**
 * One way in for all events: who sends it is held against the rule, the payload against the contract, before the
 * handler sees it.
 *
 * @throws when an event declares no access rule, or one that is not known.
 */
export function createDispatch(handlers: Handlers, log: Logger): Dispatch {
  const entries = new Map<string, Entry>()
  for (const event of Object.keys(clientEvents) as ClientEventName[]) {
    entries.set(event, entry(event, handlers[event], log))
  }
  return async (who, event, args, hindrance) => {
    try {
      await entries.get(event)?.(who, args, hindrance)
    } catch (error) {
      log.error({ err: error, event }, 'an event could not be answered')
    }
  }
}

function entry<E extends ClientEventName>(event: E, handler: Handler<E>, log: Logger): Entry {
  const { access, payload: shape, ack }: ClientEvent = clientEvents[event]
  const isForAdmins = typeof access === 'object' || access === 'admin' || access === 'host'
  const judge = judgeOf(access)
  const check = shape ? Compile(shape) : null
  // Listeners are told of a refusal where the contract says so.
  const tellsListeners = ack !== null && Compile(ack).Check({ error: codedFailure(null) })
  // Clients leave out a payload of which nothing is required, or send null for it.
  const absent = check?.Check({}) ? {} : undefined
  const { failsAs } = handler
  const malformed = { ...codedFailure(badRequest(event)), ...(failsAs && !ack && { code: failsAs }) }

  return async (who: Visitor, args: unknown[], hindrance?: Failure) => {
    const last = args.at(-1)
    const callback = ack && typeof last === 'function' ? (last as (answer: unknown) => void) : null
    const isAdmin = who.admin !== null
    /** Nothing that an admin sends is met with silence. */
    const refuse = (error: Coded) => {
      if (callback && (isAdmin || tellsListeners)) callback({ error })
      else if (isAdmin) who.send('admin_error', JSON.stringify(error))
    }
    const verdict = judge(who)
    if (verdict === 'ignore') return
    if (hindrance) return isAdmin ? refuse(codedFailure(hindrance)) : undefined
    if (verdict === 'refuse') return refuse(coded('INSUFFICIENT_PRIVILEGES'))
    const caller = who as EventCaller<E>
    const payload = typeof args[0] === 'function' ? absent : (args[0] ?? absent)
    const isWellFormed = !check || check.Check(payload)
    const refusal = handler.isOff ? switchedOff : verdict === 'not-live' && isWellFormed ? notLive : null
    // What comes too late from somebody who was on the air, like the last pieces of a recording, is dropped.
    if (refusal)
      return isForAdmins ? refuse(codedFailure(refusal)) : callback?.({ error: codedFailure(refusal) })
    if (!isWellFormed && !handler.refuse) return refuse(malformed)

    try {
      const answer = isWellFormed
        ? await handler.answer(caller, payload as ClientPayload<E>)
        : handler.refuse?.(caller, payload)
      if (answer !== undefined) callback?.(answer)
    } catch (thrown) {
      const error = diskFullAsFailure(thrown)
      const isFailure = error instanceof Failure
      if (!isFailure) log.error({ err: error, event }, 'an event could not be answered')
      const told = codedFailure(error)
      refuse(failsAs && isElsewhere(told) ? { ...told, code: failsAs } : told)
    }
  }
}

const badRequest = (field: string) => new Failure('BAD_REQUEST', { field, reason: 'bad_request' })
const switchedOff = new Failure('FEATURE_UNAVAILABLE', { capability: 'radioHosts' })
const notLive = new Failure('NOT_LIVE')

const isElsewhere = ({ code }: Coded) =>
  code === 'AIR_UNAVAILABLE' || code === 'DATA_UNAVAILABLE' || code === 'INTERNAL'

/** What an admin is told of an error: a `Failure` as it is, anything else as an internal one. */
export function codedFailure(error: unknown): Coded {
  const { code, details } = error instanceof Failure ? error : new Failure('INTERNAL')
  const body = failureBody(code, details)
  return typeof body.error === 'string' ? codedFailure(null) : body.error
}

type Judge = (who: Pick<Visitor, 'admin' | 'liveRole'>) => 'pass' | 'ignore' | 'refuse' | 'not-live'

/**
 * What an access rule says to a socket: whoever is no admin is not even answered by events for admins.
 *
 * @throws when there is no such rule, so that nothing is let in by mistake.
 */
export function judgeOf(access: EventAccess): Judge {
  switch (access) {
    case 'anyone':
      return () => 'pass'
    case 'live':
      return ({ liveRole }) => (liveRole ? 'pass' : 'not-live')
    case 'host':
      return ({ liveRole, admin }) => {
        if (!admin) return 'ignore'
        if (!admin.authorized) return 'refuse'
        return liveRole === 'host' ? 'pass' : 'not-live'
      }
    case 'admin':
      return judgeAdmin(() => true)
  }
  const needed = access && ('all' in access ? access.all : access.any)
  if (!needed?.length || !needed.every((privilege) => privileges.includes(privilege)))
    throw new Error(`no access rule for an event: ${JSON.stringify(access)}`)
  return judgeAdmin((admin) => {
    const isHeld = (privilege: Privilege) => holds(admin, privilege)
    return 'all' in access ? needed.every(isHeld) : needed.some(isHeld)
  })
}

function judgeAdmin(isAllowed: (admin: Admin) => boolean): Judge {
  return ({ admin }) => {
    if (!admin) return 'ignore'
    return admin.authorized && isAllowed(admin) ? 'pass' : 'refuse'
  }
}
