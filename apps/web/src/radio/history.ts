import type { HistoryItem } from '@solstice/contracts'
import { get } from '../api.ts'
import { createStore, type Store } from '../ui/store.ts'
import type { Airing } from './timeline.ts'

const MIN_DELAY_MS = 500
const RELOAD_SPREAD_MS = 3000

/** The tracks that played earlier, oldest first; loaded again with each new track. */
export function createHistory(heard: Store<Airing | null>): Store<HistoryItem[] | null> {
  const history = createStore<HistoryItem[] | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  onNewTrack(heard, () => {
    clearTimeout(timer)
    // All listeners hear the new track at once; their requests are spread over three seconds.
    const delayMs = history.value?.length ? MIN_DELAY_MS + Math.random() * RELOAD_SPREAD_MS : 0
    timer = setTimeout(() => get('/api/history').then(history.set, () => {}), delayMs)
  })
  return history
}

/** Calls whenever another track is heard than before. */
export function onNewTrack(heard: Store<Airing | null>, listener: () => void): void {
  let track: string | null | undefined
  heard.subscribe((airing) => {
    if (!airing || airing.state.track === track) return
    track = airing.state.track
    listener()
  })
}
