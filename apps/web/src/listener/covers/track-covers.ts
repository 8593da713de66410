import { localNowMs } from '../../radio/connection/station-clock.ts'
import { createStore, type Store } from '../../ui/store.ts'

/** The covers of tracks in lists. */
export interface TrackCovers {
  /** Ids by track; null for a track without a cover. */
  readonly known: Store<ReadonlyMap<string, string | null>>
  /** True as soon as a track has one: lists of stations without covers keep no room for them. */
  readonly hasAny: Store<boolean>
  /** Has a cover looked up unless it is known. Tracks of the same moment share requests. @param withinMs when, at the latest. */
  want(track: string, withinMs: number): void
}

/** As many as the station answers at once. */
const MAX_ASKED = 20
const MAX_KNOWN = 2_000

/** @param ask returns the covers of tracks, in the same order. What fails is asked again when it is wanted again. */
export function createTrackCovers(ask: (tracks: string[]) => Promise<(string | null)[]>): TrackCovers {
  const known = createStore<ReadonlyMap<string, string | null>>(new Map())
  const hasAny = createStore(false)
  const wanted = new Set<string>()
  let isAsking = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAtMs = Number.POSITIVE_INFINITY

  function remember(tracks: string[], covers: (string | null)[]): void {
    const next = new Map(known.value)
    for (const [i, cover] of covers.entries()) next.set(tracks[i]!, cover)
    for (const oldest of next.keys()) {
      if (next.size <= MAX_KNOWN) break
      next.delete(oldest)
    }
    if (covers.some(Boolean)) hasAny.set(true)
    if (covers.length > 0) known.set(next)
  }

  async function askAll(): Promise<void> {
    dueAtMs = Number.POSITIVE_INFINITY
    isAsking = true
    while (wanted.size > 0) {
      const tracks = [...wanted].slice(0, MAX_ASKED)
      const covers = await ask(tracks).catch(() => [])
      for (const track of tracks) wanted.delete(track)
      remember(tracks, covers)
    }
    isAsking = false
  }

  return {
    known,
    hasAny,
    want(track, withinMs) {
      if (known.value.has(track)) return
      wanted.add(track)
      const waitMs = Math.random() * withinMs
      // A sheet that was opened doesn't wait for the lists, which have time.
      if (isAsking || localNowMs() + waitMs >= dueAtMs) return
      dueAtMs = localNowMs() + waitMs
      clearTimeout(timer)
      timer = setTimeout(askAll, waitMs)
    },
  }
}
