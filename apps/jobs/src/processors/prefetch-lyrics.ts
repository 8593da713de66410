import type { Ports } from '@solstice/adapters'
import { createLyrics, lyricsKey, sleep } from '@solstice/station'

/** Nobody waits for these lookups, and the service belongs to others. */
const PACE_MS = 10_000

/**
 * Looks up the lyrics of all tracks that have none yet, one by one.
 *
 * @throws when `stopping` is aborted.
 */
export async function prefetchLyrics(
  { config, data, clock, log, lyricsLookup: lookup, lyricsTurns: turns }: Ports,
  stopping: AbortSignal,
): Promise<void> {
  if (config.lyricsApiUrl === '') return
  const lyrics = createLyrics({ data, lookup, turns, clock }, 'jobs')
  for (const { title, artist, album } of await data.tracks.find()) {
    if (await data.lyrics.get(lyricsKey(artist, title))) continue
    await lyrics.read({ title, artist, album }).catch((error) => {
      log.warn({ err: error, artist, title }, 'lyrics lookup failed')
    })
    await sleep(PACE_MS, { signal: stopping })
  }
}
