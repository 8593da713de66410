import { type Mode, modes } from '@solstice/contracts'
import type { AllCuePoints, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from '@solstice/playout'
import { createBreaks } from '../core/turns/breaks.ts'
import { type Known, nothingKnown } from './lines.ts'

/** Where a chapter begins. */
export interface Snapshot {
  state: PlayoutState
  known: Known
}

type ListName = 'playlist' | Mode
/** A track is named by its number; an entry that nobody asked for by its id beside it. */
type StoredEntry = [entryId: string, track: number] | (Omit<QueueEntry, 'track'> & { track: number })
type SnapshotLine =
  | { state: PlayoutState }
  /** They are numbered in order, from 0. */
  | { tracks: TrackRef[] }
  | { list: ListName; entries: StoredEntry[] }
  | { library: Mode; tracks: number[] }
  | { cuePoints: AllCuePoints }

/** Items of a line: more would keep the sound waiting. */
const PER_LINE = 256

/**
 * A snapshot as lines of JSON, each track written once. Takes breaks, since a library may be large.
 *
 * @param masked a replacer for `JSON.stringify`: hides what must not be kept.
 */
export async function* snapshotLines(
  { state, known }: Snapshot,
  masked: (name: string, value: unknown) => unknown,
): AsyncGenerator<string> {
  const pause = createBreaks()
  const line = (content: SnapshotLine, replacer?: typeof masked) => `${JSON.stringify(content, replacer)}\n`
  const numbers = createNumbers()
  const bare = <L extends PreparedPlaylist>(list: L): L => ({ ...list, entries: [] })
  const prepared = Object.fromEntries(
    Object.entries(state.prepared).map(([mode, list]) => [mode, bare(list)]),
  )
  yield line({ state: { ...state, playlist: bare(state.playlist), prepared } }, masked)
  const lists = [
    ['playlist', state.playlist] as const,
    ...modes.map((mode) => [mode, state.prepared[mode]] as const),
  ]
  for (const [list, content] of lists)
    for (const some of piecesOf(content?.entries ?? [])) {
      const entries = some.map((entry) => storedEntry(entry, numbers.of(entry.track)))
      yield newTracks(numbers, line) + line({ list, entries })
      await pause()
    }
  for (const mode of modes)
    for (const some of piecesOf(known.libraries[mode] ?? [])) {
      const tracks = some.map(numbers.of)
      yield newTracks(numbers, line) + line({ library: mode, tracks })
      await pause()
    }
  for (const ids of piecesOf(Object.keys(known.cuePoints))) {
    yield line({ cuePoints: Object.fromEntries(ids.map((id) => [id, known.cuePoints[id]!])) })
    await pause()
  }
}

function newTracks(
  { take }: ReturnType<typeof createNumbers>,
  line: (content: SnapshotLine) => string,
): string {
  const tracks = take()
  return tracks.length === 0 ? '' : line({ tracks })
}

function* piecesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += PER_LINE) yield items.slice(at, at + PER_LINE)
}

/** Numbers tracks; equal ones of different lists have one number. */
function createNumbers() {
  const byTrack = new Map<TrackRef, number>()
  const byText = new Map<string, number>()
  let fresh: TrackRef[] = []
  return {
    of(track: TrackRef): number {
      const known = byTrack.get(track)
      if (known !== undefined) return known
      const text = JSON.stringify(track)
      const number = byText.get(text) ?? byText.size
      if (number === byText.size) fresh.push(track)
      byText.set(text, number)
      byTrack.set(track, number)
      return number
    },
    /** The tracks numbered since the last call. */
    take(): TrackRef[] {
      const taken = fresh
      fresh = []
      return taken
    },
  }
}

function storedEntry(entry: QueueEntry, track: number): StoredEntry {
  const { entryId, orderType, tier, orderId } = entry
  return orderType === null && tier === null && orderId === undefined ? [entryId, track] : { ...entry, track }
}

/** Reads the lines of a snapshot; null when they are none. */
export function readSnapshot(lines: Iterable<string>): Snapshot | null {
  let state: PlayoutState | null = null
  const tracks: TrackRef[] = []
  const known = {
    libraries: {} as Partial<Record<Mode, TrackRef[]>>,
    cuePoints: { ...nothingKnown.cuePoints },
  }
  const entryOf = (stored: StoredEntry): QueueEntry =>
    Array.isArray(stored)
      ? { entryId: stored[0], track: tracks[stored[1]]!, orderType: null, tier: null }
      : { ...stored, track: tracks[stored.track]! }
  for (const text of lines) {
    const line = JSON.parse(text) as SnapshotLine
    if ('state' in line) state = line.state
    else if ('list' in line) listOf(state!, line.list).entries.push(...line.entries.map(entryOf))
    else if ('library' in line) {
      known.libraries[line.library] ??= []
      known.libraries[line.library]!.push(...line.tracks.map((number) => tracks[number]!))
    } else if ('tracks' in line) tracks.push(...line.tracks)
    else Object.assign(known.cuePoints, line.cuePoints)
  }
  return state && { state, known }
}

function listOf({ playlist, prepared }: PlayoutState, name: ListName): PreparedPlaylist {
  return name === 'playlist' ? playlist : prepared[name]!
}
