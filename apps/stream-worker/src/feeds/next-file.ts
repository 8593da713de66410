import { Failure, type Log, type MediaKey, sleep } from '@solstice/station'

const RETRY_MS = 10_000

/** An upcoming entry and the file it needs. */
export interface ComingEntry {
  entryId: string
  media: MediaKey
}

/** Looks up the file of each upcoming entry once. */
export interface NextFile {
  /** Sets the upcoming entry; null = none. */
  follow(next: ComingEntry | null): void
}

/**
 * @param find throws Failure NOT_FOUND for a file that is missing; after any other error it is asked again.
 * @param missing called for an entry without a file, which may no longer be the upcoming one.
 */
export function createNextFile(
  find: (media: MediaKey) => Promise<unknown>,
  missing: (entryId: string) => void,
  log: Log,
  stopping: AbortSignal,
): NextFile {
  let next: ComingEntry | null = null
  let foundId: string | null = null
  let isLooking = false

  const look = async ({ entryId, media }: ComingEntry): Promise<void> => {
    try {
      await find(media)
      foundId = entryId
    } catch (error) {
      if (stopping.aborted) return
      if (error instanceof Failure && error.code === 'NOT_FOUND') {
        foundId = entryId
        log.warn({ media }, 'next track left out: its file is missing')
        return missing(entryId)
      }
      await sleep(RETRY_MS, { signal: stopping }).catch(() => {})
    }
  }

  return {
    follow(coming) {
      next = coming
      if (isLooking) return
      isLooking = true
      void (async () => {
        while (next && next.entryId !== foundId && !stopping.aborted) await look(next)
        isLooking = false
      })()
    },
  }
}
