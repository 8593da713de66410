import type { TSchema } from 'typebox'
import type { Privilege } from '../privileges.ts'

/**
 * Who may send an event. Like a route, an event without a rule does not register. What only admin sockets may send is
 * dropped without a word before the socket is one; one that lacks a privilege gets an error. `live`: who is on the air;
 * from others it is dropped, or refused where there is a callback. `host`: an admin who is on the air as a host; other
 * admins get an error, and who is no admin is never answered.
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
  /** The one argument; `null` when the event has none and whatever comes is ignored. */
  payload: TSchema | null
  /**
   * What the callback gets; `null` when the event never calls back. An admin who is refused gets `{ error: Coded }`, or
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
