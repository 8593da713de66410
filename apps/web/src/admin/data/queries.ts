import type { ServerEventName } from '@solstice/contracts'
import { createStore, type Store } from '../../ui/store.ts'
import { call } from './client.ts'
import type { CallInput, GetKey } from './routes.ts'

/** An answer as far as it is known. `isStale`: it could not be renewed; `isRenewing`: it may be old, and is being asked for again. */
export type QueryState<T> =
  | { is: 'loading' }
  | { is: 'failed'; error: unknown }
  | { is: 'ready'; data: T; isStale: boolean; isRenewing?: boolean }

interface Entry {
  key: string
  readonly state: Store<QueryState<unknown>>
  /** Asks for the answer unless it is fresh, and keeps it until the returned function is called. */
  use(): () => void
  /** What is shown may be old; it is asked for again now or when it is next used. */
  invalidate(): void
  /** Asks again now. */
  retry(): void
}

/** Answers of the station, kept while somebody looks at them and for five minutes after, the last hundred of them. */
export interface Queries {
  entry<K extends GetKey>(key: K, input?: CallInput<K>): Entry
  /** Asks again for every answer whose route begins so; for all of them with ''. */
  invalidate(...paths: string[]): void
}

/** Answers that a socket event makes old, as the beginnings of their paths. */
export const outdatedBy: Partial<Record<ServerEventName, string[]>> = {
  library_updated: [
    '/api/admin/songs',
    '/api/admin/song-editor',
    '/api/admin/song-groups',
    '/api/admin/lyrics',
    '/api/admin/stats',
    '/api/admin/artist-arts',
    '/api/admin/settings',
    '/api/library',
  ],
  jingles_updated: ['/api/admin/jingles', '/api/admin/jingle-choices'],
  phrases_updated: ['/api/admin/phrases'],
  background_music_updated: ['/api/admin/background-music'],
  settings_updated: ['/api/admin/settings', '/api/admin/song-groups'],
  admin_authorized: ['/api/admin/admins'],
  // Payments, decisions on orders, new prices, alarms and changed webhooks are in the audit log.
  audit_new_entry: ['/api/admin/donations', '/api/admin/alarms', '/api/admin/webhooks'],
}

const KEPT_MS = 300_000
const MAX_UNUSED = 100

export function createQueries(
  fetchReply: (key: GetKey, input?: never) => Promise<unknown> = call,
  nowMs: () => number = Date.now,
): Queries {
  const entries = new Map<string, Entry>()
  /** When each answer that nobody looks at was left, the longest left first. */
  const leftMs = new Map<string, number>()

  function forgetUnused(): void {
    for (const [id, atMs] of leftMs) {
      if (leftMs.size <= MAX_UNUSED && nowMs() - atMs < KEPT_MS) return
      leftMs.delete(id)
      entries.delete(id)
    }
  }

  function createEntry(id: string, key: GetKey, input: unknown): Entry {
    const answer = createAnswer(() => fetchReply(key, input as never))
    let users = 0
    const invalidate = () => {
      answer.outdate()
      if (users > 0) answer.load()
    }
    const entry: Entry = {
      key,
      state: answer.state,
      use() {
        users++
        leftMs.delete(id)
        entries.set(id, entry)
        answer.load()
        return () => {
          if (--users > 0) return
          leftMs.set(id, nowMs())
          forgetUnused()
        }
      },
      invalidate,
      retry() {
        answer.outdate()
        answer.load()
      },
    }
    return entry
  }

  return {
    entry(key, input) {
      forgetUnused()
      const id = `${key} ${JSON.stringify(input ?? {})}`
      const known = entries.get(id) ?? createEntry(id, key, input)
      if (!entries.has(id)) leftMs.set(id, nowMs())
      entries.set(id, known)
      return known
    },
    invalidate(...paths) {
      forgetUnused()
      for (const entry of entries.values())
        if (paths.some((path) => entry.key.slice('GET '.length).startsWith(path))) entry.invalidate()
    },
  }
}

/** An answer and whether it is old. A question that was overtaken by a newer one is not listened to. */
function createAnswer(ask: () => Promise<unknown>) {
  const state = createStore<QueryState<unknown>>({ is: 'loading' })
  let asked = 0
  let isOld = true
  return {
    state,
    outdate() {
      isOld = true
      const { value } = state
      if (value.is === 'ready' && !value.isRenewing) state.set({ ...value, isRenewing: true })
    },
    load() {
      if (!isOld) return
      isOld = false
      const mine = ++asked
      if (state.value.is === 'failed') state.set({ is: 'loading' })
      ask().then(
        (data) => mine === asked && state.set({ is: 'ready', data, isStale: false }),
        (error) => {
          if (mine !== asked) return
          isOld = true
          const { value } = state
          state.set(
            value.is === 'ready' ? { is: 'ready', data: value.data, isStale: true } : { is: 'failed', error },
          )
        },
      )
    },
  }
}
