export { skipCooldownSecsLeft } from './boundary/skip.ts'
export { fillerInReserve } from './clips/chat.ts'
export { withRenditions } from './clips/renditions.ts'
export {
  guestQueue,
  isHostOnline,
  liveRoleOf,
  liveRoster,
  pendingGuests,
  shownCode,
} from './live/roster.ts'
export { isLasting } from './model/command-life.ts'
export * from './model/commands.ts'
export type { GroupDefs } from './model/group-defs.ts'
export * from './model/live-commands.ts'
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
export { draw, shuffle } from './model/random.ts'
export {
  ASSUMED_DURATION_MS,
  type Chat,
  type ClipRef,
  type Clips,
  type Filler,
  initialState,
  type Jingle,
  type Limits,
  type List,
  naturalMode,
  type OnAir,
  type Pace,
  type PendingSwitch,
  type Phrase,
  type PlayoutState,
  type PreparedList,
  type QueueEntry,
  type Rendition,
  readState,
  type Schedule,
  type Suggestion,
  type TrackRef,
  upcoming,
  wantedLists,
} from './model/state.ts'
export { soundStartMs } from './model/timing.ts'
export { type AirEntry, type AirPlan, type ChatEntry, projectAir } from './project/air.ts'
export { type AirState, preparing, projectSync } from './project/sync.ts'
export { groupInsertCooldownSecsLeft } from './queue/insert-group.ts'
export { orderAirsAtMs, orderEffects } from './queue/orders.ts'
export { lockOf, queuePage, searchQueue, shownQueue, wordSearch } from './queue/projection.ts'
export { addCooldownSecsLeft, isOrderKnown, obstacleTo } from './queue/queue.ts'
export { cooldownSecsLeft, songOf, suggestionList, suggestWaitSecs } from './queue/suggestions.ts'
export { foldName, groupTracks, type TrackGroup } from './rotation/groups.ts'
export { generate } from './rotation/programme.ts'
export { advance, nextDueMs } from './step/advance.ts'
export { apply, learn } from './step/apply.ts'
export { resume } from './step/resume.ts'
