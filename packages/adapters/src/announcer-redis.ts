import { Emitter } from '@socket.io/redis-emitter'
import type { Announcer } from '@solstice/station'
import type { Redis } from 'ioredis'

/** The channel that socket.io's adapter in the API listens on; not its default, so that nothing foreign arrives there. */
export const SOCKET_CHANNEL = 'solstice-io'

/** Events to all sockets of all replicas through socket.io's Redis adapter. */
export function openAnnouncer(redis: Redis): Announcer {
  const emitter = new Emitter(redis, { key: SOCKET_CHANNEL })
  return { announce: (event, ...payload) => void emitter.emit(event, ...payload) }
}
