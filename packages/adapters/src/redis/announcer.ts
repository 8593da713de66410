import { Emitter } from '@socket.io/redis-emitter'
import type { Announcer, Audience } from '@solstice/station'
import type { Redis } from 'ioredis'
import { PREFIX } from './connection.ts'

/** The channel that socket.io's adapter in the API listens on; not its default, so that nothing foreign arrives there. */
export const SOCKET_CHANNEL = 'solstice-io'

/** The channel on which every API replica hears of accounts: an `AccountNews` as JSON. */
export const ACCOUNT_CHANNEL = `${PREFIX}accounts`

/** The channel on which every API replica hears that settings were saved. */
export const SETTINGS_CHANNEL = `${PREFIX}settings`

/** The channel on which API replicas tell each other who is there. */
export const ROSTER_CHANNEL = `${PREFIX}roster`

/** The socket.io room that the sockets of an audience are in; null for everyone. */
export function roomOf(audience: Audience): string | null {
  if (audience === 'everyone') return null
  if (typeof audience === 'string') return audience
  // Every socket is alone in a room of its own id.
  if ('socketId' in audience) return audience.socketId
  if ('adminId' in audience) return `admin ${audience.adminId}`
  return 'uid' in audience ? `uid ${audience.uid}` : `privilege ${audience.privilege}`
}

/**
 * Events to sockets of all replicas through socket.io's Redis adapter. Nobody waits for them: while Redis is away they
 * are kept for its return, and a process that ends does not send them any more.
 */
export function openAnnouncer(redis: Redis): Announcer {
  const publish = (channel: string, message: string | Buffer) => {
    redis.publish(channel, message).catch(() => {})
  }
  const emitter = new Emitter({ publish }, { key: SOCKET_CHANNEL })
  return {
    announce: (event, ...payload) => void emitter.emit(event, ...payload),
    tell(audience, event, ...payload) {
      const room = roomOf(audience)
      const target = room === null ? emitter : emitter.to(room)
      target.emit(event, ...payload)
    },
    accountChanged: (news) => publish(ACCOUNT_CHANNEL, JSON.stringify(news)),
    settingsChanged: () => publish(SETTINGS_CHANNEL, ''),
  }
}
