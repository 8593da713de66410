import { type Channel, readMessage } from '@solstice/adapters'
import type { ServerPayload } from '@solstice/contracts'
import { type AccountNews, type Admin, holds, repeatTogether, type Session } from '@solstice/station'
import type { Logger } from 'pino'
import type { Live } from '../live/live.ts'
import type { AdminRegistry, AdminVisitor } from './registry.ts'

/** How often accounts are read anew, in case that a notification was lost. */
const READ_EVERY_MS = 30_000

/**
 * Keeps the registered sockets in agreement with their accounts: whenever one changed, when the channel is back after an
 * interruption, and every 30 s.
 *
 * @param deps.inTurn runs work in order with whatever else changes the registry.
 * @returns stops it.
 */
export function followAccounts(deps: {
  registry: AdminRegistry
  findAdmin: (adminId: string) => Promise<Admin | null>
  isEnded: (session: Session) => Promise<boolean>
  requests: () => ServerPayload<'suggestions_update'>
  /** Tells a socket what else those know who manage the queue. */
  tellQueue: (who: AdminVisitor) => void
  live: Pick<Live, 'adminChanged'>
  inTurn: (work: () => Promise<void>) => Promise<void>
  accountNews: Channel
  log: Logger
}): () => void {
  const { registry, findAdmin, isEnded, requests, tellQueue, live, inTurn, log } = deps

  const follow = async (who: AdminVisitor, kind?: AccountNews['kind']) => {
    const before = who.admin
    const now = await findAdmin(before.adminId)
    const isOver = await isEnded(before.session)
    if (who.admin !== before) return
    const isGone = kind === 'deleted' || !now
    // Only a password reset takes an activation back.
    const isReset = kind === 'password-reset' || (before.authorized && !now?.authorized)
    if (isGone || isReset) {
      who.send('force_logout', { reason: isGone ? 'admin_deleted' : 'password_reset' })
      return registry.resign(who)
    }
    if (isOver) return registry.rejectSession(who)
    registry.register(who, { ...now, session: before.session })
    tellChanges(who, before, now)
  }
  const tellChanges = (who: AdminVisitor, before: Admin, now: Admin) => {
    const { privileges, authorized } = now
    if (authorized === before.authorized && areEqual(privileges, before.privileges)) return
    who.send('privileges_updated', { privileges: [...privileges], authorized })
    // An account that was not activated was told nothing for admins, and showed nothing.
    if (authorized && !before.authorized) who.send('library_updated', undefined)
    if (holds(now, 'queue_manage') && !holds(before, 'queue_manage')) {
      who.send('suggestions_update', requests())
      tellQueue(who)
    }
    live.adminChanged(who, before)
  }
  const followAll = (adminId?: string, kind?: AccountNews['kind']) => {
    inTurn(async () => {
      for (const who of registry.sockets()) {
        // One that follows may make another of its account resign.
        if (!registry.has(who)) continue
        if (adminId === undefined || who.admin.adminId === adminId) await follow(who, kind)
      }
    }).catch((error) => log.warn({ err: error }, 'accounts of admins could not be read'))
  }

  const unsubscribe = deps.accountNews.subscribe({
    onMessage(message) {
      const { adminId, kind } = (readMessage(message) ?? {}) as Partial<AccountNews>
      if (typeof adminId === 'string') followAll(adminId, kind)
    },
    onCaughtUp: () => followAll(),
  })
  const stop = repeatTogether(READ_EVERY_MS, () => followAll())
  return () => {
    stop()
    unsubscribe()
  }
}

/** True when two sets of privileges are the same in any order. */
function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one))
}
