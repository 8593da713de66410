import type { FailureDetails } from '@solstice/contracts'
import type { CommandOf } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import { makeEntries } from '../model/playlists.ts'
import { shuffle } from '../model/random.ts'
import type { PlayoutState, TrackRef } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { insertAt, misfitOf, placeOf, playable } from './queue.ts'

/** Queues a song group as a block, behind donated and requested tracks (rules I1–I4). */
export function insertGroup(
  state: PlayoutState,
  { mode, tracks }: CommandOf<'insert-group'>,
  nowMs: number,
): Decision<'insert-group'> {
  const obstacle = groupObstacle(state, { mode, tracks }, nowMs)
  if (obstacle) return refused(state, 'QUEUE_GROUP_INSERT_FAILED', obstacle)

  const balanced = balance(playable(state, tracks), state.seed)
  const block = makeEntries(state, balanced.tracks)
  const inserted = insertAt(state, placeOf(state, { orderType: null, tier: null }), block.entries)
  const queued: PlayoutState = {
    ...inserted,
    seed: balanced.seed,
    serial: block.serial,
    lastGroupInsertMs: nowMs,
    // A playlist with a chosen group must survive the next change of the library (rule L4).
    playlist: { ...inserted.playlist, repeats: false, isStale: false },
  }
  return accepted(queued, { inserted: block.entries.map((entry) => entry.track.id) })
}

/** Rule I1: the reason for which a group would be refused now; null = it could be queued. */
export function groupObstacle(
  state: PlayoutState,
  { mode, tracks }: Pick<CommandOf<'insert-group'>, 'mode' | 'tracks'>,
  nowMs: number,
): FailureDetails | null {
  const secs = groupInsertCooldownSecsLeft(state, nowMs)
  if (secs > 0) return { reason: 'cooldown', secsLeft: secs }
  if (mode !== state.mode) return { reason: 'wrong_mode' }
  const songs = playable(state, tracks)
  return songs.length === 0 ? { reason: 'empty' } : misfitOf(state, songs, nowMs)
}

/** Whole seconds until the next group may be queued; 0 = now. */
export function groupInsertCooldownSecsLeft(state: PlayoutState, nowMs: number): number {
  return secsLeft(state.lastGroupInsertMs, state.limits.groupInsertCooldownMs, nowMs)
}

/** Rule I4: shuffled, then always by the artist with most tracks left, other than the one before. */
function balance(songs: readonly TrackRef[], seed: number): { tracks: TrackRef[]; seed: number } {
  const shuffled = shuffle(songs, seed)
  const left = new Map<string, TrackRef[]>()
  for (const track of shuffled.items) {
    const artist = track.artist.toLowerCase()
    const others = left.get(artist)
    if (others) others.push(track)
    else left.set(artist, [track])
  }
  const tracks: TrackRef[] = []
  let before: string | null = null
  while (tracks.length < songs.length) {
    let chosen: string | null = before
    let most = 0
    for (const [artist, { length }] of left) {
      if (artist !== before && length > most) [chosen, most] = [artist, length]
    }
    tracks.push(left.get(chosen!)!.pop()!)
    before = chosen
  }
  return { tracks, seed: shuffled.seed }
}
