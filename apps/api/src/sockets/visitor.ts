import { roomOf } from '@solstice/adapters'
import type { LiveRole } from '@solstice/contracts'
import type { Audience } from '@solstice/station'
import type { DefaultEventsMap, Socket } from 'socket.io'
import type { ServerEmits, Visitor } from './dispatch.ts'
import type { Slot } from './presence/roster.ts'

/** Wraps a connected socket. It is in the rooms of its audiences once `updateRooms` was called. */
export function visitorOf(
  socket: Socket<DefaultEventsMap, ServerEmits>,
  about: {
    address: string
    cookieToken: string | null
    slot: Slot
    liveRole: (socketId: string) => LiveRole | null
  },
): Visitor {
  const { address, cookieToken, slot, liveRole } = about
  const rooms = new Set<string>()
  const visitor: Visitor = {
    socketId: socket.id,
    address,
    cookieToken,
    slot,
    get isConnected() {
      return socket.connected
    },
    uid: null,
    admin: null,
    get liveRole() {
      return liveRole(socket.id)
    },
    send: (event, ...payload) =>
      void socket.emit(event, ...(payload as Parameters<ServerEmits[typeof event]>)),
    updateRooms() {
      const wanted = new Set(audiencesOf(visitor).flatMap((audience) => roomOf(audience) ?? []))
      for (const room of rooms) if (!wanted.has(room)) socket.leave(room)
      for (const room of wanted) if (!rooms.has(room)) socket.join(room)
      rooms.clear()
      for (const room of wanted) rooms.add(room)
    },
  }
  return visitor
}

/** The audiences of a socket besides everyone. An account that is not activated belongs to none of those for admins. */
function audiencesOf({ uid, admin }: Visitor): Audience[] {
  const audiences: Audience[] = uid === null ? [] : [{ uid }]
  if (!admin?.authorized) return audiences
  if (admin.role === 'super_admin') audiences.push('super-admin')
  const { adminId, privileges } = admin
  return [...audiences, 'admins', { adminId }, ...privileges.map((privilege) => ({ privilege }))]
}
