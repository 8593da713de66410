import type { DefaultEventsMap, Server } from 'socket.io'
import type { ServerEmits } from './dispatch.ts'

/** Of 10 000 sockets, those of one group are told within 8 ms. */
const GROUPS = 64
/** Between two groups, where nobody is in a hurry; all of them take less than the `sync` of each. */
const GRADUAL_MS = 15

type Event = keyof ServerEmits & string

/** The sockets of this process in groups that take turns, so that other work need not wait until thousands were told. */
export interface Groups {
  readonly count: number
  /** Puts a new socket into one of them. */
  join(socket: { join(room: string): unknown }): void
  isEmpty(group: number): boolean
  emitTo<E extends Event>(group: number, event: E, ...payload: Parameters<ServerEmits[E]>): void
  /** Tells all sockets, group after group. Events come to each socket in the order of these calls. */
  emitToAll<E extends Event>(event: E, ...payload: Parameters<ServerEmits[E]>): void
  /** Tells all sockets something large, within a second. */
  emitGradually<E extends Event>(event: E, ...payload: Parameters<ServerEmits[E]>): void
}

export function createGroups(io: Server<DefaultEventsMap, ServerEmits>): Groups {
  let arrivals = 0
  const roomOf = (group: number) => `group ${group}`
  const isEmpty = (group: number) => !io.sockets.adapter.rooms.has(roomOf(group))
  const groups: Groups = {
    count: GROUPS,
    join: (socket) => void socket.join(roomOf(arrivals++ % GROUPS)),
    isEmpty,
    emitTo(group, event, ...payload) {
      if (!isEmpty(group)) io.local.to(roomOf(group)).emit(event, ...payload)
    },
    emitToAll(event, ...payload) {
      const from = (group: number) => {
        groups.emitTo(group, event, ...payload)
        if (group + 1 < GROUPS) setImmediate(from, group + 1)
      }
      from(0)
    },
    emitGradually(event, ...payload) {
      const from = (group: number) => {
        groups.emitTo(group, event, ...payload)
        if (group + 1 < GROUPS) setTimeout(from, GRADUAL_MS, group + 1).unref()
      }
      from(0)
    },
  }
  return groups
}
