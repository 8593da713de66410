import { type LyricsLine, parsePlainLines, parseSyncedLines } from '@solstice/contracts'
import type { LyricsLookup } from '@solstice/station'
import { createCircuit } from './circuit.ts'

const TIME_LIMIT_MS = 10_000
/** Even the longest lyrics are a fraction of this. */
const SIZE_LIMIT_BYTES = 512 * 1024

/**
 * Looks up lyrics at a service with the LRCLIB API: `GET <base>/get?track_name&artist_name&album_name&duration`.
 * Prefers synced lyrics to plain ones. `find` throws when the answer is late, too large, redirected or malformed.
 *
 * @param baseUrl without a trailing slash; '' turns lookups off, and nothing is found.
 */
export function createLyricsLookup(
  baseUrl: string,
  timeLimitMs = TIME_LIMIT_MS,
  circuit = createCircuit('the lyrics service'),
): LyricsLookup {
  return {
    get pauseMs() {
      return circuit.pauseMs
    },

    async find({ title, artist, album, durationSecs }) {
      if (!baseUrl) return null
      const query = new URLSearchParams({ track_name: title, artist_name: artist })
      if (album) query.set('album_name', album)
      if (durationSecs) query.set('duration', String(Math.round(durationSecs)))

      const answer = await circuit.fetch(
        `${baseUrl}/get?${query}`,
        { headers: { accept: 'application/json', 'user-agent': 'Solstice radio' } },
        { timeMs: timeLimitMs, maxBytes: SIZE_LIMIT_BYTES },
      )
      if (answer.status === 200) return readAnswer(JSON.parse(await answer.text()))
      await answer.discard()
      if (answer.status === 404) return null
      throw new Error(`the lyrics service answered ${answer.status}`)
    },
  }
}

function readAnswer(answer: unknown): { synced: boolean; lines: LyricsLine[] } | null {
  if (typeof answer !== 'object' || answer === null || !('syncedLyrics' in answer || 'plainLyrics' in answer))
    throw new Error('the lyrics service answered something other than lyrics')
  const { syncedLyrics, plainLyrics } = answer as Record<string, unknown>
  const syncedLines = typeof syncedLyrics === 'string' ? parseSyncedLines(syncedLyrics) : []
  if (syncedLines.length) return { synced: true, lines: syncedLines }
  const plainLines = typeof plainLyrics === 'string' ? parsePlainLines(plainLyrics) : []
  return plainLines.length ? { synced: false, lines: plainLines } : null
}
