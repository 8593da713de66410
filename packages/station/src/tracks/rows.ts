import type { LyricsStatus, Mode } from '@solstice/contracts'
import { searchedText } from '@solstice/playout'
import { artistKey, lyricsKey } from '../core/keys.ts'
import { createBreaks } from '../core/turns/breaks.ts'
import { lyricsStatus } from '../lyrics/lyrics.ts'
import type { DataStore, HistoryRecord, TrackRecord } from '../ports/data/data-store.ts'
import { facetBits, newCounters } from './row-facets.ts'

/** A track with what the records know of it. */
export interface LibraryRow {
  id: string
  title: string
  artist: string
  album: string
  year: number | null
  /** Seconds. */
  duration: number | null
  mode: Mode
  filename: string
  /** epoch ms of the upload; null for files that were found on disk. */
  addedAt: number | null
  lyricsStatus: LyricsStatus
  /** Its artist has a picture. */
  hasArt: boolean
  /** Id of its cover. */
  cover: string | null
  lufs: number | null
  /** Times that it started, as far as the history goes back. */
  plays: number
  /** epoch ms of the last start. */
  lastPlayedAt: number | null
}

/** A row as it is kept: a new one is made for each change of it. */
export interface KeptRow {
  readonly row: Readonly<LibraryRow>
  /** Its values of the facets. */
  readonly bits: number
  /** Number of the update that made it. */
  readonly madeIn: number
  /** What words are searched in. */
  readonly text: string
}

/** How the rows differ from those of an earlier update. */
export interface RowChanges {
  gone: readonly KeptRow[]
  made: readonly KeptRow[]
}

interface Made extends KeptRow {
  track: Readonly<TrackRecord>
  lyricsKey: string
  artistKey: string
}

export type RowData = Pick<
  DataStore,
  'tracks' | 'lyrics' | 'measurements' | 'artists' | 'trackCovers' | 'history'
>

export interface LibraryRows {
  /** Number of the last update. */
  readonly updates: number
  readonly byId: ReadonlyMap<string, KeptRow>
  /** Rows with each combination of values. */
  readonly counters: Uint32Array
  /** Null when they are too many, or too long ago. */
  changesSince(update: number): RowChanges | null
  /** Reads what has changed in the records since the last call. Call it again only when it has ended. */
  update(): Promise<void>
}

/** Items between two looks at the clock. */
const PIECE = 512
/** Changes that are remembered, so that what was made of the rows can be brought up to date without looking at all of them. */
const MAX_REMEMBERED = 1_000

/** Keeps the rows of the library in memory. An update makes new rows only for tracks of which something changed. */
export function createLibraryRows(data: RowData): LibraryRows {
  const byId = new Map<string, Made>()
  const counters = newCounters()
  let updates = 0
  let known: Sources | null = null
  const statuses = keptIndex<Found<'lyrics'>, LyricsStatus>(({ key }) => key, lyricsStatus)
  const loudness = keptIndex<Found<'measurements'>, number | null>(trackIdOf, ({ lufs }) => lufs)
  const covers = keptIndex<Found<'trackCovers'>, string | null>(trackIdOf, ({ coverId }) => coverId)
  const art = keptIndex<Found<'artists'>, boolean>(
    ({ artist }) => artist,
    ({ hasArt }) => hasArt,
  )
  const plays = createPlayCounts()

  const remembered = createMemory(byId)

  const take = (id: string, row: Made | null) => {
    const before = byId.get(id)
    remembered.note(updates, before, row)
    if (before) counters[before.bits]!--
    if (row) counters[row.bits]!++
    if (row) byId.set(id, row)
    else byId.delete(id)
  }
  const tracksOf = (records: readonly { trackId: string }[]) =>
    records.flatMap(({ trackId }) => byId.get(trackId)?.track ?? [])

  return {
    get updates() {
      return updates
    },
    byId,
    counters,
    changesSince: remembered.since,
    async update() {
      const found = await readSources(data)
      const changed = sourceNames.filter((name) => found[name] !== known?.[name])
      if (changed.length === 0) return
      const facts: Facts = {
        statuses: await statuses(found.lyrics),
        loudness: await loudness(found.measurements),
        art: await art(found.artists),
        covers: await covers(found.trackCovers),
        plays: await plays(found.history),
      }
      updates++
      const only = changed.length === 1 ? changed[0] : null
      const touched = known && only ? touchedBy(only, known, found) : null
      const toSee = touched ? tracksOf(touched) : found.tracks
      const pause = createBreaks()
      const make = rowMaker(facts, updates)
      for (let i = 0; i < toSee.length; i++) {
        if (i % PIECE === 0) await pause()
        const track = toSee[i]!
        if (only === 'tracks' && known!.tracks[i] === track) continue
        const before = byId.get(track.id)
        if (before?.track === track && (only === 'tracks' || isSame(before, facts))) continue
        take(track.id, make(track))
      }
      if (byId.size > found.tracks.length) for (const id of await goneFrom(byId, found.tracks)) take(id, null)
      known = found
    },
  }
}

type Found<N extends keyof RowData> = Awaited<ReturnType<RowData[N]['find']>>[number]
type Sources = { [N in keyof RowData]: readonly Found<N>[] }
const sourceNames = ['tracks', 'lyrics', 'measurements', 'artists', 'trackCovers', 'history'] as const

/** Reads one after another, with breaks: each list may have to be made first. */
async function readSources(data: RowData): Promise<Sources> {
  const pause = createBreaks()
  const tracks = await data.tracks.find()
  await pause()
  const lyrics = await data.lyrics.find()
  await pause()
  const measurements = await data.measurements.find()
  await pause()
  const artists = await data.artists.find()
  const trackCovers = await data.trackCovers.find()
  await pause()
  const history = await data.history.find()
  await pause()
  return { tracks, lyrics, measurements, artists, trackCovers, history }
}

interface Facts {
  statuses: ReadonlyMap<string, LyricsStatus>
  loudness: ReadonlyMap<string, number | null>
  art: ReadonlyMap<string, boolean>
  covers: ReadonlyMap<string, string | null>
  plays: ReadonlyMap<string, Plays>
}

function isSame(
  { row, lyricsKey, artistKey }: Made,
  { statuses, loudness, art, covers, plays }: Facts,
): boolean {
  const played = plays.get(row.id)
  return (
    row.plays === (played?.plays ?? 0) &&
    row.lastPlayedAt === (played?.lastPlayedAt ?? null) &&
    row.lyricsStatus === (statuses.get(lyricsKey) ?? 'none') &&
    row.hasArt === (art.get(artistKey) ?? false) &&
    row.cover === (covers.get(row.id) ?? null) &&
    row.lufs === (loudness.get(row.id) ?? null)
  )
}

/** Makes rows in the same update, with as few temporary objects as can be: in a large library they are hundreds of thousands. */
function rowMaker({ statuses, loudness, art, covers, plays }: Facts, madeIn: number) {
  const artistKeys = new Map<string, string>()
  const keyOfArtist = (artist: string): string => {
    const known = artistKeys.get(artist)
    if (known !== undefined) return known
    const key = artistKey(artist)
    artistKeys.set(artist, key)
    return key
  }
  return (track: Readonly<TrackRecord>): Made => {
    const { id, title, artist } = track
    const ofLyrics = lyricsKey(artist, title)
    const ofArtist = keyOfArtist(artist)
    const played = plays.get(id)
    const row: LibraryRow = {
      id,
      title,
      artist,
      album: track.album,
      year: track.year,
      duration: track.duration,
      mode: track.mode,
      filename: track.filename,
      addedAt: track.addedAt ?? null,
      lyricsStatus: statuses.get(ofLyrics) ?? 'none',
      hasArt: art.get(ofArtist) ?? false,
      cover: covers.get(id) ?? null,
      lufs: loudness.get(id) ?? null,
      plays: played?.plays ?? 0,
      lastPlayedAt: played?.lastPlayedAt ?? null,
    }
    const text = searchedText(track)
    return { row, bits: facetBits(row), madeIn, text, track, lyricsKey: ofLyrics, artistKey: ofArtist }
  }
}

/** Remembers the last changes of rows, as whole updates. */
function createMemory(byId: ReadonlyMap<string, KeptRow>) {
  const changes: { update: number; gone: KeptRow | undefined; made: KeptRow | null }[] = []
  /** The last update that is not remembered as a whole. */
  let forgotten = 0
  return {
    note(update: number, gone: KeptRow | undefined, made: KeptRow | null): void {
      if (update === forgotten) return
      changes.push({ update, gone, made })
      if (changes.length <= MAX_REMEMBERED) return
      forgotten = changes.shift()!.update
      if (update === forgotten) changes.length = 0
    },
    since(update: number): RowChanges | null {
      if (update < forgotten) return null
      const later = changes.filter((change) => change.update > update)
      return {
        gone: later.flatMap(({ gone }) => (gone && gone.madeIn <= update ? [gone] : [])),
        made: later.flatMap(({ made }) => (made && byId.get(made.row.id) === made ? [made] : [])),
      }
    },
  }
}

/** Ids of rows whose track is gone. */
async function goneFrom(byId: ReadonlyMap<string, Made>, tracks: Sources['tracks']): Promise<string[]> {
  const pause = createBreaks()
  const ids = new Set<string>()
  for (let i = 0; i < tracks.length; i++) {
    ids.add(tracks[i]!.id)
    if (i % PIECE === 0) await pause()
  }
  const gone: string[] = []
  let seen = 0
  for (const id of byId.keys()) {
    if (!ids.has(id)) gone.push(id)
    if (++seen % PIECE === 0) await pause()
  }
  return gone
}

/** The records that tell which tracks need a look; null when all of them do. */
function touchedBy(only: keyof Sources, before: Sources, after: Sources) {
  if (only === 'history') return addedTo(before.history, after.history)
  if (only === 'measurements' && isInPlace(before.measurements, after.measurements, ({ trackId }) => trackId))
    return after.measurements.filter((one, i) => one !== before.measurements[i])
  return null
}

/** True when no record has left or moved. */
const isInPlace = <T>(before: readonly T[], after: readonly T[], keyOf: (record: T) => string): boolean =>
  before.length <= after.length &&
  before.every((record, i) => record === after[i] || keyOf(record) === keyOf(after[i]!))

type History = readonly Readonly<HistoryRecord>[]

/** What was added to the history; null when something left it. */
function addedTo(before: History, after: History): History | null {
  const isLonger = after[0] === before[0] && after[before.length - 1] === before.at(-1)
  return isLonger ? after.slice(before.length) : null
}

type Index<T, V> = (records: readonly T[]) => Promise<ReadonlyMap<string, V>>

const trackIdOf = ({ trackId }: { trackId: string }) => trackId

/** Makes an index of records. Of those that stand where they stood, only the changed ones are looked at. */
function keptIndex<T, V>(keyOf: (record: T) => string, factOf: (record: T) => V): Index<T, V> {
  let of: readonly T[] = []
  let index = new Map<string, V>()
  return async (records) => {
    if (records === of) return index
    if (!isInPlace(of, records, keyOf)) {
      of = []
      index = new Map()
    }
    const pause = createBreaks()
    for (let i = 0; i < records.length; i++) {
      const record = records[i]!
      if (record !== of[i]) index.set(keyOf(record), factOf(record))
      if (i % PIECE === 0) await pause()
    }
    of = records
    return index
  }
}

interface Plays {
  plays: number
  lastPlayedAt: number
}

/** Counts the plays of each track: of a longer history only what was added, unless something left it. */
function createPlayCounts(): Index<Readonly<HistoryRecord>, Plays> {
  let of: History = []
  let counts = new Map<string, Plays>()
  return async (history) => {
    if (history === of) return counts
    const added = addedTo(of, history)
    if (!added) counts = new Map()
    const uncounted = added ?? history
    const pause = createBreaks()
    for (let i = 0; i < uncounted.length; i++) {
      const { trackId, playedAt } = uncounted[i]!
      const { plays, lastPlayedAt } = counts.get(trackId) ?? { plays: 0, lastPlayedAt: playedAt }
      counts.set(trackId, { plays: plays + 1, lastPlayedAt: Math.max(lastPlayedAt, playedAt) })
      if (i % PIECE === 0) await pause()
    }
    of = history
    return counts
  }
}
