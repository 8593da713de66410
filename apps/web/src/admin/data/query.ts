import { useEffect, useMemo } from 'preact/hooks'
import { createStore, useStore } from '../../ui/store.ts'
import { usePanel } from './panel.ts'
import type { QueryState } from './queries.ts'
import type { CallInput, GetKey, ReplyOf } from './routes.ts'

/**
 * The answer of a route, asked for once for all components that need it, and again when an event of `outdatedBy`, a command
 * or a new connection makes it old. With `null` instead of a key nothing is asked for.
 */
export function useQuery<K extends GetKey>(
  key: K | null,
  input?: CallInput<K>,
): QueryState<ReplyOf<K>> & { retry: () => void } {
  const { queries } = usePanel()
  const id = key && JSON.stringify(input ?? {})
  const entry = useMemo(() => (key ? queries.entry(key, input) : null), [queries, key, id])
  const state = useStore(entry?.state ?? idle) as QueryState<ReplyOf<K>>
  useEffect(() => entry?.use(), [entry])
  return { ...state, retry: () => entry?.retry() }
}

const idle = createStore<QueryState<unknown>>({ is: 'loading' })
