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
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { Slot } from './presence/roster.ts'

/** The events that this process emits, with the payloads of the contract. */
export type ServerEmits = {
  [E in ServerEventName]: ServerPayload<E> extends undefined
    ? () => void
    : (payload: ServerPayload<E>) => void
}

/** One connected socket, as handlers see it. */
export interface Visitor {
  readonly socketId: string
  /** See `clientAddress`. */
  readonly address: string
  /** The admin token in the cookie of the handshake. */
  readonly cookieToken: string | null
  readonly slot: Slot
  readonly isConnected: boolean
  /** null before `listener_init`. */
  uid: string | null
  /** The account of the socket; null for a listener. */
  admin: Admin | null
  /** Its role on the air; null when it is not on the air. */
  readonly liveRole: LiveRole | null
  send<E extends ServerEventName>(event: E, payload: ServerPayload<E>): void
  /** To be called when `uid` or `admin` changed: joins the rooms of its audiences, and leaves others. */
  updateRooms(): void
}

/** The socket as a handler gets it: after an access rule for admins it has an account. */
type EventCaller<E extends ClientEventName> = ClientEvents[E]['access'] extends 'anyone' | 'live'
  ? Visitor
  : Visitor & { readonly admin: Admin }

type EventAnswer<E extends ClientEventName> = Ack<E> | undefined

export interface Handler<E extends ClientEventName> {
  /**
   * Returns the argument of the callback; `undefined` does not call it.
   *
   * @throws Failure which is sent to the client, to a listener only where the callback takes it. Other errors are logged.
   */
  answer(who: EventCaller<E>, payload: ClientPayload<E>): EventAnswer<E> | Promise<EventAnswer<E>>
  /** Answers a payload of the wrong shape, where there is a better answer than the general refusal. */
  refuse?(who: EventCaller<E>, payload: unknown): EventAnswer<E>
  /** Refuses the event, because its feature is off. */
  isOff?: boolean
  /** The code that replaces those of general failures, such as a store that is away, in what an admin is told. */
  failsAs?: FailureCode
}

export type Handlers = { [E in ClientEventName]: Handler<E> }

/**
 * Handles one event: `args` are what the client sent, a callback last. Never throws or rejects.
 *
 * @param hindrance a reason to refuse the event whatever it asks for; sent to admins only.
 */
export type Dispatch = (who: Visitor, event: string, args: unknown[], hindrance?: Failure) => Promise<void>

type Entry = (who: Visitor, args: unknown[], hindrance?: Failure) => Promise<void>

/**
 * The entry point of all events: checks the sender against the access rule and the payload against the contract before the
 * handler runs.
 *
 * @throws when an event declares no access rule, or an unknown one.
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
      log.error({ err: error, event }, 'event failed')
    }
  }
}

function entry<E extends ClientEventName>(event: E, handler: Handler<E>, log: Logger): Entry {
  const { access, payload: shape, ack }: ClientEvent = clientEvents[event]
  const isForAdmins = typeof access === 'object' || access === 'admin' || access === 'host'
  const judge = judgeOf(access)
  // Listeners get refusals where the contract's callback can carry one.
  const tellsListeners = () => ack !== null && fits({ error: codedFailure(null) }, ack)
  // Clients may omit a payload without required fields, or send null.
  const absent = () => (shape && fits({}, shape) ? {} : undefined)
  const { failsAs } = handler
  const malformed = { ...codedFailure(badRequest(event)), ...(failsAs && !ack && { code: failsAs }) }

  return async (who: Visitor, args: unknown[], hindrance?: Failure) => {
    const last = args.at(-1)
    const callback = ack && typeof last === 'function' ? (last as (answer: unknown) => void) : null
    const isAdmin = who.admin !== null
    /** Admins always get an answer. */
    const refuse = (error: Coded) => {
      if (callback && (isAdmin || tellsListeners())) callback({ error })
      else if (isAdmin) who.send('admin_error', JSON.stringify(error))
    }
    const verdict = judge(who)
    if (verdict === 'ignore') return
    if (hindrance) return isAdmin ? refuse(codedFailure(hindrance)) : undefined
    if (verdict === 'refuse') return refuse(coded('INSUFFICIENT_PRIVILEGES'))
    const caller = who as EventCaller<E>
    const payload = typeof args[0] === 'function' ? absent() : (args[0] ?? absent())
    const isWellFormed = !shape || fits(payload, shape)
    const refusal = handler.isOff ? switchedOff : verdict === 'not-live' && isWellFormed ? notLive : null
    // Late events of somebody who was on the air, like the last pieces of a recording, are dropped.
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
      if (!isFailure) log.error({ err: error, event }, 'event failed')
      const told = codedFailure(error)
      refuse(failsAs && isElsewhere(told) ? { ...told, code: failsAs } : told)
    }
  }
}

const validators = new WeakMap<TSchema, Validator>()

/** Compiles a shape when an event first needs it: compiling them all would be a tenth of the start. */
function fits(value: unknown, shape: TSchema): boolean {
  const known = validators.get(shape)
  const validator = known ?? Compile(shape)
  if (!known) validators.set(shape, validator)
  return validator.Check(value)
}

const badRequest = (field: string) => new Failure('BAD_REQUEST', { field, reason: 'bad_request' })
const switchedOff = new Failure('FEATURE_UNAVAILABLE', { capability: 'radioHosts' })
const notLive = new Failure('NOT_LIVE')

const isElsewhere = ({ code }: Coded) =>
  code === 'AIR_UNAVAILABLE' || code === 'DATA_UNAVAILABLE' || code === 'INTERNAL'

/** The wire form of an error: of a `Failure` itself, of anything else INTERNAL. */
export function codedFailure(error: unknown): Coded {
  const { code, details } = error instanceof Failure ? error : new Failure('INTERNAL')
  const body = failureBody(code, details)
  return typeof body.error === 'string' ? codedFailure(null) : body.error
}

type Judge = (who: Pick<Visitor, 'admin' | 'liveRole'>) => 'pass' | 'ignore' | 'refuse' | 'not-live'

/**
 * The check of an access rule. Listeners do not even get an answer from events for admins.
 *
 * @throws when there is no such rule, so that nothing is admitted by mistake.
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
