import { type LyricsLine, parsePlainLines, parseSyncedLines } from '@solstice/contracts'
import type { LyricsLookup } from '@solstice/station'

const TIME_LIMIT_MS = 10_000
/** The longest song text is a small part of this. */
const SIZE_LIMIT_BYTES = 512 * 1024

/**
 * Lyrics from a service that speaks the LRCLIB form: `GET <base>/get?track_name&artist_name&album_name&duration`.
 * Synced text is preferred to plain. An answer that is late, too large, redirected or not of that form counts as no
 * answer.
 *
 * @param baseUrl without a slash at the end; empty = lookups are off, nothing is ever found.
 */
export function createLyricsLookup(baseUrl: string, timeLimitMs = TIME_LIMIT_MS): LyricsLookup {
  return {
    async find({ title, artist, album, durationSecs }) {
      if (!baseUrl) return null
      const query = new URLSearchParams({ track_name: title, artist_name: artist })
      if (album) query.set('album_name', album)
      if (durationSecs) query.set('duration', String(Math.round(durationSecs)))

      const tooLate = AbortSignal.timeout(timeLimitMs)
      const response = await fetch(`${baseUrl}/get?${query}`, {
        headers: { accept: 'application/json', 'user-agent': 'Solstice radio' },
        // The operator named one host; where it sends us to is nobody's promise.
        redirect: 'error',
        signal: tooLate,
      })
      if (response.status === 404) {
        await response.body?.cancel()
        return null
      }
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Error(`the lyrics service answered ${response.status}`)
      }
      return readAnswer(JSON.parse(await readText(response, tooLate)))
    },
  }
}

async function readText({ body }: Response, tooLate: AbortSignal): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body.getReader()
  // fetch heeds its signal until the head of the answer is there; afterwards it may forget it.
  const giveUp = () => void reader.cancel().catch(() => {})
  tooLate.addEventListener('abort', giveUp)
  try {
    for (;;) {
      const { value } = await reader.read()
      tooLate.throwIfAborted()
      if (!value) return Buffer.concat(chunks).toString('utf8')
      size += value.length
      if (size > SIZE_LIMIT_BYTES)
        throw new Error(`the lyrics service answered more than ${SIZE_LIMIT_BYTES} bytes`)
      chunks.push(value)
    }
  } finally {
    tooLate.removeEventListener('abort', giveUp)
    giveUp()
  }
}

function readAnswer(answer: unknown): { synced: boolean; lines: LyricsLine[] } | null {
  if (typeof answer !== 'object' || answer === null || !('syncedLyrics' in answer || 'plainLyrics' in answer))
    throw new Error('the lyrics service answered something else than lyrics')
  const { syncedLyrics, plainLyrics } = answer as Record<string, unknown>
  const syncedLines = typeof syncedLyrics === 'string' ? parseSyncedLines(syncedLyrics) : []
  if (syncedLines.length) return { synced: true, lines: syncedLines }
  const plainLines = typeof plainLyrics === 'string' ? parsePlainLines(plainLyrics) : []
  return plainLines.length ? { synced: false, lines: plainLines } : null
}
