import type { Mode } from '@solstice/contracts'
import {
  draw,
  type Fact,
  initialState,
  type Limits,
  learn,
  nextDueMs,
  type OrderType,
  type Pace,
  type Participant,
  type PlayoutState,
  projectSync,
  type QueueEntry,
  type RotationSettings,
  type Schedule,
  type TrackRef,
  upcoming,
  wantedPlaylists,
} from '@solstice/playout'
import type { Test } from 'tap'

export const HOUR = 3_600_000
export const NOON = 1_000_000_000_000
export const alwaysDay: Schedule = { natural: 'day', changes: [] }
export const all: RotationSettings = {
  useAll: true,
  maxDurationMs: 0,
  algorithm: 'simple',
  groups: {},
  songsPerSection: 30,
}

/** No clips, as at a station that has none. */
export const noClips = initialState(0, 'sound', alwaysDay, 0).clips

export function track(
  name: string,
  artist = name,
  durationMs: number | null = 60_000,
  mode: Mode = 'day',
): TrackRef {
  return { id: `${mode}/${name}.mp3`, title: name, artist, album: '', year: null, durationMs }
}

/** Tracks of different lengths, about a minute each. */
export function tracks(count: number, artists = count, mode: Mode = 'day'): TrackRef[] {
  return Array.from({ length: count }, (_, i) =>
    track(`t${i}`, `artist ${i % artists}`, 60_000 + i * 1000, mode),
  )
}

export function library(tracks: TrackRef[], mode: Mode = 'day', settings = all): Fact {
  return { type: 'library', mode, tracks, settings }
}

export function onAir(state: PlayoutState): QueueEntry | null {
  return state.onAir.phase === 'track' ? state.onAir.entry : null
}

/** A playing station, all of its lists prepared from the same songs. */
export function playing(
  songs: TrackRef[],
  pace: Pace = 'clock',
  schedule = alwaysDay,
  atMs = NOON,
): PlayoutState {
  return withLists(initialState(7, pace, schedule, atMs), () => songs, atMs)
}

/** The state once every list that it asks for is made. */
export function withLists(
  state: PlayoutState,
  songs: (mode: Mode) => TrackRef[],
  atMs: number,
): PlayoutState {
  for (;;) {
    const [mode] = wantedPlaylists(state)
    if (!mode) return state
    state = learn(state, library(songs(mode), mode), atMs).state
  }
}

/** A host who is on the air; the socket's name is the host's id. */
export function host(socketId: string): Participant {
  return {
    socketId,
    replica: 'r',
    uid: socketId,
    address: '192.0.2.1',
    role: 'host',
    adminId: socketId,
    name: socketId,
    isMicOn: false,
    gain: 5,
    isMuted: false,
    sinceMs: 0,
    endsAtMs: null,
  }
}

/** An order that stands next in the queue. */
export function ordered(state: PlayoutState, song: TrackRef, orderType: OrderType): PlayoutState {
  const { entries, index } = state.playlist
  const entry = { entryId: `e${state.serial}`, track: song, orderType, tier: null }
  const withOrder = [...entries.slice(0, index + 1), entry, ...entries.slice(index + 1)]
  return { ...state, serial: state.serial + 1, playlist: { ...state.playlist, entries: withOrder } }
}

/** A station's own account of itself; limits that are not named are off. */
export function stationFact(
  schedule: Schedule,
  limits: Partial<Limits> = {},
  pace: Pace = 'clock',
  nightMode = true,
): Fact {
  const none = initialState(0, pace, schedule, 0).limits
  return { type: 'station', pace, schedule, nightMode, limits: { ...none, ...limits } }
}

/** Integers below n, the same ones for the same seed. */
export function randomFrom(seed: number): (n: number) => number {
  return (n) => {
    const drawn = draw(seed)
    seed = drawn.seed
    return Math.floor(drawn.value * n)
  }
}

/** True when two values are equal; fast where they share parts, as successive states do. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

/** True when a value is unchanged by saving and reading it. */
function isPlainJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean'
  if (value === null) return true
  if (Array.isArray(value)) return value.every(isPlainJson)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlainJson)
}

/** Fails where an invariant of every state does not hold. */
export function assertLegal(t: Test, state: PlayoutState, nowMs: number): void {
  const entries = [
    ...state.playlist.entries,
    ...Object.values(state.prepared).flatMap((list) => list.entries),
  ]
  const ids = entries.map((entry) => entry.entryId)
  const current = onAir(state)
  const queued = upcoming(state).map((entry) => entry.track.id)
  const problems = [
    new Set(ids).size !== ids.length && 'an entry stands twice in the queue',
    current &&
      // A state that was saved and read holds the same entry as two objects.
      !isSame(state.playlist.entries[state.playlist.index], current) &&
      'the index is not on air',
    state.onAir.phase === 'chat' && !state.isPaused && 'a talk without a pause',
    state.onAir.phase === 'chat' &&
      state.onAir.interrupted &&
      state.playlist.entries[state.playlist.index]?.entryId !== state.onAir.entry?.entryId &&
      'another song goes on than the one that was interrupted',
    state.isPaused && state.pace === 'clock' && 'a pause where the clock is the pace',
    state.onAir.phase === 'track' && state.onAir.startedAtMs > nowMs && 'a track starts in the future',
    state.onAir.phase === 'preparing' && state.onAir.target !== state.mode && 'two modes at once',
    state.onAir.phase === 'preparing' && state.playlist.entries.length > 0 && 'preparing beside a list',
    state.pendingSwitch && !state.nightMode && 'a switch without a night',
    state.pendingSwitch &&
      !state.pendingSwitch.waiting &&
      state.pendingSwitch.atMs <= nowMs &&
      'a late switch',
    !isPlainJson(state) && 'the state is not plain JSON',
    (nextDueMs(state) ?? Number.POSITIVE_INFINITY) <= nowMs && 'something is overdue',
    queued.some((id) => state.unplayable.includes(id)) && 'an unplayable track is queued',
    state.withheld.some((hold) => queued.includes(hold.trackId)) && 'a withheld track is queued',
  ].filter(Boolean)
  if (problems.length) t.fail(problems.join('; '), { state })
  const sync = projectSync(state, nowMs)
  const isSilent = state.onAir.phase === 'chat' && state.onAir.entry === null
  if ((sync.isPreparing || isSilent) !== (sync.track === null))
    t.fail('preparing and a track at once', { sync })
  if (sync.seek < 0 || (sync.duration > 0 && sync.seek > sync.duration))
    t.fail('seek is outside the track', { sync })
}

/** The result of work that is done in steps. */
export function toEnd<R>(work: Generator<unknown, R>): R {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}
