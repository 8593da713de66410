import type { LyricsEntry } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { lyricsKey } from '../core/keys.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, LyricsRecord } from '../ports/data-store.ts'
import type { LyricsLane, LyricsTurns } from '../ports/lyrics-turns.ts'
import type { LyricsLookup } from '../ports/outside.ts'
import { createLyricsCache } from './cache.ts'
import { findSong, NO_LYRICS, normalizeLyrics, offsetOf, type Song } from './lyrics.ts'

/** Somebody waits in front of a screen for what takes a turn; a song text is not worth more. */
const PATIENCE_MS = 8_000

/** Lyrics as listeners get them; `offset` in seconds is added to every line time. */
export type OffsetLyrics = LyricsEntry & { notFound: boolean; offset: number }

export interface Lyrics {
  /**
   * The lyrics of a song: those that the station remembers, else what the lookup service knows. Of songs of the library and
   * the history that is remembered for good, "not found" included, and asked for by their own album and length; any other
   * answer is kept for minutes. Callers who miss the same song at the same time share one lookup.
   *
   * @param admit called before a lookup; what it throws refuses the caller.
   * @throws Failure FETCH_FAILED when the service cannot be reached or others keep it busy; nothing is remembered then.
   */
  read(song: Song, admit?: (isOurs: boolean) => Promise<void>): Promise<OffsetLyrics>
  /**
   * What the service knows of a song now; null when that is nothing, or lookups are off. Nothing is remembered.
   *
   * @param durationSecs what the library says, unless given and not 0.
   * @param stopping how long to wait for a turn; some seconds unless given.
   * @throws Failure FETCH_FAILED when the service cannot be reached; the reason of `stopping`.
   */
  search(song: Song, durationSecs?: number | null, stopping?: AbortSignal): Promise<LyricsEntry | null>
}

type Data = Pick<DataStore, 'lyrics' | 'offsets' | 'tracks' | 'history'>

/**
 * @param lookup null when lookups are off: songs without remembered lyrics are then "not found", for the moment.
 * @param lane who waits for each other; those in one lane never keep others waiting.
 */
export function createLyrics(
  deps: { data: Data; lookup: LyricsLookup | null; turns: LyricsTurns; clock: WallClock },
  lane: LyricsLane,
): Lyrics {
  const { data, lookup, turns, clock } = deps
  const underway = new Map<string, Promise<LyricsEntry>>()
  const passing = createLyricsCache(clock)

  /** @param isAnswered asked once more when it is our turn: others may have been asking for the same. */
  const ask = async <T>(
    song: Song & { durationSecs?: number | null | undefined },
    isAnswered: () => Promise<T | null>,
    stopping?: AbortSignal,
  ): Promise<T | LyricsEntry | null> => {
    if (!lookup) return null
    const { title, artist, album, durationSecs } = song
    const failed = (cause: unknown): never => {
      stopping?.throwIfAborted()
      throw new Failure('FETCH_FAILED', {}, { cause })
    }
    const endTurn = await turns.take(lane, stopping ?? AbortSignal.timeout(PATIENCE_MS)).catch(failed)
    try {
      const answered = await isAnswered()
      if (answered) return answered
      const found = await lookup
        .find({ title, artist, ...(album && { album }), ...(durationSecs && { durationSecs }) })
        .catch(failed)
      const entry = found && normalizeLyrics(found)
      return entry?.lines.length ? { ...entry, fetchedAt: dateNow(clock) } : null
    } finally {
      await endTurn()
    }
  }
  const nobody = async () => null

  /** For good. */
  const keep = async (key: string, song: Song): Promise<LyricsEntry> => {
    const found = await ask(song, () => data.lyrics.get(key))
    if (found && 'key' in found) return found
    const record: LyricsRecord = { key, ...(found ?? notFoundAt(dateNow(clock))) }
    // Somebody may have written lyrics by hand meanwhile: those stay.
    return (await data.lyrics.insert(record)) ?? (await data.lyrics.get(key)) ?? record
  }

  const pass = async (key: string, song: Song): Promise<LyricsEntry> => {
    const entry = (await ask(song, nobody)) ?? notFoundAt(dateNow(clock))
    passing.put(key, entry)
    return entry
  }

  const once = (key: string, look: () => Promise<LyricsEntry>): Promise<LyricsEntry> => {
    const shared = underway.get(key)
    if (shared) return shared
    const own = look().finally(() => underway.delete(key))
    underway.set(key, own)
    return own
  }

  const entryOf = async (key: string, song: Song, admit?: (isOurs: boolean) => Promise<void>) => {
    const remembered = await data.lyrics.get(key)
    if (remembered || !lookup) return remembered
    const ours = await songOf(data, song)
    const known = ours ? null : passing.get(key)
    if (known) return known
    await admit?.(ours !== null)
    return once(key, () => (ours ? keep(key, ours) : pass(key, song)))
  }

  return {
    async search(song, durationSecs, stopping) {
      // The service tells recordings of one song apart by their length.
      const length = durationSecs || (await findSong(data, song))?.duration
      return ask({ ...song, durationSecs: length }, nobody, stopping)
    },

    async read(song, admit) {
      const key = lyricsKey(song.artist, song.title)
      const { synced, lines, reason, fetchedAt } = (await entryOf(key, song, admit)) ?? NO_LYRICS
      return {
        synced,
        lines,
        notFound: lines.length === 0,
        offset: await offsetOf(data, key),
        ...(reason !== undefined && { reason }),
        ...(fetchedAt !== undefined && { fetchedAt }),
      }
    },
  }
}

const notFoundAt = (fetchedAt: number): LyricsEntry => ({ ...NO_LYRICS, notFound: true, fetchedAt })

/** A song as the library or the history has it, with all that tells recordings apart; null for songs of nobody's. */
async function songOf(data: Data, song: Song): Promise<(Song & { durationSecs?: number | null }) | null> {
  const track = await findSong(data, song)
  if (track) {
    const { title, artist, album, duration } = track
    return { title, artist, album, durationSecs: duration }
  }
  return playedByKey(await data.history.find()).get(lyricsKey(song.artist, song.title)) ?? null
}

const playedByKey = memoizeLast(
  (played: readonly Readonly<Required<Song>>[]) =>
    new Map(played.map(({ title, artist, album }) => [lyricsKey(artist, title), { title, artist, album }])),
)
