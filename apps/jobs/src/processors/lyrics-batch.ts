import type { JobContext, Ports } from '@solstice/adapters'
import { type Audit, createLyrics, type JobData, updateLyrics } from '@solstice/station'

/** Updates the lyrics of tracks from the lookup service. @throws when it is interrupted. */
export function lyricsBatch(
  ports: Ports & { audit: Audit },
  data: JobData<'lyrics-batch'>,
  context: JobContext,
) {
  const { config, lyricsLookup: lookup, lyricsTurns: turns } = ports
  const lyrics = config.lyricsApiUrl ? createLyrics({ ...ports, lookup, turns }, 'jobs') : null
  return updateLyrics({ ...ports, lyrics, batches: ports.openLyricsBatches() }, data, context)
}
