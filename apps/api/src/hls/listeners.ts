import { createHash } from 'node:crypto'
import type { HlsListeners } from '@solstice/adapters'
import { type MountId, repeatTogether } from '@solstice/station'
import { createConnectionCounter } from '../limits/connection-counter.ts'

const PACE_MS = 2_000
const GONE_AFTER_MS = 30_000
const MAX_PER_ADDRESS = 1_000
/** Of this process, as are those of an address: a player whose connections reach several processes is one of each. */
const MAX_LISTENERS = 100_000

/** Listeners of playlists: who has asked for that of a mount in the last 30 s. */
export interface PlaylistListeners {
  /** Notes a request for the playlist of a mount. */
  seen(mount: MountId, asker: Asker): void
  /** Number of listeners of a mount, at all replicas. */
  of(mount: MountId): number
  /** Number of listeners of all mounts, at all replicas. */
  readonly size: number
  close(): void
}

/** A player: what of it stays the same from one request to the next. */
export interface Asker {
  /** Given to it by the playlist of all mounts; a cache may have given the same to others. */
  listener: string | undefined
  address: string
  agent: string | undefined
}

interface Listener {
  mount: MountId
  seenMs: number
  leave(): void
}

/** @param store counts for all replicas; while it is away the last counts stay. @param options.nowMs never goes back. */
export function countPlaylistListeners(
  mounts: readonly MountId[],
  store: HlsListeners,
  { paceMs = PACE_MS, maxListeners = MAX_LISTENERS, nowMs = () => performance.now() } = {},
): PlaylistListeners {
  const here = new Map<string, Listener>()
  const perAddress = createConnectionCounter(MAX_PER_ADDRESS)
  const counts = new Map<MountId, number>()
  let news = newsOf(mounts)
  let isTelling = false

  const forgetGone = () => {
    const sinceMs = nowMs() - GONE_AFTER_MS
    for (const [key, { seenMs, leave }] of here) {
      // In the order in which they were seen last.
      if (seenMs >= sinceMs) return
      here.delete(key)
      leave()
    }
  }
  const tell = async () => {
    if (isTelling) return
    isTelling = true
    const told = news
    news = newsOf(mounts)
    forgetGone()
    const note = async (mount: MountId, { seen, left }: News) => {
      const count = await store.note(mount, [...seen], [...left]).catch(() => null)
      if (count !== null) return counts.set(mount, count)
      // The store still counts them here as well.
      const later = news.get(mount)!
      for (const key of left) if (here.has(key) && !later.seen.has(key)) later.left.add(key)
    }
    await Promise.all([...told].map(([mount, news]) => note(mount, news)))
    isTelling = false
  }
  const close = repeatTogether(paceMs, () => void tell())

  return {
    seen(mount, { listener = '', address, agent = '' }) {
      const key = keyOf(listener, address, agent)
      const before = here.get(key)
      if (!before && (here.size >= maxListeners || !perAddress.hasRoom(address))) return
      here.delete(key)
      here.set(key, {
        mount,
        seenMs: nowMs(),
        leave: before?.leave ?? perAddress.acquire(address),
      })
      news.get(mount)!.seen.add(key)
      if (before && before.mount !== mount) {
        news.get(before.mount)!.left.add(key)
        news.get(before.mount)!.seen.delete(key)
      }
      news.get(mount)!.left.delete(key)
    },
    of: (mount) => counts.get(mount) ?? 0,
    get size() {
      return [...counts.values()].reduce((sum, count) => sum + count, 0)
    },
    close,
  }
}

interface News {
  readonly seen: Set<string>
  readonly left: Set<string>
}

/** The news of each mount for the store. */
function newsOf(mounts: readonly MountId[]): Map<MountId, News> {
  return new Map(mounts.map((mount) => [mount, { seen: new Set(), left: new Set() }]))
}

/** Addresses are not kept. */
function keyOf(listener: string, address: string, agent: string): string {
  return createHash('sha256').update(`${listener}\n${address}\n${agent}`).digest('base64url').slice(0, 16)
}
