import type { TSchema } from 'typebox'
import type { Privilege } from '../privileges.ts'

/**
 * The access rule of an event. As with routes, an event without a rule does not register. Events for admins are dropped
 * silently until the socket is an admin socket; an admin without the privilege gets an error. `live`: people on air; from
 * others the event is dropped, or refused where there is a callback. `host`: an admin on air as a host; other admins get an
 * error, everybody else no answer.
 */
export type EventAccess =
  | 'anyone'
  | 'admin'
  | 'live'
  | 'host'
  | { readonly all: readonly Privilege[] }
  | { readonly any: readonly Privilege[] }

export interface ClientEvent {
  summary: string
  access: EventAccess
  /** The only argument; `null` when the event has none and ignores whatever is sent. */
  payload: TSchema | null
  /**
   * The argument of the callback; `null` when the event never calls back. A refused admin gets `{ error: Coded }`, or
   * `admin_error` where there is no callback.
   */
  ack: TSchema | null
}

export interface ServerEvent {
  summary: string
  /** `null` when the event carries nothing. */
  payload: TSchema | null
}

export const clientEvent = <const E extends ClientEvent>(event: E): E => event
export const serverEvent = <const E extends ServerEvent>(event: E): E => event
