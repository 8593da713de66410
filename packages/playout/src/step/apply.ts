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

/** A track that somebody removes is left out for so long, unless that is settled before (rule K2). */
const WITHHOLD_MS = 60_000
/** Tracks that are left out because they cannot be decoded: each of them is saved and told at every change. */
const KNOWN_UNPLAYABLE = 100

/** A command arrives: it is accepted or refused, in full, at once. The caller advances the state to `nowMs` first. */
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

/** The worker tells a fact of its surroundings. */
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
      // The sound is a little ahead of the clock: what falls due until then comes first.
      const { state: passed, effects } = advance(state, nowMs)
      const step = learnOfSound(passed, fact, nowMs)
      return { state: step.state, effects: [...effects, ...step.effects] }
    }
  }
}

/** What the sound tells of itself (rules T2, T4, T6, J5, J6, P5, O4). */
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

/** Rules A1–A5, O8: a song is queued; once it is, a pause may end. */
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

/** Rules K1, K2: refused while the track is locked; to be removed, it leaves the queue and is withheld. */
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

/** Rule K4: tracks that were changed are shown as they are now, those that are gone leave the queue; holds end. */
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

/** What is on air, with the song on air as it is now. */
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

/** The end of the running track does not move; one that had no known end gets it, not before what was heard of it. */
function renewRunning(entry: QueueEntry, tracks: Map<string, TrackRef | null>, heardMs: number): QueueEntry {
  const track = tracks.get(entry.track.id)
  if (!track) return entry
  const learntMs = track.durationMs === null ? null : Math.max(track.durationMs, heardMs)
  const durationMs = entry.track.durationMs ?? learntMs
  return { ...entry, track: withCuePoints({ ...track, durationMs }, entry.track.cuePoints) }
}

/** Other tags change nothing of the sound. */
function withTrack(entry: QueueEntry, track: TrackRef | null | undefined): QueueEntry {
  return track ? { ...entry, track: withCuePoints(track, entry.track.cuePoints) } : entry
}

/** Rule L4: prepared lists are to be made anew, and one that only repeats a small library is to end with that. */
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

/** Rule L4: what of a list is still to come when the one after it was made. */
function beforeNext(list: Playlist): Playlist {
  if (!list.isStale) return list
  const entries = list.entries.filter((entry, i) => i <= list.index || entry.orderType !== null)
  return { ...list, entries, isStale: false }
}

/**
 * What the configuration says may be another thing than before: a station without a night has no use for a switch, one
 * without a stream none for clips (rule J1).
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
  // Rule S7.
  const isOfNight = !nightMode && informed.mode === 'night'
  const isKept = onAir.phase === 'track' && onAir.entry.orderType === 'donated'
  if (isOfNight && (onAir.phase === 'track' || onAir.phase === 'jingle') && !isKept)
    return goOn(informed, nowMs)
  // Rule O9.
  const resumed = pace === 'clock' ? resumeQueue(informed, nowMs) : { state: informed, effects: [] }
  const isChat = resumed.state.onAir.phase === 'chat'
  const step = (isChat ? changeInChat : start)(resumed.state, nowMs)
  return { state: step.state, effects: [...resumed.effects, ...step.effects] }
}

/** Rule L3: the list for a mode is prepared, and begins if the air was waiting for it. */
function learnLibrary(state: PlayoutState, fact: Extract<Fact, { type: 'library' }>, nowMs: number): Step {
  const before = state.prepared[fact.mode]
  if (before && !before.isStale) return { state, effects: [] }
  const library = playable(state, fact.tracks)
  const follows = fact.mode === state.mode
  const playlist = follows ? beforeNext(state.playlist) : state.playlist
  const after = follows ? (playlist.entries.at(-1)?.track ?? null) : null
  const { tracks, repeats, seed } = generatePlaylist(library, fact.settings, state.seed, after)
  const { entries, serial } = makeEntries(state, tracks)
  // Where only the limit is short there is more to hear than what is repeated.
  const isSmall = repeats && library.length < MIN_PLAYLIST_LENGTH
  const prepared = { ...state.prepared, [fact.mode]: { entries, repeats: isSmall } }
  const others = state.emptyModes.filter((mode) => mode !== fact.mode)
  const emptyModes = entries.length > 0 ? others : [...others, fact.mode]
  return start({ ...state, seed, serial, playlist, prepared, emptyModes }, nowMs)
}

/** Rule T4: an entry that cannot be decoded leaves the queue with all others of its track, until the library changes. */
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
 * All upcoming entries of some tracks leave the queue; what was played, and the entry on air, stay. A prepared list of
 * which nothing is left is made anew: there may be other tracks.
 */
function withoutTracks(state: PlayoutState, gone: ReadonlySet<string>): PlayoutState {
  const without = <L extends PreparedPlaylist>(list: L, index: number): L => {
    const places = placesOf(list.entries, gone).filter((place) => place > index)
    // Of a list that stays as it is nothing has to be saved or made anew.
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
