import type { DefaultEventsMap, Server } from 'socket.io'
import type { ServerEmits } from '../dispatch.ts'
import { type ClientSocket, sendShared } from './shared-event.ts'

/** Of 10 000 sockets, those of one group are told within 8 ms. */
const GROUPS = 64
/** Between two groups, where nobody is in a hurry; all of them take less than the `sync` of each. */
const GRADUAL_MS = 15

type Event = keyof ServerEmits & string

/** The sockets of this process in groups that take turns, so that other work need not wait until thousands were told. */
export interface Groups {
  readonly count: number
  /** Puts a new socket into one of them, until the returned function is called. */
  join(socket: ClientSocket): () => void
  /** Calls the listener after each socket that joins, until the returned function is called. */
  onJoin(listener: () => void): () => void
  /** The first group from `from` on, and before `end`, that has sockets: nobody has to wake for the others. */
  occupied(from: number, end?: number): number | null
  emitTo<E extends Event>(group: number, event: E, ...payload: Parameters<ServerEmits[E]>): void
  /** Tells all sockets, group after group. Events come to each socket in the order of these calls. */
  emitToAll<E extends Event>(event: E, ...payload: Parameters<ServerEmits[E]>): void
  /** Tells all sockets something large, within a second. */
  emitGradually<E extends Event>(event: E, ...payload: Parameters<ServerEmits[E]>): void
}

export function createGroups(io: Server<DefaultEventsMap, ServerEmits>): Groups {
  let arrivals = 0
  const listeners = new Set<() => void>()
  const members: readonly Set<ClientSocket>[] = Array.from({ length: GROUPS }, () => new Set())
  const occupied = (from: number, end = GROUPS) => {
    for (let group = from; group < end; group++) if (members[group]!.size > 0) return group
    return null
  }
  const groups: Groups = {
    count: GROUPS,
    join(socket) {
      const group = members[arrivals++ % GROUPS]!
      group.add(socket)
      for (const listener of listeners) listener()
      return () => group.delete(socket)
    },
    onJoin(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    occupied,
    emitTo(group, event, ...payload) {
      const others = sendShared(members[group]!, event, payload)
      if (others.length > 0) io.local.to(others.map(({ id }) => id)).emit(event, ...payload)
    },
    emitToAll(event, ...payload) {
      const tell = (from: number) => {
        const group = occupied(from)
        if (group === null) return
        groups.emitTo(group, event, ...payload)
        setImmediate(tell, group + 1)
      }
      tell(0)
    },
    emitGradually(event, ...payload) {
      const tell = (from: number) => {
        const group = occupied(from)
        if (group === null) return
        groups.emitTo(group, event, ...payload)
        setTimeout(tell, GRADUAL_MS, group + 1).unref()
      }
      tell(0)
    },
  }
  return groups
}
