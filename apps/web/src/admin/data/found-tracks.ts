import type { LibraryRow, Mode } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryState } from './queries.ts'
import { useQuery } from './query.ts'

/** Long enough for a word typed at once, too short to be waited for. */
const TYPING_MS = 120

export interface FoundTracks {
  items: readonly LibraryRow[]
  /** All that match. */
  total: number
}

/**
 * The tracks of a mode, or of both, in whose artist or title every word of the query occurs, the first ones by artist and title; those
 * of the words before until they are known. Without words or mode nothing is asked for.
 */
export function useFoundTracks(
  query: string,
  mode: Mode | 'both' | undefined,
  limit: number,
): QueryState<FoundTracks> & { retry: () => void } {
  const q = useSettled(query.trim())
  const isAsked = q !== '' && mode !== undefined
  const state = useQuery(isAsked ? 'GET /api/admin/songs/page' : null, {
    query: { q, ...(mode !== 'both' && { mode }), offset: 0, limit },
  })
  const last = useRef<FoundTracks | null>(null)
  if (!query.trim()) last.current = null
  else if (isAsked && state.is === 'ready') last.current = state.data
  if (state.is === 'failed' || !last.current) return state
  return {
    is: 'ready',
    data: last.current,
    isStale: state.is === 'ready' && state.isStale,
    retry: state.retry,
  }
}

/** A text once it has not changed for a moment; an empty one at once. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    if (text === settled) return
    const timer = setTimeout(() => setSettled(text), text ? TYPING_MS : 0)
    return () => clearTimeout(timer)
  }, [text, settled])
  return text && settled
}
