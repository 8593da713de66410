import type { User } from '@solstice/contracts'
import { listUsers, type Member } from './members.ts'

/** Full lists grow with the square of the audience, so a large one gets them less often. */
const PACE_MS = 2_000
const SLOW_PACE_MS = 10_000
const MANY_SOCKETS = 500

/** Tells the clients of this replica what changed in the roster. */
export interface RosterUpdates {
  /** To be called after every change of the members, or of who is on the air. */
  changed(): void
  list(): User[]
  readonly isAdminOnline: boolean
  close(): void
}

/** @param deps.onChange gets a list that differs from the last one, at the pace of the audience's size. */
export function createRosterUpdates(deps: {
  members: () => Member[]
  limit: number
  isLive: (socketId: string) => boolean
  listenerCount: () => number
  onChange: (list: User[]) => void
  onAdminOnline: (isOnline: boolean) => void
}): RosterUpdates {
  let listed: User[] | null = null
  let sent = ''
  let lastSentMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let isAdminOnline = false
  let isClosed = false

  const list = () => {
    listed ??= listUsers(deps.members(), deps.limit, deps.isLive)
    return listed
  }
  const send = () => {
    timer = undefined
    lastSentMs = performance.now()
    const current = list()
    const json = JSON.stringify(current)
    if (json === sent) return
    sent = json
    deps.onChange(current)
  }

  return {
    list,
    get isAdminOnline() {
      return isAdminOnline
    },
    changed() {
      listed = null
      if (isClosed) return
      const paceMs = deps.listenerCount() > MANY_SOCKETS ? SLOW_PACE_MS : PACE_MS
      timer ??= setTimeout(send, Math.max(0, lastSentMs + paceMs - performance.now()))

      const wasAdminOnline = isAdminOnline
      isAdminOnline = deps.members().some(({ admin }) => admin?.mayAnswer === true)
      if (isAdminOnline !== wasAdminOnline) deps.onAdminOnline(isAdminOnline)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
