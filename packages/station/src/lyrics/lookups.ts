import type { LyricsEntry } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { lyricsKey } from '../core/keys.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { sleep } from '../core/turns/sleep.ts'
import { timeLimit } from '../core/turns/time-limit.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, LyricsRecord } from '../ports/data/data-store.ts'
import type { LyricsLane, LyricsLookup, LyricsTurns } from '../ports/lyrics.ts'
import { createLyricsCache } from './cache.ts'
import { findTrackNamed, NO_LYRICS, normalizeLyrics, offsetOf, type TrackName } from './lyrics.ts'

/** Somebody waits in front of a screen; lyrics are not worth a longer wait. */
const PATIENCE_MS = 8_000

/** Lyrics as listeners get them; `offset` in seconds is added to every line time. */
export type OffsetLyrics = LyricsEntry & { notFound: boolean; offset: number }

export interface Lyrics {
  /**
   * The lyrics of a track: the stored ones, else those of the lookup service. For tracks of the library and the history the
   * service is asked with their own album and length, and its answer is stored for good, "not found" included; any other
   * answer is cached for minutes. Simultaneous callers for one track share a lookup.
   *
   * @param admit called before a lookup; what it throws refuses the caller.
   * @throws Failure FETCH_FAILED when the service cannot be reached or is busy with others; nothing is stored then.
   */
  read(name: TrackName, admit?: (isOurs: boolean) => Promise<void>): Promise<OffsetLyrics>
  /**
   * Asks the service for the lyrics of a track; null when it has none, or lookups are off. Stores nothing.
   *
   * @param durationSecs by default, and for 0, the length in the library.
   * @param stopping ends the wait for a turn; some seconds by default.
   * @throws Failure FETCH_FAILED when the service cannot be reached; the reason of `stopping`.
   */
  search(name: TrackName, durationSecs?: number | null, stopping?: AbortSignal): Promise<LyricsEntry | null>
}

type Data = Pick<DataStore, 'lyrics' | 'offsets' | 'tracks' | 'history'>

interface LookupDeps {
  data: Data
  /** null when lookups are off: tracks without stored lyrics are then "not found", for the moment. */
  lookup: LyricsLookup | null
  turns: LyricsTurns
  clock: WallClock
}

/** @param lane callers of one lane never keep those of another waiting. */
export function createLyrics(deps: LookupDeps, lane: LyricsLane): Lyrics {
  const { data, lookup, clock } = deps
  const underway = new Map<string, Promise<LyricsEntry>>()
  const cache = createLyricsCache(clock)
  const nobody = async () => null

  /** Looks up a track of ours, and stores the answer for good. */
  const lookUpOurs = async (key: string, recording: Recording): Promise<LyricsEntry> => {
    const found = await askService(deps, { recording, lane, isAnswered: () => data.lyrics.get(key) })
    if (found && 'key' in found) return found
    const record: LyricsRecord = { key, ...(found ?? notFoundAt(dateNow(clock))) }
    // Lyrics that were written by hand meanwhile stay.
    return (await data.lyrics.insert(record)) ?? (await data.lyrics.get(key)) ?? record
  }

  const lookUpOther = async (key: string, name: TrackName): Promise<LyricsEntry> => {
    const found = await askService(deps, { recording: name, lane, isAnswered: nobody })
    const entry = found ?? notFoundAt(dateNow(clock))
    cache.put(key, entry)
    return entry
  }

  const once = (key: string, look: () => Promise<LyricsEntry>): Promise<LyricsEntry> => {
    const shared = underway.get(key)
    if (shared) return shared
    const own = look().finally(() => underway.delete(key))
    underway.set(key, own)
    return own
  }

  const entryOf = async (key: string, name: TrackName, admit?: (isOurs: boolean) => Promise<void>) => {
    const stored = await data.lyrics.get(key)
    if (stored || !lookup) return stored
    const ours = await recordingOf(data, name)
    const cached = ours ? null : cache.get(key)
    if (cached) return cached
    await admit?.(ours !== null)
    return once(key, () => (ours ? lookUpOurs(key, ours) : lookUpOther(key, name)))
  }

  return {
    async search(name, durationSecs, stopping) {
      // The service tells recordings of one track apart by their length.
      const length = durationSecs || (await findTrackNamed(data, name))?.duration
      const recording = { ...name, durationSecs: length }
      return askService(deps, { recording, lane, isAnswered: nobody, stopping })
    },

    async read(name, admit) {
      const key = lyricsKey(name.artist, name.title)
      const { synced, lines, reason, fetchedAt } = (await entryOf(key, name, admit)) ?? NO_LYRICS
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

/** A track with the facts that tell its recordings apart. */
type Recording = TrackName & { durationSecs?: number | null | undefined }

/**
 * Waits for a turn, then asks the service; null when it knows nothing, or lookups are off.
 *
 * @param query.isAnswered asked when the turn comes: somebody else may have looked up the same track.
 * @throws Failure FETCH_FAILED; the reason of `query.stopping`.
 */
async function askService<T>(
  { lookup, turns, clock }: LookupDeps,
  query: {
    recording: Recording
    lane: LyricsLane
    isAnswered: () => Promise<T | null>
    stopping?: AbortSignal | undefined
  },
): Promise<T | LyricsEntry | null> {
  if (!lookup) return null
  const { lane, isAnswered, stopping } = query
  const { title, artist, album, durationSecs } = query.recording
  const failed = (cause: unknown): never => {
    stopping?.throwIfAborted()
    throw new Failure('FETCH_FAILED', {}, { cause })
  }
  const pauseMs = lookup.pauseMs ?? 0
  // A batch waits for the service; nobody in front of a screen does.
  if (pauseMs > 0 && lane === 'jobs' && stopping) await sleep(pauseMs, { signal: stopping })
  else if (pauseMs > 0) failed(new Error('the lyrics service does not answer; it is asked again later'))
  const endTurn = await turns.take(lane, stopping ?? timeLimit(PATIENCE_MS)).catch(failed)
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

const notFoundAt = (fetchedAt: number): LyricsEntry => ({ ...NO_LYRICS, notFound: true, fetchedAt })

/** The recording of a track in the library or the history; null for any other track. */
async function recordingOf(data: Data, name: TrackName): Promise<Recording | null> {
  const track = await findTrackNamed(data, name)
  if (track) {
    const { title, artist, album, duration } = track
    return { title, artist, album, durationSecs: duration }
  }
  return playedByKey(await data.history.find()).get(lyricsKey(name.artist, name.title)) ?? null
}

const playedByKey = memoizeLast(
  (played: readonly Readonly<Required<TrackName>>[]) =>
    new Map(played.map(({ title, artist, album }) => [lyricsKey(artist, title), { title, artist, album }])),
)
