import type { Privilege, ServerEventName, ServerPayload } from '@solstice/contracts'

/** Who hears an event: every socket, one, all of a listener, activated admins, those who hold a privilege. */
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

/** Events to sockets on every API replica, from any process. */
export interface Announcer {
  announce<E extends ServerEventName>(event: E, ...payload: Payload<E>): void
  tell<E extends ServerEventName>(audience: Audience, event: E, ...payload: Payload<E>): void
  /** Something about an account has changed: its sockets, on whatever replica, follow at once. */
  accountChanged(news: AccountNews): void
  /** Settings were saved: every replica reads them anew and tells its listeners at once. */
  settingsChanged(): void
}

/** Replicas read the account anew from the store; only what cannot be read there is in the news. */
export type AccountNews =
  | { adminId: string; kind: 'privileges' | 'sessions' }
  | { adminId: string; kind: 'deleted' | 'password-reset' }
