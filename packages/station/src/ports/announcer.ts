import type { ServerEventName, ServerPayload } from '@solstice/contracts'

/** Events to every socket of every API replica, from any process. */
export interface Announcer {
  announce<E extends ServerEventName>(
    event: E,
    ...payload: ServerPayload<E> extends undefined ? [] : [ServerPayload<E>]
  ): void
}
