export { advance, nextDueMs, soundStartMs } from './advance.ts'
export { apply, learn } from './apply.ts'
export { fillerInReserve } from './chat.ts'
export { isLasting } from './command-life.ts'
export * from './commands.ts'
export { foldName, type GroupDefs, groupTracks, type TrackGroup } from './groups.ts'
export { groupInsertCooldownSecsLeft } from './insert-group.ts'
export * from './live-commands.ts'
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
} from './live-state.ts'
export { orderAirsAtMs, orderEffects } from './orders.ts'
export { generate } from './programme.ts'
export { type AirEntry, type AirPlan, type ChatEntry, projectAir } from './project-air.ts'
export {
  guestQueue,
  isHostOnline,
  liveRoleOf,
  liveRoster,
  pendingGuests,
  shownCode,
} from './project-live.ts'
export { lockOf, queuePage, searchQueue, shownQueue, wordSearch } from './project-queue.ts'
export { type AirState, preparing, projectSync } from './project-sync.ts'
export { addCooldownSecsLeft, isOrderKnown, obstacleTo } from './queue.ts'
export { draw, shuffle } from './random.ts'
export { withRenditions } from './renditions.ts'
export { resume } from './resume.ts'
export { skipCooldownSecsLeft } from './skip.ts'
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
} from './state.ts'
export { cooldownSecsLeft, songOf, suggestionList, suggestWaitSecs } from './suggestions.ts'
