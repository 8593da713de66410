import type { LyricsEntry } from '@solstice/contracts'
import { apiUrl, getWrapped } from '../../../api.ts'
import type { RenewingToken } from '../../../radio/connection/renewing-token.ts'

/** The lyrics of a track; `offset` is added to the time of every line, in seconds. */
export type Lyrics = LyricsEntry & { offset: number }

/** The line that is sung: the last one with `time + offset <= position`; −1 before the first. */
export function activeLine({ lines, offset }: Pick<Lyrics, 'lines' | 'offset'>, position: number): number {
  return lines.findLastIndex((line) => line.time + offset <= position)
}

/** Fetches the lyrics of a track. @throws {ApiError} when the station refuses. */
export async function readLyrics(
  artToken: RenewingToken,
  track: { title: string; artist: string; album: string },
): Promise<Lyrics> {
  const { bytes } = await getWrapped(apiUrl('/api/lyrics', track), await artToken.get())
  return { offset: 0, ...(JSON.parse(new TextDecoder().decode(bytes)) as LyricsEntry) }
}
