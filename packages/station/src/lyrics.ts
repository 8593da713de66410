import type { LyricsEntry } from '@solstice/contracts'
import { Failure } from './failure.ts'
import { lyricsKey } from './keys.ts'
import type { StationClock } from './ports/bus.ts'
import type { DataStore, LyricsRecord } from './ports/data-store.ts'
import type { LyricsLookup } from './ports/outside.ts'

export interface Song {
  title: string
  artist: string
  album?: string
}

/** Lyrics as listeners get them; `offset` in seconds is added to every line time. */
export type OffsetLyrics = LyricsEntry & { notFound: boolean; offset: number }

export interface Lyrics {
  /**
   * The lyrics of a song: those that the station remembers, else what the lookup service knows, which is then
   * remembered for good, "not found" included. Callers who miss the same song at the same time share one lookup.
   *
   * @param admit called before a lookup; what it throws refuses the caller.
   * @throws Failure FETCH_FAILED when the service cannot be reached; nothing is remembered then.
   */
  read(song: Song, admit?: () => Promise<void>): Promise<OffsetLyrics>
}

/** @param lookup null when lookups are off: songs without remembered lyrics are then "not found", for the moment. */
export function createLyrics(
  data: Pick<DataStore, 'lyrics' | 'offsets' | 'tracks'>,
  lookup: LyricsLookup | null,
  clock: StationClock,
): Lyrics {
  const underway = new Map<string, Promise<LyricsEntry>>()

  const lookUp = async (service: LyricsLookup, key: string, song: Song): Promise<LyricsEntry> => {
    const durationSecs = await durationOf(data, key)
    const found = await service
      .find({ ...song, ...(durationSecs !== null && { durationSecs }) })
      .catch((cause: unknown) => {
        throw Object.assign(new Failure('FETCH_FAILED'), { cause })
      })
    const record: LyricsRecord = {
      key,
      ...(found ?? { synced: false, lines: [], notFound: true }),
      fetchedAt: Math.floor(clock.nowMs()),
    }
    // Somebody may have written lyrics by hand meanwhile: those stay.
    return (await data.lyrics.insert(record)) ?? (await data.lyrics.get(key)) ?? record
  }

  const lookUpOnce = (service: LyricsLookup, key: string, song: Song): Promise<LyricsEntry> => {
    const shared = underway.get(key)
    if (shared) return shared
    const own = lookUp(service, key, song).finally(() => underway.delete(key))
    underway.set(key, own)
    return own
  }

  return {
    async read(song, admit) {
      const key = lyricsKey(song.artist, song.title)
      let entry: LyricsEntry | null = await data.lyrics.get(key)
      if (!entry && lookup) {
        await admit?.()
        entry = await lookUpOnce(lookup, key, song)
      }
      const { synced, lines, notFound, reason, fetchedAt } = entry ?? {
        synced: false,
        lines: [],
        notFound: true,
      }
      const offset = (await data.offsets.get(key))?.offset ?? 0
      return {
        synced,
        lines,
        notFound: notFound === true,
        offset,
        ...(reason !== undefined && { reason }),
        ...(fetchedAt !== undefined && { fetchedAt }),
      }
    },
  }
}

/** The service tells recordings of one song apart by their length, so it is given when the library knows it. */
async function durationOf(data: Pick<DataStore, 'tracks'>, key: string): Promise<number | null> {
  const tracks = await data.tracks.find()
  return tracks.find((track) => lyricsKey(track.artist, track.title) === key)?.duration ?? null
}
