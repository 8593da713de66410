import { withSafeNext } from '../boundary/blank.ts'
import { changeInChat, goOn, next, start } from '../boundary/boundary.ts'
import { forcedMode, onSchedule, switchMode } from '../boundary/mode-switch.ts'
import { skip } from '../boundary/skip.ts'
import { dropClip, learnClips } from '../clips/clips.ts'
import { learnCuePoints, withCuePoints } from '../clips/cue-points.ts'
import { applyLive, learnHosting } from '../live/live.ts'
import { chooseBackground, pauseQueue, resumeByHost, resumeQueue } from '../live/pause.ts'
import type { Command, Fact, Outcome, Step } from '../model/commands.ts'
import { noClips } from '../model/initial-state.ts'
import { makeEntries } from '../model/playlists.ts'
import type { OnAir, Playlist, PlayoutState, PreparedPlaylist, QueueEntry, TrackRef } from '../model/state.ts'
import { carryPlaces, placesOf } from '../model/track-places.ts'
import { insertGroup } from '../queue/insert-group.ts'
import { lockOf, shownQueue } from '../queue/projection.ts'
import { addSong, playable, removeEntry } from '../queue/queue.ts'
import { answerTrackRequest, requestTrack, settleTrackRequests } from '../queue/track-requests.ts'
import { generatePlaylist, MIN_PLAYLIST_LENGTH } from '../rotation/playlist.ts'
import { advance } from './advance.ts'

/** Ends a hold that nobody settles (rule K3). */
const WITHHOLD_MS = 60_000
/** Bounds the undecodable tracks, which are saved and sent at every change (rule T4). */
const KNOWN_UNPLAYABLE = 100

/** Applies a command: accepts or refuses all of it, at once. The caller advances the state to `nowMs` first. */
export function apply(state: PlayoutState, command: Command, nowMs: number): Step & { outcome: Outcome } {
  switch (command.type) {
    case 'library-changed': {
      const { state: settled, effects } = settle(state, command.settled ?? [], nowMs)
      return { state: outdateLists(settled), effects, outcome: { ok: true } }
    }
    case 'settings-changed':
      return {
        state: { ...state, prepared: mapLists(state.prepared, stale) },
        effects: [],
        outcome: { ok: true },
      }
    case 'clips-changed':
    case 'cue-points-changed':
      return { state, effects: [], outcome: { ok: true } }
    case 'release-track':
      return releaseTrack(state, command, nowMs)
    case 'switch-mode':
      return switchMode(state, command, nowMs)
    case 'insert-group':
      return insertGroup(state, command, nowMs)
    case 'add-song':
      return addToQueue(state, command, nowMs)
    case 'remove-entry':
      return removeEntry(state, command, nowMs)
    case 'skip':
      return skip(state, nowMs)
    case 'request-track':
      return requestTrack(state, command, nowMs)
    case 'answer-track-request':
      return answerTrackRequest(state, command, nowMs)
    case 'pause-queue':
      return pauseQueue(state, command, nowMs)
    case 'resume-queue':
      return resumeByHost(state, command, nowMs)
    case 'choose-background':
      return chooseBackground(state, command, nowMs)
    default:
      return applyLive(state, command, nowMs)
  }
}

/** Takes in a fact that the worker reports. */
export function learn(state: PlayoutState, fact: Fact, nowMs: number): Step {
  switch (fact.type) {
    case 'station':
      return learnStation(state, fact, nowMs)
    case 'library':
      return learnLibrary(state, fact, nowMs)
    case 'clips':
      return { state: learnClips(state, fact.clips, nowMs), effects: [] }
    case 'cue-points':
      return { state: learnCuePoints(state, fact.cuePoints), effects: [] }
    case 'hosting':
      return learnHosting(state, fact, nowMs)
    case 'sound-ended':
    case 'unplayable':
    case 'blank':
    case 'clip-unplayable': {
      // The sound is a little ahead of the clock: everything that falls due until then comes first.
      const { state: passed, effects } = advance(state, nowMs)
      const step = learnOfSound(passed, fact, nowMs)
      return { state: step.state, effects: [...effects, ...step.effects] }
    }
  }
}

/** Takes in a fact about the sound (rules T2, T4, T6, J5, J6, P5, O4). */
function learnOfSound(
  state: PlayoutState,
  fact: Extract<Fact, { type: 'sound-ended' | 'unplayable' | 'blank' | 'clip-unplayable' }>,
  nowMs: number,
): Step {
  const { onAir } = state
  switch (fact.type) {
    case 'sound-ended':
      return isOnAir(state, fact.entryId) ? next(state, nowMs) : { state, effects: [] }
    case 'unplayable':
      return dropUnplayable(state, fact.entryId, nowMs)
    case 'blank': {
      const { entryId, wasHeard } = fact
      if (wasHeard || !isOnAir(state, entryId))
        return learnOfSound(state, { type: 'sound-ended', entryId }, nowMs)
      if (onAir.phase !== 'jingle') return dropUnplayable(withSafeNext(state, nowMs), entryId, nowMs)
      return learnOfSound(state, { type: 'clip-unplayable', clipId: onAir.jingle.clip.id }, nowMs)
    }
    case 'clip-unplayable': {
      const informed = dropClip(state, fact.clipId, nowMs)
      const isHeard = onAir.phase === 'jingle' && onAir.jingle.clip.id === fact.clipId
      return isHeard ? goOn(informed, nowMs) : { state: informed, effects: [] }
    }
  }
}

/** Rules A1–A5, O8: queues a track, and resumes the queue if the order says so. */
function addToQueue(
  state: PlayoutState,
  order: Extract<Command, { type: 'add-song' }>,
  nowMs: number,
): Step & { outcome: Outcome<'add-song'> } {
  const added = addSong(state, order, nowMs)
  if (!order.resumesQueue || added.state === state) return added
  const resumed = resumeQueue(added.state, nowMs)
  return { ...added, state: resumed.state, effects: [...added.effects, ...resumed.effects] }
}

/** Rules K1, K2: refuses a locked track; a track to be removed leaves the queue and is withheld. */
function releaseTrack(
  state: PlayoutState,
  { trackId, purpose }: Extract<Command, { type: 'release-track' }>,
  nowMs: number,
): Step & { outcome: Outcome<'release-track'> } {
  const reason = lockOf(state, trackId)
  if (reason) return { state, effects: [], outcome: { ok: false, code: 'TRACK_LOCKED', details: { reason } } }
  if (purpose === 'edit') return { state, effects: [], outcome: { ok: true, removed: 0 } }
  const cleaned = withoutTracks(state, new Set([trackId]))
  const others = state.withheld.filter((hold) => hold.trackId !== trackId)
  const removed = shownQueue(state).filter(({ track }) => track.id === trackId).length
  return {
    state: { ...cleaned, withheld: [...others, { trackId, untilMs: nowMs + WITHHOLD_MS }] },
    effects: [],
    outcome: { ok: true, removed },
  }
}

/** Rule K4: shows changed tracks as they are now, removes deleted ones from the queue, and ends holds. */
function settle(
  state: PlayoutState,
  settled: { trackId: string; track: TrackRef | null }[],
  nowMs: number,
): Step {
  if (settled.length === 0) return { state, effects: [] }
  const tracks = new Map(settled.map(({ trackId, track }) => [trackId, track]))
  const { state: asked, effects } = settleTrackRequests(state, tracks)
  const gone = settled.filter(({ track }) => track === null).map(({ trackId }) => trackId)
  const cleaned = withoutTracks(asked, new Set(gone))
  const { onAir: air } = cleaned
  const onAir = renewOnAir(air, tracks, nowMs)
  const ids = new Set(tracks.keys())
  const renew = <L extends PreparedPlaylist>(list: L): L => {
    const places = placesOf(list.entries, ids)
    if (places.length === 0) return list
    const entries = list.entries.slice()
    for (const place of places) {
      const entry = entries[place]!
      const isNow = onAir.phase !== 'preparing' && entry.entryId === onAir.entry?.entryId
      entries[place] = (isNow && onAir.entry) || withTrack(entry, tracks.get(entry.track.id))
    }
    carryPlaces(entries, list.entries)
    return { ...list, entries }
  }
  const renewed = {
    ...cleaned,
    onAir,
    playlist: renew(cleaned.playlist),
    prepared: mapLists(cleaned.prepared, renew),
    withheld: cleaned.withheld.filter((hold) => !tracks.has(hold.trackId)),
  }
  return { state: renewed, effects }
}

/** `onAir` with its track as it is now. */
function renewOnAir(onAir: OnAir, tracks: Map<string, TrackRef | null>, nowMs: number): OnAir {
  switch (onAir.phase) {
    case 'preparing':
      return onAir
    case 'track':
    case 'jingle':
      return { ...onAir, entry: renewRunning(onAir.entry, tracks, nowMs - onAir.startedAtMs) }
    case 'chat': {
      const { entry, interrupted } = onAir
      return { ...onAir, entry: entry && renewRunning(entry, tracks, interrupted?.positionMs ?? 0) }
    }
  }
}

/** The running track keeps its end; an unknown end becomes known, but never lies in the past (rule K4). */
function renewRunning(entry: QueueEntry, tracks: Map<string, TrackRef | null>, heardMs: number): QueueEntry {
  const track = tracks.get(entry.track.id)
  if (!track) return entry
  const learntMs = track.durationMs === null ? null : Math.max(track.durationMs, heardMs)
  const durationMs = entry.track.durationMs ?? learntMs
  return { ...entry, track: withCuePoints({ ...track, durationMs }, entry.track.cuePoints) }
}

/** The track with its new tags; the cue points stay (rule V3). */
function withTrack(entry: QueueEntry, track: TrackRef | null | undefined): QueueEntry {
  return track ? { ...entry, track: withCuePoints(track, entry.track.cuePoints) } : entry
}

/** Rule L4: marks prepared playlists as stale, and the current one if it only repeats a small library. */
function outdateLists(state: PlayoutState): PlayoutState {
  const { playlist, prepared } = state
  return {
    ...state,
    unplayable: [],
    playlist: playlist.repeats ? stale(playlist) : playlist,
    prepared: mapLists(prepared, stale),
  }
}

const stale = <L extends PreparedPlaylist>(list: L): L => ({ ...list, isStale: true })

/** Rule L4: the current playlist once the next one is made; a stale one keeps only its orders. */
function beforeNext(list: Playlist): Playlist {
  if (!list.isStale) return list
  const entries = list.entries.filter((entry, i) => i <= list.index || entry.orderType !== null)
  return { ...list, entries, isStale: false }
}

/**
 * Takes in the setup, which may have changed since the state was saved: a station without a night has no use for a switch,
 * one without a stream none for clips (rule J1).
 */
function learnStation(
  state: PlayoutState,
  { pace, schedule, nightMode, limits }: Extract<Fact, { type: 'station' }>,
  nowMs: number,
): Step {
  const { forced, pendingSwitch } = state
  const isForced = nightMode && forced !== null && (forced.untilMs === null || nowMs < forced.untilMs)
  const informed: PlayoutState = {
    ...state,
    pace,
    schedule,
    nightMode,
    limits,
    forced: isForced ? forcedMode(schedule, forced.mode, nowMs) : null,
    pendingSwitch:
      nightMode && pendingSwitch ? onSchedule(pendingSwitch, state.schedule, schedule, nowMs) : null,
    clips: pace === 'sound' ? state.clips : noClips,
  }
  const { onAir } = informed
  const isLost = pace === 'clock' && onAir.phase === 'jingle'
  if (isLost) return goOn({ ...informed, isPaused: false }, nowMs)
  // Rule S7: without a night the day begins at once, except during a donated track.
  const isOfNight = !nightMode && informed.mode === 'night'
  const isKept = onAir.phase === 'track' && onAir.entry.orderType === 'donated'
  if (isOfNight && (onAir.phase === 'track' || onAir.phase === 'jingle') && !isKept)
    return goOn(informed, nowMs)
  // Rule O9: in sync mode there is no pause.
  const resumed = pace === 'clock' ? resumeQueue(informed, nowMs) : { state: informed, effects: [] }
  const isChat = resumed.state.onAir.phase === 'chat'
  const step = (isChat ? changeInChat : start)(resumed.state, nowMs)
  return { state: step.state, effects: [...resumed.effects, ...step.effects] }
}

/** Rule L3: prepares the playlist of a mode, and begins it if the air was waiting for it. */
function learnLibrary(state: PlayoutState, fact: Extract<Fact, { type: 'library' }>, nowMs: number): Step {
  const before = state.prepared[fact.mode]
  if (before && !before.isStale) return { state, effects: [] }
  const library = playable(state, fact.tracks)
  const follows = fact.mode === state.mode
  const playlist = follows ? beforeNext(state.playlist) : state.playlist
  const after = follows ? (playlist.entries.at(-1)?.track ?? null) : null
  const { tracks, repeats, seed } = generatePlaylist(library, fact.settings, state.seed, after)
  const { entries, serial } = makeEntries(state, tracks)
  // Where only the limit is short, the library has more tracks than the repeated ones.
  const isSmall = repeats && library.length < MIN_PLAYLIST_LENGTH
  const prepared = { ...state.prepared, [fact.mode]: { entries, repeats: isSmall } }
  const others = state.emptyModes.filter((mode) => mode !== fact.mode)
  const emptyModes = entries.length > 0 ? others : [...others, fact.mode]
  return start({ ...state, seed, serial, playlist, prepared, emptyModes }, nowMs)
}

/** Rule T4: removes an undecodable entry with all others of its track, until the library changes. */
function dropUnplayable(state: PlayoutState, entryId: string, nowMs: number): Step {
  const lists = [state.playlist, ...Object.values(state.prepared)]
  const trackId = lists
    .map((list) => list.entries.find((entry) => entry.entryId === entryId))
    .find((entry) => entry !== undefined)?.track.id
  if (trackId === undefined) return { state, effects: [] }
  const cleaned = withoutTracks(state, new Set([trackId]))
  const others = state.unplayable.filter((id) => id !== trackId)
  const informed = { ...cleaned, unplayable: [...others, trackId].slice(-KNOWN_UNPLAYABLE) }
  return isOnAir(state, entryId) ? goOn(informed, nowMs) : { state: informed, effects: [] }
}

/**
 * Removes all upcoming entries of some tracks; played entries and the one on air stay. A prepared playlist that loses all
 * its entries is made again: there may be other tracks.
 */
function withoutTracks(state: PlayoutState, gone: ReadonlySet<string>): PlayoutState {
  const without = <L extends PreparedPlaylist>(list: L, index: number): L => {
    const places = placesOf(list.entries, gone).filter((place) => place > index)
    // An unchanged playlist need not be saved or made again.
    if (places.length === 0) return list
    const leaving = new Set(places)
    const entries = list.entries.filter((_, i) => !leaving.has(i))
    carryPlaces(entries, list.entries)
    return { ...list, entries }
  }
  return {
    ...state,
    playlist: without(state.playlist, state.playlist.index),
    prepared: Object.fromEntries(
      Object.entries(state.prepared)
        .map(([mode, list]) => [mode, without(list, -1), list] as const)
        .filter(([, left, before]) => left.entries.length > 0 || left === before)
        .map(([mode, left]) => [mode, left]),
    ),
  }
}

function mapLists(
  prepared: PlayoutState['prepared'],
  change: (list: PreparedPlaylist) => PreparedPlaylist,
): PlayoutState['prepared'] {
  return Object.fromEntries(Object.entries(prepared).map(([mode, list]) => [mode, change(list)]))
}

function isOnAir({ onAir }: PlayoutState, entryId: string): boolean {
  switch (onAir.phase) {
    case 'preparing':
      return false
    case 'track':
      return onAir.entry.entryId === entryId
    case 'jingle':
      return onAir.jingle.entryId === entryId
    case 'chat':
      return onAir.background.entryId === entryId
  }
}
