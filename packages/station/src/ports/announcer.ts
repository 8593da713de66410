import type { Privilege, ServerEventName, ServerPayload } from '@solstice/contracts'

/** The sockets that receive an event: all, one, all of a listener, activated admins, or holders of a privilege. */
export type Audience =
  | 'everyone'
  | 'admins'
  | 'super-admin'
  | { socketId: string }
  | { uid: string }
  /** The sockets of one account. */
  | { adminId: string }
  | { privilege: Privilege }

type Payload<E extends ServerEventName> = ServerPayload<E> extends undefined ? [] : [ServerPayload<E>]

/** Sends events from any process to sockets on every API replica. */
export interface Announcer {
  /** Sends an event to everyone; delivery is neither awaited nor confirmed. */
  announce<E extends ServerEventName>(event: E, ...payload: Payload<E>): void
  /** Sends an event to one audience; delivery is neither awaited nor confirmed. */
  tell<E extends ServerEventName>(audience: Audience, event: E, ...payload: Payload<E>): void
  /** Reports a changed account: its sockets, on any replica, are updated at once. */
  accountChanged(news: AccountNews): void
  /** Reports saved settings: every replica reads them again and tells its listeners at once. */
  settingsChanged(): void
}

/** A change to an account. Replicas read the account itself from the store, so this carries only what is not there. */
export type AccountNews =
  | { adminId: string; kind: 'privileges' | 'sessions' }
  | { adminId: string; kind: 'deleted' | 'password-reset' }
