import type { AdminSession } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { dateOf } from '../core/wall-clock.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, SessionRecord } from '../ports/data-store.ts'
import type { Log } from '../ports/log.ts'
import { networkOf } from './addresses.ts'
import { type Admin, SUPER_ADMIN_ID } from './admins.ts'

/** One login, as its token tells it. */
export interface Session {
  id: string
  adminId: string
  /** By the station's clock, ms in whole seconds. */
  begunAtMs: number
  expiresAtMs: number
}

/** Where a session is used from. */
export interface Client {
  address: string
  userAgent: string
}

/** An admin, and the session in which it asks. */
export interface LoggedIn extends Admin {
  session: Session
}

/**
 * The sessions of admins. A session goes on until its token expires unless it was ended, which is remembered in the store:
 * nothing that Redis loses revives it. A session of which nothing is remembered, of a version before or begun while the
 * store was away, is remembered when it is first used.
 */
export interface Sessions {
  /**
   * Remembers a new session, as far as the store takes it: nobody is kept from logging in by a store that is away. Of more than 50 of an account the one used longest ago ends.
   *
   * @param sinceMs a moment before its password was looked up, so that a change of that password ends it.
   */
  begin(session: Session, from: Client, sinceMs: number): Promise<void>
  /** Whether it goes on; that it is used, and where from, is noted in the background. */
  resume(session: Session, from: Client): Promise<boolean>
  /** Whether the account had a session from this network (see `networkOf`) within about a day. */
  isKnown(adminId: string, address: string): Promise<boolean>
  /** Whether it was ended. Its token may also have expired. */
  isOver(session: Session): Promise<boolean>
  /** The sessions of an account that go on, the last used first. */
  list(adminId: string, ownId?: string): Promise<AdminSession[]>
  /** Ends the session of a token, on every replica at once, as the two below. @returns whether it had gone on until now. */
  logOut(session: Session): Promise<boolean>
  /** @throws Failure NOT_FOUND when the account has no such session. */
  end(adminId: string, id: string): Promise<void>
  /** Ends all sessions of an account that began before this moment, but perhaps one. */
  endAll(adminId: string, sparedId: string | null): Promise<void>
  /** Resolves when all that was to be noted is. */
  settled(): Promise<void>
}

const MAX_SESSIONS = 50
const NOTE_EVERY_MS = 60_000
const MAX_AGENT_LENGTH = 120
/** Tokens are good for 12 hours, by clocks that may differ. */
const KEPT_AFTER_END_MS = 24 * 60 * 60 * 1000

export function createSessions(deps: {
  data: Pick<DataStore, 'sessions' | 'sessionCuts'>
  announcer: Pick<Announcer, 'accountChanged'>
  clock: WallClock
  log: Log
}): Sessions {
  const { data, announcer, clock, log } = deps
  const nowMs = () => Math.floor(clock.nowMs())
  /** When each session was last noted here, or tried to be. */
  const noted = new Map<string, number>()
  const noting = new Set<Promise<unknown>>()

  const read = async ({ id, adminId, begunAtMs }: Session) => {
    const [record, cut] = await Promise.all([data.sessions.get(id), data.sessionCuts.get(adminId)])
    const isCut = cut !== null && cut.sparedId !== id && (record?.createdAt ?? begunAtMs) <= cut.beforeMs
    return { record, isOver: isCut || (record !== null && record.endedAt !== null) }
  }

  const live = async (adminId: string): Promise<readonly Readonly<SessionRecord>[]> => {
    const [records, cut] = await Promise.all([
      data.sessions.find({ adminId, endedAt: null }),
      data.sessionCuts.get(adminId),
    ])
    const now = nowMs()
    return records
      .filter(({ expiresAt }) => now < expiresAt)
      .filter(({ id, createdAt }) => cut === null || id === cut.sparedId || createdAt > cut.beforeMs)
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt || b.createdAt - a.createdAt)
  }

  const note = (session: Session, record: Readonly<SessionRecord> | null, from: Client) => {
    const { id } = session
    const now = nowMs()
    const last = Math.max(record?.lastSeenAt ?? 0, noted.get(id) ?? 0)
    if (now < last + NOTE_EVERY_MS && (record !== null || noted.has(id))) return
    forgetBefore(noted, now - NOTE_EVERY_MS)
    noted.set(id, now)
    const done = (
      record
        ? data.sessions.update({ id, endedAt: null }, { lastSeenAt: now, ...shown(from) })
        : data.sessions.insert(recordOf(session, from, session.begunAtMs, now))
    )
      // The next use is noted again.
      .catch(() => {})
      .finally(() => noting.delete(done))
    noting.add(done)
  }

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
        await data.sessions.put(recordOf(session, from, Math.floor(sinceMs), nowMs()))
        for (const { id } of (await live(adminId)).slice(MAX_SESSIONS)) await end(adminId, id)
      } catch (error) {
        log.warn({ err: error, adminId }, 'session not remembered; its next use will be noted')
      }
    },

    async resume(session, from) {
      const { record, isOver } = await read(session)
      if (!isOver) note(session, record, from)
      return !isOver
    },

    async isKnown(adminId, address) {
      const network = networkOf(address)
      const records = await data.sessions.find({ adminId })
      return records.some((record) => networkOf(record.address) === network)
    },

    async isOver(session) {
      return (await read(session)).isOver
    },

    async list(adminId, ownId) {
      return (await live(adminId)).map(({ id, createdAt, lastSeenAt, address, userAgent }) => ({
        id,
        createdAt: dateOf(clock, createdAt),
        lastSeenAt: dateOf(clock, lastSeenAt),
        address,
        userAgent,
        current: id === ownId,
      }))
    },

    async logOut(session) {
      const { record, isOver } = await read(session)
      const now = nowMs()
      const unknown = { address: '', userAgent: '' }
      const last = record ?? recordOf(session, unknown, session.begunAtMs, now)
      await data.sessions.put({ ...last, endedAt: now })
      tell(session.adminId)
      return !isOver
    },

    async end(adminId, id) {
      const isLive = (await live(adminId)).some((session) => session.id === id)
      if (!isLive || !(await end(adminId, id))) throw new Failure('NOT_FOUND')
    },

    async endAll(adminId, sparedId) {
      await data.sessionCuts.put({ adminId, beforeMs: nowMs(), sparedId })
      tell(adminId)
    },

    async settled() {
      await Promise.all(noting)
    },
  }
}

/**
 * Ends the sessions of all accounts that began before a moment (ms, by the station's clock): a store that was restored
 * knows of none that ended since.
 */
export async function endAllSessions(
  data: Pick<DataStore, 'admins' | 'sessionCuts'>,
  nowMs: number,
): Promise<void> {
  const adminIds = [SUPER_ADMIN_ID, ...(await data.admins.find()).map(({ adminId }) => adminId)]
  for (const adminId of adminIds)
    await data.sessionCuts.put({ adminId, beforeMs: Math.floor(nowMs), sparedId: null })
}

/** Forgets sessions whose tokens expired, and says how many those were. */
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
  createdAt: number,
  lastSeenAt: number,
): SessionRecord {
  return { id, adminId, createdAt, lastSeenAt, expiresAt: expiresAtMs, endedAt: null, ...shown(from) }
}

function shown({ address, userAgent }: Client): Client {
  return { address, userAgent: userAgent.replace(/[^ -~]/g, '').slice(0, MAX_AGENT_LENGTH) }
}

function forgetBefore(noted: Map<string, number>, beforeMs: number): void {
  for (const [id, atMs] of noted) {
    // In the order in which they were noted.
    if (atMs >= beforeMs) return
    noted.delete(id)
  }
}
