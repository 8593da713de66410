import { randomUUID } from 'node:crypto'
import { type AuditCategory, type AuditEntry, isOfCategory } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { lyricsKey } from '../core/keys.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AuditRecord, DataStore, SpooledAuditEntry } from '../ports/data/data-store.ts'
import { SUPER_ADMIN_ID } from './admins.ts'

/** A changed field, before and after. */
export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

/** The log of admins' actions. Passwords, tokens and lyrics never enter it. */
export interface Audit {
  /**
   * Writes an entry and tells all admins that are online.
   *
   * @param more.changes the changed fields; omitted where there is nothing to compare.
   * @param more.onceKey identifies the action: an entry with it is written once, by whichever process.
   */
  record(
    actor: Actor,
    operationType: string,
    data: Record<string, unknown>,
    more?: { changes?: FieldChange[]; info?: Record<string, unknown>; onceKey?: string },
  ): Promise<void>
}

/**
 * @param deps.isOn whether this configuration has an audit log; without one nothing is written.
 * @param deps.later takes an entry while the store is away, because the action itself is done; without it `record` throws.
 */
export function createAudit(deps: {
  data: Pick<DataStore, 'audit'>
  announcer: Announcer
  clock: WallClock
  isOn: boolean
  later?: (entry: SpooledAuditEntry['entry']) => Promise<void>
}): Audit {
  const { clock, later } = deps
  return {
    async record({ adminId, login }, operationType, about, more = {}) {
      if (!deps.isOn) return
      // A write that seemed to fail may have succeeded, so that each entry needs a key before it.
      const { changes, info = {}, onceKey = randomUUID() } = more
      const entry: SpooledAuditEntry['entry'] = {
        adminId,
        adminLogin: login,
        operationType,
        createdAt: dateNow(clock),
        data: { ...about, ...(changes && { details: { version: 1, changes, info } }) },
        onceKey,
      }
      await writeEntry(deps, entry).catch((error) => {
        if (!later || !(error instanceof Failure && error.code === 'DATA_UNAVAILABLE')) throw error
        return later(entry)
      })
    },
  }
}

/** Writes an entry and tells all admins that are online, unless one with its `onceKey` is there. */
export async function writeEntry(
  { data, announcer }: { data: Pick<DataStore, 'audit'>; announcer: Pick<Announcer, 'tell'> },
  entry: SpooledAuditEntry['entry'],
): Promise<void> {
  const kept = await data.audit.insert(entry)
  if (kept) announcer.tell('admins', 'audit_new_entry', shown(kept))
}

/** Those of the named fields in which two values differ. */
export function changedFields<T extends object>(
  before: T,
  after: T,
  fields: (keyof T & string)[],
): FieldChange[] {
  const isSame = (field: keyof T) => JSON.stringify(before[field]) === JSON.stringify(after[field])
  return fields
    .filter((field) => !isSame(field))
    .map((field) => ({ field, before: before[field], after: after[field] }))
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The moment (epoch ms) since which entries are retained. */
export const keptSince = (retentionDays: number, nowMs: number) => nowMs - retentionDays * DAY_MS

/** Windows of the log by name. */
const windows: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
}

/**
 * A page of the log within a window (`24h` by default) and a category (any by default), newest first. Admins with an account appear under their current
 * login.
 *
 * @param keptSinceMs entries from before this moment (epoch ms) are left out.
 */
export async function readAudit(
  data: Pick<DataStore, 'audit' | 'admins'>,
  superAdmin: { login: string } | null,
  page: { window: string | undefined; category: AuditCategory | undefined; offset: number; limit: number },
  nowMs: number,
  keptSinceMs: number,
): Promise<{ entries: AuditEntry[]; total: number }> {
  const { window = '', category, offset, limit } = page
  const spanMs = Object.hasOwn(windows, window) ? windows[window]! : windows['24h']!
  const found = (await data.audit.find())
    .filter((entry) => entry.createdAt > nowMs - spanMs && entry.createdAt >= keptSinceMs)
    .filter(({ operationType }) => !category || isOfCategory(operationType, category))
    .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
  const entries = await withCurrentLogins(data, superAdmin, found.slice(offset, offset + limit))
  return { entries, total: found.length }
}

/** Operations that change a track. */
const trackChanges: ReadonlySet<string> = new Set([
  'upload_song',
  'edit_song_meta',
  'edit_song_lyrics',
  'delete_song',
])

/**
 * A page of the changes of a track, newest first. The log names tracks by artist and title: earlier names are followed through
 * the changes themselves, and tracks of the same name share their entries.
 *
 * @param keptSinceMs as in `readAudit`.
 */
export async function readTrackChanges(
  data: Pick<DataStore, 'audit' | 'admins'>,
  superAdmin: { login: string } | null,
  song: { artist: string; title: string },
  page: { offset: number; limit: number },
  keptSinceMs: number,
): Promise<{ entries: AuditEntry[]; total: number }> {
  const { offset, limit } = page
  const newestFirst = (await data.audit.find())
    .filter((entry) => trackChanges.has(entry.operationType) && entry.createdAt >= keptSinceMs)
    .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
  let name = song
  const found: AuditRecord[] = []
  for (const entry of newestFirst) {
    const about = entry.data as Partial<AboutTrack>
    if (!isOf(name, about)) continue
    found.push(entry)
    name = nameBefore(name, about)
  }
  const entries = await withCurrentLogins(data, superAdmin, found.slice(offset, offset + limit))
  return { entries, total: found.length }
}

interface AboutTrack {
  artist: string
  title: string
  details: { changes: FieldChange[] }
}

function isOf(song: { artist: string; title: string }, { artist, title }: Partial<AboutTrack>): boolean {
  if (artist === undefined || title === undefined) return false
  return lyricsKey(song.artist, song.title) === lyricsKey(artist, title)
}

/** The name that a track had before a change. */
function nameBefore(song: { artist: string; title: string }, { details }: Partial<AboutTrack>) {
  const before = (field: 'artist' | 'title') => {
    const change = details?.changes.find((one) => one.field === field)
    return typeof change?.before === 'string' ? change.before : song[field]
  }
  return { artist: before('artist'), title: before('title') }
}

async function withCurrentLogins(
  data: Pick<DataStore, 'admins'>,
  superAdmin: { login: string } | null,
  entries: readonly AuditRecord[],
): Promise<AuditEntry[]> {
  const logins = new Map((await data.admins.find()).map(({ adminId, login }) => [adminId, login]))
  if (superAdmin) logins.set(SUPER_ADMIN_ID, superAdmin.login)
  return entries.map((entry) => ({
    ...shown(entry),
    adminLogin: logins.get(entry.adminId) ?? entry.adminLogin,
  }))
}

const shown = ({ revision: _, onceKey: __, ...entry }: AuditRecord): AuditEntry => entry

/** Removes entries from before `beforeMs` (epoch ms). @returns how many. */
export function purgeAudit(data: Pick<DataStore, 'audit'>, beforeMs: number): Promise<number> {
  return data.audit.delete((entry) => entry.createdAt < beforeMs)
}
