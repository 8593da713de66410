import type { Cover } from '@solstice/contracts'
import { type DataStore, findCover, type Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'

/** A cover that was just read shows after this. */
const REREAD_AFTER_MS = 3_000
/** Tracks kept in memory; those on air and next are a handful. */
const MAX_TRACKS = 200

/** The covers of tracks on air, as this replica knows them. */
export interface Covers {
  /** The cover of a track; null while it is not known. Asking has it read. */
  of(trackId: string | null): Cover | null
  /** Calls when a cover that was asked for is another than the one answered. */
  onChange(listener: () => void): Unsubscribe
}

interface Known {
  cover: Cover | null
  readAtMs: number
}

/** Answers from memory, so that what listeners are told need not wait for the store. */
export function mirrorCovers(deps: { data: Pick<DataStore, 'covers' | 'trackCovers'>; log: Logger }): Covers {
  const { data, log } = deps
  const listeners = new Set<() => void>()
  const known = new Map<string, Known>()

  const read = async (trackId: string, entry: Known) => {
    try {
      const cover = await findCover(data, trackId)
      if (cover?.id === entry.cover?.id) return
      entry.cover = cover
      for (const listener of listeners) listener()
    } catch (error) {
      log.warn({ err: error, track: trackId }, 'cover could not be looked up')
    }
  }

  return {
    of(trackId) {
      if (trackId === null) return null
      const nowMs = performance.now()
      const entry = known.get(trackId) ?? { cover: null, readAtMs: Number.NEGATIVE_INFINITY }
      if (nowMs - entry.readAtMs > REREAD_AFTER_MS) {
        entry.readAtMs = nowMs
        if (known.size >= MAX_TRACKS && !known.has(trackId)) known.clear()
        known.set(trackId, entry)
        read(trackId, entry)
      }
      return entry.cover
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
