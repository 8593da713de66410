import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { type Channel, readMessage } from '@solstice/adapters'
import type { User } from '@solstice/contracts'
import { type Alias, adminName, superAdminAlias } from './aliases.ts'

/** A full list to everybody grows with the square of the audience: so it is told seldom, and more seldom to many. */
const PACE_MS = 2_000
const SLOW_PACE_MS = 10_000
const MANY_SOCKETS = 500
/** A replica tells the others of its listeners as they come, and when it has many with its beat alone. */
const SHARE_PACE_MS = 100
const MANY_SOCKETS_TO_SHARE = 200
/** Replicas tell each other their part so often at least, and forget a part that was not told for longer. */
const TELL_EVERY_MS = 10_000
const FORGET_AFTER_MS = 25_000
/** Windows, phones and desks of one account. */
const MAX_SLOTS_PER_ACCOUNT = 8

/** Who is here, over all replicas. Each tells the others its admins and its newest, so every list is their union. */
export interface Roster {
  /** Gives a new socket a place, with the persona of a listener. */
  enter(socketId: string): Slot
  /** Admins first, each account once, then the newest; at most `limit`. */
  list(): User[]
  /** Whether an admin who may answer requests is here. */
  readonly isAdminOnline: boolean
  close(): void
}

/** The place of one socket. */
export interface Slot {
  /**
   * Makes it the place of an admin, or with null that of a listener again. An account has eight places at most, over all
   * replicas: with one more, the oldest that does not speak on the air is a listener's again and `onReplaced` is called.
   * Replicas that could not hear each other settle this when they can.
   */
  dress(admin: null): void
  dress(admin: AdminPresence, onReplaced: () => void): void
  leave(): void
}

/** What the station has to know of an admin who is here. */
export interface AdminPresence {
  adminId: string
  isSuper: boolean
  /** Whether it may answer what listeners ask for. */
  mayAnswer: boolean
}

interface Member {
  user: User
  sinceMs: number
  /** `claim` orders the places of an account by age. */
  admin?: { adminId: string; mayAnswer: boolean; claim: number; socketId: string }
}

/** What a replica says; without members it only asks the others to say theirs. */
interface RosterMessage {
  from: string
  members?: Member[]
}

/** A place on this replica. */
interface LocalSlot {
  readonly socketId: string
  member: Member
  /** Which of the public aliases it wears; null for the super admin's. */
  persona: number | null
  onReplaced: () => void
}

/**
 * Of listeners at other replicas it knows at once where those have up to 200 sockets, else within 10 s.
 *
 * @param deps.channel on which the rosters of all replicas speak.
 * @param deps.onChange gets the new list, at most once per 2 s, per 10 s above 500 sockets.
 * @param deps.isLive whether a socket of any replica is on the air.
 * @param deps.onAdminOnline is called at once when `isAdminOnline` changes.
 */
export function createRoster(deps: {
  channel: Channel
  aliases: readonly Alias[]
  limit: number
  nowMs: () => number
  isLive: (socketId: string) => boolean
  onChange: (list: User[]) => void
  onAdminOnline: (isOnline: boolean) => void
  tellEveryMs?: number
  forgetAfterMs?: number
}): Roster {
  const { channel, aliases, limit, nowMs, isLive } = deps
  const { tellEveryMs = TELL_EVERY_MS, forgetAfterMs = FORGET_AFTER_MS } = deps
  const here = randomUUID()
  const listeners: LocalSlot[] = []
  const admins = new Set<LocalSlot>()
  const usage = aliases.map(() => 0)
  const others = new Map<string, { members: Member[]; toldAtMs: number }>()
  let isAdminOnline = false
  /** The highest claim that was made or heard of: the next one is higher. */
  let lastClaim = 0
  let isClosed = false

  const ownMembers = () => [...admins, ...listeners.slice(-limit)].map(({ member }) => member)
  const otherMembers = () => [...others.values()].flatMap(({ members }) => members)
  const members = () => [...otherMembers(), ...ownMembers()]
  let listed: User[] | null = null
  const list = () => {
    listed ??= eachAccountOnce(members())
      .sort((a, b) => Number(!!b.admin) - Number(!!a.admin) || b.sinceMs - a.sinceMs)
      .slice(0, limit)
      .map(({ user }) => user)
    return listed
  }

  const publish = (news: RosterMessage) => channel.publish(JSON.stringify(news))
  const tellOthers = () => publish({ from: here, members: ownMembers() })

  let told = ''
  let tellTimer: NodeJS.Timeout | undefined
  let lastTellMs = Number.NEGATIVE_INFINITY
  const tell = () => {
    tellTimer = undefined
    lastTellMs = performance.now()
    const current = list()
    const json = JSON.stringify(current)
    if (json === told) return
    told = json
    deps.onChange(current)
  }
  const changed = () => {
    listed = null
    if (isClosed) return
    const paceMs = listeners.length > MANY_SOCKETS ? SLOW_PACE_MS : PACE_MS
    tellTimer ??= setTimeout(tell, Math.max(0, lastTellMs + paceMs - performance.now()))

    const wasAdminOnline = isAdminOnline
    const mayAnswer = ({ admin }: Member) => admin?.mayAnswer === true
    isAdminOnline = [...admins].some(({ member }) => mayAnswer(member)) || otherMembers().some(mayAnswer)
    if (isAdminOnline !== wasAdminOnline) deps.onAdminOnline(isAdminOnline)
  }

  let shareTimer: NodeJS.Timeout | undefined
  const changedHere = () => {
    changed()
    if (isClosed || listeners.length > MANY_SOCKETS_TO_SHARE) return
    shareTimer ??= setTimeout(() => {
      shareTimer = undefined
      tellOthers()
    }, SHARE_PACE_MS)
  }
  const adminsChangedHere = () => {
    changed()
    if (!isClosed) tellOthers()
  }

  const hear = (message: string) => {
    const news = readRosterMessage(message)
    if (!news || news.from === here) return
    const { from, members } = news
    if (members === undefined) return tellOthers()
    if (members.length === 0) others.delete(from)
    else others.set(from, { members, toldAtMs: performance.now() })
    for (const { admin } of members) {
      if (!admin) continue
      lastClaim = Math.max(lastClaim, admin.claim)
      giveWay(admin.adminId)
    }
    changed()
  }
  const forgetTheSilent = () => {
    for (const [replica, { toldAtMs }] of others) {
      if (performance.now() - toldAtMs > forgetAfterMs) others.delete(replica)
    }
  }

  /** Of too many places of an account the oldest are those of listeners again. Each replica sees to its own. */
  const giveWay = (adminId: string) => {
    const places = members().flatMap(({ admin }) => (admin?.adminId === adminId ? admin : []))
    const surplus = Math.max(0, places.length - MAX_SLOTS_PER_ACCOUNT)
    const idle = places.filter(({ socketId }) => !isLive(socketId)).sort(byAge)
    const leaving = new Set(idle.slice(0, surplus))
    for (const seat of [...admins]) {
      if (!seat.member.admin || !leaving.has(seat.member.admin)) continue
      const { onReplaced } = seat
      dress(seat, null)
      onReplaced()
    }
  }

  const release = (seat: LocalSlot) => {
    if (seat.persona !== null) usage[seat.persona]!--
    if (!admins.delete(seat)) listeners.splice(listeners.lastIndexOf(seat), 1)
  }
  const assign = (seat: LocalSlot, isSuper: boolean, admin?: Member['admin']) => {
    // Another window of an account looks the same, so that it does not matter which of them leaves first.
    const shown = admin && members().find((member) => member.admin?.adminId === admin.adminId)?.user
    const { color } = shown ?? seat.member.user
    const alike = aliases.findIndex(({ img }) => img === shown?.img)
    seat.persona = isSuper ? null : alike >= 0 ? alike : leastUsed(usage)
    if (seat.persona !== null) usage[seat.persona]!++
    const { name, img } = seat.persona === null ? superAdminAlias : aliases[seat.persona]!
    const rank = { ...(admin && { isAdmin: true }), ...(isSuper && { isSuperAdmin: true }) }
    const user = { name: admin && !isSuper ? adminName(name) : name, img, color, ...rank }
    seat.member = { user, sinceMs: seat.member.sinceMs, ...(admin && { admin }) }
    if (admin) admins.add(seat)
    else listeners.push(seat)
  }
  const dress = (seat: LocalSlot, presence: AdminPresence | null, onReplaced = () => {}) => {
    const before = seat.member.admin
    seat.onReplaced = onReplaced
    if (before?.adminId === presence?.adminId) {
      if (!before || !presence || before.mayAnswer === presence.mayAnswer) return
      before.mayAnswer = presence.mayAnswer
      return adminsChangedHere()
    }
    release(seat)
    if (presence) {
      const { adminId, isSuper, mayAnswer } = presence
      const claim = Math.max(lastClaim + 1, nowMs())
      lastClaim = claim
      assign(seat, isSuper, { adminId, mayAnswer, claim, socketId: seat.socketId })
      giveWay(adminId)
    } else assign(seat, false)
    adminsChangedHere()
  }

  // News may have been missed, here and there.
  const greet = () => {
    publish({ from: here })
    tellOthers()
  }
  const unhear = channel.hear({ onMessage: hear, onCaughtUp: greet })
  const heartbeat = setInterval(() => {
    tellOthers()
    forgetTheSilent()
    changed()
  }, tellEveryMs)

  return {
    enter(socketId) {
      const user = { name: { uk: '', en: '' }, img: '', color: randomColor() }
      const seat: LocalSlot = { socketId, member: { user, sinceMs: nowMs() }, persona: null, onReplaced() {} }
      assign(seat, false)
      changedHere()
      let isTaken = true
      return {
        dress(admin: AdminPresence | null, onReplaced?: () => void) {
          if (isTaken) dress(seat, admin, onReplaced)
        },
        leave() {
          if (!isTaken) return
          isTaken = false
          release(seat)
          if (seat.member.admin) adminsChangedHere()
          else changedHere()
        },
      }
    },
    list,
    get isAdminOnline() {
      return isAdminOnline
    },
    close() {
      isClosed = true
      unhear()
      clearInterval(heartbeat)
      clearTimeout(tellTimer)
      clearTimeout(shareTimer)
      publish({ from: here, members: [] })
    },
  }
}

/** Of the places of an account the oldest, so that a new window changes nothing. */
function eachAccountOnce(members: Member[]): Member[] {
  const oldest = new Map<string, Member['admin']>()
  for (const { admin } of members) {
    const known = admin && oldest.get(admin.adminId)
    if (admin && (!known || byAge(admin, known) < 0)) oldest.set(admin.adminId, admin)
  }
  return members.filter(({ admin }) => !admin || oldest.get(admin.adminId) === admin)
}

type Place = NonNullable<Member['admin']>
const byAge = (a: Place, b: Place) => a.claim - b.claim || (a.socketId < b.socketId ? -1 : 1)

/** Any of those that the fewest wear. */
function leastUsed(worn: number[]): number {
  const fewest = Math.min(...worn)
  const candidates = worn.flatMap((count, index) => (count === fewest ? [index] : []))
  return candidates[randomInt(candidates.length)]!
}

function randomColor(): string {
  return `#${randomBytes(3).toString('hex')}`
}

function readRosterMessage(message: string): RosterMessage | null {
  const news = (readMessage(message) ?? {}) as Partial<RosterMessage>
  const { from, members } = news
  if (typeof from !== 'string') return null
  if (members === undefined) return { from }
  return Array.isArray(members) && members.every(isMember) ? { from, members } : null
}

function isMember(told: unknown): boolean {
  const { user, sinceMs, admin } = (told ?? {}) as Partial<Member>
  return !!user && Number.isFinite(sinceMs) && (admin === undefined || Number.isFinite(admin?.claim))
}
