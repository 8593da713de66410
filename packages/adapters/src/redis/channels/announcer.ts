import { Emitter } from '@socket.io/redis-emitter'
import type { Announcer, Audience } from '@solstice/station'
import type { Redis } from 'ioredis'
import { PREFIX } from '../connection.ts'

/** Channel of socket.io's adapter in the API; not its default, which other applications on the same Redis may use. */
export const SOCKET_CHANNEL = 'solstice-io'

/** Channel of changed accounts, to all API replicas: an `AccountNews` as JSON. */
export const ACCOUNT_CHANNEL = `${PREFIX}accounts`

/** Channel of saved settings, to all API replicas. */
export const SETTINGS_CHANNEL = `${PREFIX}settings`

/** Channel of presence between API replicas. */
export const ROSTER_CHANNEL = `${PREFIX}roster`

/** The replicas' numbers of listeners. */
export const AUDIENCE_CHANNEL = `${PREFIX}audience`

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
 * Sends events to the sockets of all replicas through socket.io's Redis adapter, without waiting. While Redis is unavailable
 * they are queued; a process that exits drops them.
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
