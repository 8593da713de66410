export { skipCooldownSecsLeft } from './boundary/skip.ts'
export { backgroundInReserve } from './clips/chat.ts'
export { commandWithCuePoints, sameCuePoints } from './clips/cue-points.ts'
export { nextJingle } from './clips/insert-jingle.ts'
export { isCurrent, makePlaylist } from './library/playlist-made.ts'
export {
  guestQueue,
  guestTimes,
  isHostOnline,
  liveRoleOf,
  liveRoster,
  pendingGuests,
  shownCode,
} from './live/roster.ts'
export { DEFAULT_GAIN } from './live/sessions.ts'
export { isLasting } from './model/commands/command-life.ts'
export * from './model/commands/commands.ts'
export * from './model/commands/live-commands.ts'
export {
  type AllCuePoints,
  cuePointsChanged,
  noteCuePoints,
  noteTracks,
} from './model/cue-point-changes.ts'
export { initialState } from './model/initial-state.ts'
export {
  type AccessCode,
  type Approval,
  type GuestRequest,
  type Hosting,
  type Live,
  nobodyLive,
  noHosting,
  type Participant,
  type Speaker,
} from './model/live-state.ts'
export { finish, PIECE, type Pieces } from './model/pieces.ts'
export { type MadePlaylist, upcoming, wantedPlaylists } from './model/playlists.ts'
export { draw, shuffle } from './model/random.ts'
export { naturalMode } from './model/schedule.ts'
export {
  type AirTurn,
  ASSUMED_DURATION_MS,
  type BackgroundMusic,
  CHAT_TITLE,
  type Chat,
  type ClipRef,
  type CuePoints,
  durationOf,
  type Jingle,
  type Limits,
  type OnAir,
  type OrderType,
  type Pace,
  type PendingSwitch,
  type Phrase,
  type Playlist,
  type PlayoutState,
  type PreparedPlaylist,
  type QueueEntry,
  type RemovedEntry,
  type Schedule,
  type TrackRef,
  type TrackRequest,
  type UsableClips,
} from './model/state.ts'
export type { Decision, Step } from './model/steps.ts'
export { soundId, soundStartMs } from './model/timing.ts'
export { type Cut, cutsSince, ordersOf } from './model/track-places.ts'
export { liveSinceMs } from './model/turns.ts'
export { type AirEntry, type AirPlan, type ChatEntry, projectAir } from './project/air.ts'
export {
  type Expected,
  type ForecastOf,
  forecast,
  forecastInPieces,
  MAX_FORECAST,
} from './project/forecast.ts'
export { type Mark, markOf } from './project/mark.ts'
export { type AirState, preparing, projectSync } from './project/sync.ts'
export { groupInsertCooldownSecsLeft, groupObstacle } from './queue/insert-group.ts'
export { orderAirsAtMs, orderEffects } from './queue/orders.ts'
export {
  lockOf,
  queuePage,
  searchedText,
  searchOfTexts,
  searchQueue,
  shownQueue,
  wireOrderType,
  wordSearch,
} from './queue/projection.ts'
export { addCooldownSecsLeft, isOrderKnown, modeChangeMs, obstacleTo } from './queue/queue.ts'
export {
  songOf,
  trackRequestCooldownSecsLeft,
  trackRequestList,
  trackRequestWaitSecs,
} from './queue/track-requests.ts'
export { foldName, groupInPieces, groupTracks, type TrackGroup } from './rotation/groups.ts'
export { generatePlaylist } from './rotation/playlist.ts'
export { parseSaved } from './saved/former-names.ts'
export { readState } from './saved/state-versions.ts'
export { advance, nextDueMs } from './step/advance.ts'
export { apply } from './step/apply.ts'
export { learn } from './step/learn.ts'
export { resume } from './step/resume.ts'
export { type Input, step } from './step/step.ts'
