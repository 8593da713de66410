import type { ServerEventName } from '@solstice/contracts'
import { createStore, type Store } from '../../ui/store.ts'
import { call } from './client.ts'
import type { CallInput, GetKey } from './routes.ts'

/** What is known of an answer. `isStale`: the station can't be asked again just now, or is being asked. */
export type QueryState<T> =
  | { is: 'loading' }
  | { is: 'failed'; error: unknown }
  | { is: 'ready'; data: T; isStale: boolean }

interface Entry {
  key: string
  readonly state: Store<QueryState<unknown>>
  users: number
  load(): void
  /** What is shown may be old; it is asked for again now or when it is next used. */
  invalidate(): void
}

/** Answers of the station, kept while somebody looks at them and for a while after. */
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
  jingles_updated: ['/api/admin/jingles'],
  phrases_updated: ['/api/admin/phrases'],
  background_music_updated: ['/api/admin/background-music'],
  settings_updated: ['/api/admin/settings', '/api/admin/song-groups'],
  admin_authorized: ['/api/admin/admins'],
  // Payments, decisions on orders and new prices are in the audit log.
  audit_new_entry: ['/api/admin/donations'],
}

export function createQueries(fetchReply: (key: GetKey, input?: never) => Promise<unknown> = call): Queries {
  const entries = new Map<string, Entry>()

  function createEntry(key: GetKey, input: unknown): Entry {
    const state = createStore<QueryState<unknown>>({ is: 'loading' })
    let asked = 0
    let isOld = true
    const entry: Entry = {
      key,
      state,
      users: 0,
      load() {
        if (!isOld) return
        isOld = false
        const mine = ++asked
        const { value } = state
        if (value.is === 'failed') state.set({ is: 'loading' })
        fetchReply(key, input as never).then(
          (data) => mine === asked && state.set({ is: 'ready', data, isStale: false }),
          (error) => {
            if (mine !== asked) return
            isOld = true
            const known = state.value
            state.set(known.is === 'ready' ? { ...known, isStale: true } : { is: 'failed', error })
          },
        )
      },
      invalidate() {
        isOld = true
        const { value } = state
        if (value.is === 'ready') state.set({ ...value, isStale: true })
        if (entry.users > 0) entry.load()
      },
    }
    return entry
  }

  return {
    entry(key, input) {
      const id = `${key} ${JSON.stringify(input ?? {})}`
      const known = entries.get(id) ?? createEntry(key, input)
      entries.set(id, known)
      return known
    },
    invalidate(...paths) {
      for (const entry of entries.values())
        if (paths.some((path) => entry.key.slice('GET '.length).startsWith(path))) entry.invalidate()
    },
  }
}
