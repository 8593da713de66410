import type { FailureDetails } from '@solstice/contracts'
import type { Command, Outcome, Step } from './commands.ts'
import { cooldownSecsLeft } from './mode-switch.ts'
import { durationOf } from './programme.ts'
import { shuffle } from './random.ts'
import { dueMode, makeEntries, type PlayoutState, type TrackRef } from './state.ts'

/** So much time is left between what was queued and the change of mode. */
const FIT_MARGIN_MS = 10_000

/** A song group is queued as a block, behind what was paid and asked for (rules I1–I4). */
export function insertGroup(
  state: PlayoutState,
  { mode, tracks }: Extract<Command, { type: 'insert-group' }>,
  nowMs: number,
): Step & { outcome: Outcome<'insert-group'> } {
  const refused = (details: FailureDetails) => ({
    state,
    effects: [],
    outcome: { ok: false, code: 'QUEUE_GROUP_INSERT_FAILED', details } as const,
  })
  const secsLeft = groupInsertCooldownSecsLeft(state, nowMs)
  if (secsLeft > 0) return refused({ reason: 'cooldown', secsLeft })
  if (mode !== state.mode) return refused({ reason: 'wrong_mode' })
  const songs = playable(state, tracks)
  if (songs.length === 0) return refused({ reason: 'empty' })
  if (!fits(state, songs, nowMs)) return refused({ reason: 'no_time' })

  const balanced = balance(songs, state.seed)
  const block = makeEntries(state, balanced.tracks)
  const { entries, index } = state.list
  const ordered = entries.slice(index + 1).findIndex((entry) => entry.orderType === null)
  const place = ordered === -1 ? entries.length : index + 1 + ordered
  return {
    state: {
      ...state,
      seed: balanced.seed,
      serial: block.serial,
      lastGroupInsertMs: nowMs,
      list: {
        entries: [...entries.slice(0, place), ...block.entries, ...entries.slice(place)],
        index,
        // What somebody chose must not end with the library's next change (rule L4).
        repeats: false,
      },
    },
    effects: [],
    outcome: { ok: true, inserted: block.entries.map((entry) => entry.track.id) },
  }
}

/** Whole seconds until the next group may be queued; 0 = now. */
export function groupInsertCooldownSecsLeft(state: PlayoutState, nowMs: number): number {
  return cooldownSecsLeft(state.lastGroupInsertMs, state.limits.groupInsertCooldownMs, nowMs)
}

/** Those of some tracks that a list may take up at the moment. */
export function playable({ unplayable, withheld }: PlayoutState, tracks: readonly TrackRef[]): TrackRef[] {
  const leftOut = new Set([...unplayable, ...withheld.map((hold) => hold.trackId)])
  return tracks.filter((track) => !leftOut.has(track.id))
}

/** Rule I3: all of it can be heard before the mode changes. */
function fits(state: PlayoutState, songs: readonly TrackRef[], nowMs: number): boolean {
  const { onAir, list } = state
  if (onAir.phase === 'preparing') return false
  const changeMs = state.nightMode ? modeChangeMs(state, nowMs) : null
  if (changeMs === null) return true
  const orders = list.entries.slice(list.index + 1).filter((entry) => entry.orderType !== null)
  const remainingMs = Math.max(0, onAir.startedAtMs + durationOf(onAir.entry.track) - nowMs)
  const queuedMs = [...orders.map((entry) => entry.track), ...songs].reduce(
    (sum, track) => sum + durationOf(track),
    0,
  )
  return remainingMs + queuedMs + FIT_MARGIN_MS <= changeMs - nowMs
}

/** When the mode on air ends, by the schedule or by a pending switch; now, when only a track boundary is waited for. */
function modeChangeMs(state: PlayoutState, nowMs: number): number | null {
  const { mode, pendingSwitch, schedule } = state
  if (pendingSwitch?.waiting || dueMode(state, nowMs) !== mode) return nowMs
  const naturalMs =
    schedule.changes.find((change) => change.atMs > nowMs && dueMode(state, change.atMs) !== mode)?.atMs ??
    null
  if (!pendingSwitch || pendingSwitch.target === mode) return naturalMs
  return Math.min(pendingSwitch.atMs, naturalMs ?? Number.POSITIVE_INFINITY)
}

/** Rule I4: shuffled, then always from the artist who has most songs left and was not the one before. */
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
