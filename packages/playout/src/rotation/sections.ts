import type { Pieces } from '../model/pieces.ts'
import { shuffle } from '../model/random.ts'
import { durationOf, sameArtist, type TrackRef } from '../model/state.ts'
import type { TrackGroup } from './groups.ts'

/** Bounds the search for a track by another artist (rule G8). */
const LOOKED_AT = 32

/** One way through a library, and the next seed. */
export interface Round {
  tracks: TrackRef[]
  seed: number
}

/** A track and the group that it was taken from. */
export interface Grouped {
  track: TrackRef
  group: string
}

type Group = TrackGroup<TrackRef>

/**
 * Sections in which each group has its share, and neighbours are of different groups (rule G6).
 *
 * @param groups at least two, none of them empty.
 */
export function* sections(
  groups: readonly Group[],
  songsPerSection: number,
  limitMs: number,
  seed: number,
  after: Grouped | null,
): Pieces<Round> {
  const total = groups.reduce((sum, { tracks }) => sum + tracks.length, 0)
  const shares = new Map(
    groups.map(({ name, tracks }) => [
      name,
      Math.max(1, Math.round((tracks.length / total) * songsPerSection)),
    ]),
  )
  const pools = shuffledPools(groups, seed)
  seed = pools.seed

  const taken: Grouped[] = []
  let lengthMs = 0
  for (;;) {
    yield
    const parts = pools.pools.map(({ name, tracks }) => ({
      name,
      tracks: takeEnd(tracks, shares.get(name)!),
    }))
    const drawn = shuffle(parts, seed)
    seed = drawn.seed
    const section = alternate(drawn.items, taken.at(-1) ?? after)
    const fitting = section.slice(0, countFitting(section, limitMs - lengthMs))
    // Only the first section is cut: a playlist must not be empty.
    if (section.length === 0 || (fitting.length < section.length && taken.length > 0)) break
    taken.push(...fitting)
    lengthMs += lengthOf(fitting)
    if (fitting.length < section.length) break
  }
  return { tracks: taken.map(({ track }) => track), seed }
}

/**
 * Sections of one track of every group, in a drawn order, as many as the smallest group has tracks (rule G7).
 *
 * @param groups at least two, none of them empty.
 */
export function* groupSections(
  groups: readonly Group[],
  limitMs: number,
  seed: number,
  after: Grouped | null,
): Pieces<Round> {
  const pools = shuffledPools(groups, seed)
  seed = pools.seed
  const taken: Grouped[] = []
  let lengthMs = 0
  for (let left = Math.min(...groups.map(({ tracks }) => tracks.length)); left > 0; left--) {
    yield
    const drawn = shuffle(pools.pools, seed)
    seed = drawn.seed
    const order = drawn.items
    let before = taken.at(-1) ?? after
    if (order[0]!.name === before?.group) order.push(order.shift()!)
    const section = order.map((pool) => (before = takeFrom(pool, before)))
    lengthMs += lengthOf(section)
    if (lengthMs > limitMs) break
    taken.push(...section)
  }
  return { tracks: taken.map(({ track }) => track), seed }
}

/** Always takes a track of the group with most left, other than the group before while there is another one. */
function alternate(parts: Group[], before: Grouped | null): Grouped[] {
  const ordered: Grouped[] = []
  for (let left = parts.reduce((sum, { tracks }) => sum + tracks.length, 0); left > 0; left--) {
    let chosen: Group | null = null
    for (const part of parts) {
      if (part.name !== before?.group && part.tracks.length > (chosen?.tracks.length ?? 0)) chosen = part
    }
    chosen ??= parts.find(({ tracks }) => tracks.length > 0)!
    before = takeFrom(chosen, before)
    ordered.push(before)
  }
  return ordered
}

/** Takes a track out of a group: the last one, or one near it if that avoids the same artist twice. */
function takeFrom({ name, tracks }: Group, before: Grouped | null): Grouped {
  let at = tracks.length - 1
  if (before) {
    const isOther = (track: TrackRef) => !sameArtist(track, before.track)
    const other = tracks.slice(-LOOKED_AT).findLastIndex(isOther)
    if (other >= 0) at = Math.max(0, tracks.length - LOOKED_AT) + other
  }
  return { group: name, track: tracks.splice(at, 1)[0]! }
}

function shuffledPools(groups: readonly Group[], seed: number): { pools: Group[]; seed: number } {
  const pools = groups.map(({ name, tracks }) => {
    const shuffled = shuffle(tracks, seed)
    seed = shuffled.seed
    return { name, tracks: shuffled.items }
  })
  return { pools, seed }
}

function takeEnd(tracks: TrackRef[], count: number): TrackRef[] {
  return tracks.splice(Math.max(0, tracks.length - count))
}

function countFitting(section: readonly Grouped[], limitMs: number): number {
  let lengthMs = 0
  const first = section.findIndex(({ track }) => {
    lengthMs += durationOf(track)
    return lengthMs > limitMs
  })
  return first === -1 ? section.length : first
}

function lengthOf(section: readonly Grouped[]): number {
  return section.reduce((sum, { track }) => sum + durationOf(track), 0)
}
