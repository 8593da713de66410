import type { AdminSession } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { dateOf } from '../core/wall-clock.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, SessionCutRecord, SessionRecord } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import { networkOf } from './addresses.ts'
import { type Admin, SUPER_ADMIN_ID } from './admins.ts'

/** A login, as its token describes it. */
export interface Session {
  id: string
  adminId: string
  /** By the station's clock, ms in whole seconds. */
  begunAtMs: number
  expiresAtMs: number
}

/** The client that uses a session. */
export interface Client {
  address: string
  userAgent: string
}

/** An admin with the session of the request. */
export interface LoggedIn extends Admin {
  session: Session
}

/**
 * The sessions of admins. A session goes on until its token expires unless it was ended. The end is in the store, so
 * that nothing Redis loses revives it. A session without a record, begun by an older version or while the store was
 * away, gets one when it is next used.
 */
export interface Sessions {
  /**
   * Stores a new session; a store that is away keeps nobody from logging in. Beyond 50 sessions of an account the one used
   * longest ago ends.
   *
   * @param sinceMs a moment before its password was looked up, so that a change of that password ends it.
   */
  begin(session: Session, from: Client, sinceMs: number): Promise<void>
  /** True when a session goes on; its use is noted in the background. */
  resume(session: Session, from: Client): Promise<boolean>
  /** True when the account had a session from this network (see `networkOf`) within about a day. */
  isKnown(adminId: string, address: string): Promise<boolean>
  /** True when a session was ended; its token may have expired besides. */
  isOver(session: Session): Promise<boolean>
  /** The sessions of an account that go on, the last used first. */
  list(adminId: string, ownId?: string): Promise<AdminSession[]>
  /** Ends the session of a token, on every replica at once, like the two below. @returns whether it was still going on. */
  logOut(session: Session): Promise<boolean>
  /** @throws Failure NOT_FOUND when the account has no such session. */
  end(adminId: string, id: string): Promise<void>
  /** Ends all sessions of an account that began before now, except perhaps one. */
  endAll(adminId: string, sparedId: string | null): Promise<void>
  /** Resolves when all uses are noted. */
  settled(): Promise<void>
}

const MAX_SESSIONS = 50
const NOTE_EVERY_MS = 60_000
const MAX_AGENT_LENGTH = 120
/** Tokens are good for 12 hours, by clocks that may differ. */
const KEPT_AFTER_END_MS = 24 * 60 * 60 * 1000

type SessionData = Pick<DataStore, 'sessions' | 'sessionCuts'>

export function createSessions(deps: {
  data: SessionData
  announcer: Pick<Announcer, 'accountChanged'>
  clock: WallClock
  log: Log
}): Sessions {
  const { data, announcer, clock, log } = deps
  const nowMs = () => Math.floor(clock.nowMs())
  const uses = createUseNotes(data)

  const tell = (adminId: string) => announcer.accountChanged({ adminId, kind: 'sessions' })
  const end = async (adminId: string, id: string): Promise<boolean> => {
    const ended = await data.sessions.update({ id, adminId, endedAt: null }, { endedAt: nowMs() })
    if (ended > 0) tell(adminId)
    return ended > 0
  }

  return {
    async begin(session, from, sinceMs) {
      const { adminId } = session
      try {
        const times = { createdAt: Math.floor(sinceMs), lastSeenAt: nowMs() }
        await data.sessions.put(recordOf(session, from, times))
        const live = await liveSessions(data, adminId, nowMs())
        for (const { id } of live.slice(MAX_SESSIONS)) await end(adminId, id)
      } catch (error) {
        log.warn({ err: error, adminId }, 'session use could not be saved; the next one will be')
      }
    },

    async resume(session, from) {
      const { record, isOver } = await readSession(data, session)
      if (!isOver) uses.note(session, record, from, nowMs())
      return !isOver
    },

    async isKnown(adminId, address) {
      const network = networkOf(address)
      const records = await data.sessions.find({ adminId })
      return records.some((record) => networkOf(record.address) === network)
    },

    isOver: async (session) => (await readSession(data, session)).isOver,

    async list(adminId, ownId) {
      const live = await liveSessions(data, adminId, nowMs())
      return live.map(({ id, createdAt, lastSeenAt, address, userAgent }) => ({
        id,
        createdAt: dateOf(clock, createdAt),
        lastSeenAt: dateOf(clock, lastSeenAt),
        address,
        userAgent,
        current: id === ownId,
      }))
    },

    async logOut(session) {
      const { record, isOver } = await readSession(data, session)
      const now = nowMs()
      const times = { createdAt: session.begunAtMs, lastSeenAt: now }
      const last = record ?? recordOf(session, { address: '', userAgent: '' }, times)
      await data.sessions.put({ ...last, endedAt: now })
      tell(session.adminId)
      return !isOver
    },

    async end(adminId, id) {
      const isLive = (await liveSessions(data, adminId, nowMs())).some((session) => session.id === id)
      if (!isLive || !(await end(adminId, id))) throw new Failure('NOT_FOUND')
    },

    async endAll(adminId, sparedId) {
      await data.sessionCuts.put({ adminId, beforeMs: nowMs(), sparedId })
      tell(adminId)
    },

    settled: uses.settled,
  }
}

/** The record of a session, if there is one, and whether the session was ended. */
async function readSession(data: SessionData, { id, adminId, begunAtMs }: Session) {
  const [record, cut] = await Promise.all([data.sessions.get(id), data.sessionCuts.get(adminId)])
  const isOver = record
    ? record.endedAt !== null || isStoredCut(record, cut)
    : isCut({ id, createdAt: begunAtMs }, cut)
  return { record, isOver }
}

/** The sessions of an account that go on, the last used first. */
async function liveSessions(
  data: SessionData,
  adminId: string,
  nowMs: number,
): Promise<readonly Readonly<SessionRecord>[]> {
  const [records, cut] = await Promise.all([
    data.sessions.find({ adminId, endedAt: null }),
    data.sessionCuts.get(adminId),
  ])
  return records
    .filter(({ expiresAt }) => nowMs < expiresAt)
    .filter((record) => !isStoredCut(record, cut))
    .sort((a, b) => b.lastSeenAt - a.lastSeenAt || b.createdAt - a.createdAt)
}

type Cut = Readonly<SessionCutRecord> | null
type Begun = Pick<SessionRecord, 'id' | 'createdAt'>

/** True when the sessions of its account were ended after one began. */
const isCut = ({ id, createdAt }: Begun, cut: Cut): boolean =>
  cut !== null && cut.sparedId !== id && createdAt <= cut.beforeMs

const isStoredCut = (record: Begun, cut: Cut): boolean => cut?.reach !== 'not-stored' && isCut(record, cut)

/** Notes the use of sessions in the background, each at most once a minute. */
function createUseNotes(data: SessionData) {
  /** When each session was last noted here, or tried to be; in that order. */
  const notedAtMs = new Map<string, number>()
  const underway = new Set<Promise<unknown>>()
  return {
    note(session: Session, record: Readonly<SessionRecord> | null, from: Client, nowMs: number): void {
      const { id } = session
      const last = Math.max(record?.lastSeenAt ?? 0, notedAtMs.get(id) ?? 0)
      if (nowMs < last + NOTE_EVERY_MS && (record !== null || notedAtMs.has(id))) return
      forgetBefore(notedAtMs, nowMs - NOTE_EVERY_MS)
      notedAtMs.set(id, nowMs)
      const done = (
        record
          ? data.sessions.update({ id, endedAt: null }, { lastSeenAt: nowMs, ...shown(from) })
          : data.sessions.insert(recordOf(session, from, { createdAt: session.begunAtMs, lastSeenAt: nowMs }))
      )
        // The next use is noted again.
        .catch(() => {})
        .finally(() => underway.delete(done))
      underway.add(done)
    },
    async settled(): Promise<void> {
      await Promise.all(underway)
    },
  }
}

/**
 * Ends the sessions of all accounts: a restored store does not know which have ended since. Those that it doesn't know of end up to
 * `nowMs`; a new login is stored and goes on, even if the station's clock turns out to be behind that.
 */
export async function endAllSessions(
  data: Pick<DataStore, 'admins' | 'sessions' | 'sessionCuts'>,
  nowMs: number,
): Promise<void> {
  const atMs = Math.floor(nowMs)
  const adminIds = [SUPER_ADMIN_ID, ...(await data.admins.find()).map(({ adminId }) => adminId)]
  for (const adminId of adminIds)
    await data.sessionCuts.put({ adminId, beforeMs: atMs, sparedId: null, reach: 'not-stored' })
  await data.sessions.update({ endedAt: null }, { endedAt: atMs })
}

/** Removes sessions whose tokens expired. @returns how many. */
export async function purgeSessions(
  data: Pick<DataStore, 'sessions' | 'sessionCuts'>,
  nowMs: number,
): Promise<number> {
  const beforeMs = nowMs - KEPT_AFTER_END_MS
  await data.sessionCuts.delete((cut) => cut.beforeMs < beforeMs)
  return data.sessions.delete(({ expiresAt }) => expiresAt < beforeMs)
}

function recordOf(
  { id, adminId, expiresAtMs }: Session,
  from: Client,
  times: { createdAt: number; lastSeenAt: number },
): SessionRecord {
  return { id, adminId, ...times, expiresAt: expiresAtMs, endedAt: null, ...shown(from) }
}

function shown({ address, userAgent }: Client): Client {
  return { address, userAgent: userAgent.replace(/[^ -~]/g, '').slice(0, MAX_AGENT_LENGTH) }
}

function forgetBefore(notedAtMs: Map<string, number>, beforeMs: number): void {
  for (const [id, atMs] of notedAtMs) {
    if (atMs >= beforeMs) return
    notedAtMs.delete(id)
  }
}
