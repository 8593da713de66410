import { isSparing } from '../sparing.ts'

/** The file of the track that comes next, in memory before its turn: what the station sends is not kept by the browser itself. */
export interface NextFile {
  /** Fetches the file of a track, once, unless every byte counts. */
  prepare(track: string, address: string): void
  /** The address of the file in memory, valid until the next call; null when it isn't there. */
  take(track: string): string | null
  /** Ends a fetch, and lets go of what it brought. */
  clear(): void
}

export function createNextFile(): NextFile {
  let wanted: { track: string; stop: AbortController; url: string | null } | null = null
  let taken: string | null = null

  function clear(): void {
    wanted?.stop.abort()
    if (wanted?.url) URL.revokeObjectURL(wanted.url)
    wanted = null
  }

  async function load(address: string, file: NonNullable<typeof wanted>): Promise<void> {
    const response = await fetch(address, { credentials: 'include', signal: file.stop.signal })
    if (!response.ok) return
    const blob = await response.blob()
    if (wanted === file) file.url = URL.createObjectURL(blob)
  }

  return {
    prepare(track, address) {
      if (wanted?.track === track) return
      clear()
      if (isSparing()) return
      wanted = { track, stop: new AbortController(), url: null }
      // What fails here is fetched when it is on air.
      load(address, wanted).catch(() => {})
    },
    take(track) {
      if (taken) URL.revokeObjectURL(taken)
      taken = wanted?.track === track ? wanted.url : null
      if (taken) wanted = null
      else clear()
      return taken
    },
    clear,
  }
}
