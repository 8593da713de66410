import { nobodyLive, noHosting } from './live-state.ts'
import { emptyPlaylist } from './playlists.ts'
import { naturalMode } from './schedule.ts'
import type { Limits, Pace, PlayoutState, Schedule, UsableClips } from './state.ts'

/** The initial state: nothing on air, only pace and schedule known. */
export function initialState(seed: number, pace: Pace, schedule: Schedule, nowMs: number): PlayoutState {
  const mode = naturalMode(schedule, nowMs)
  return {
    version: 5,
    appliedThrough: '0-0',
    seed,
    serial: 0,
    pace,
    schedule,
    nightMode: false,
    limits: noLimits,
    mode,
    forced: null,
    pendingSwitch: null,
    lastSwitchMs: null,
    lastGroupInsertMs: null,
    lastAddMs: null,
    lastRemoveMs: null,
    lastSkipMs: null,
    trackRequests: [],
    trackRequestCooldowns: [],
    orders: [],
    onAir: { phase: 'preparing', target: mode, sinceMs: nowMs, notBeforeMs: nowMs },
    lastPlayedMs: null,
    playlist: emptyPlaylist,
    prepared: {},
    clips: noClips,
    jingleCount: noSongs,
    lastJingleId: null,
    lastPhraseId: null,
    isPaused: false,
    backgroundChoice: null,
    lastBackgroundId: null,
    live: nobodyLive,
    hosting: noHosting,
    emptyModes: [],
    unplayable: [],
    withheld: [],
  }
}

export const noLimits: Limits = {
  modeSwitchCooldownMs: 0,
  preparingMinMs: 0,
  groupInsertCooldownMs: 0,
  queueAddCooldownMs: 0,
  queueRemoveCooldownMs: 0,
  queueSkipCooldownMs: 0,
  trackRequestCooldownMs: 0,
  trackRequestExpiryMs: 0,
}

/** No clips: before the `clips` fact, and in sync mode. */
export const noClips: UsableClips = {
  jingles: { usable: { day: [], night: [] }, required: 1, frequency: 1 },
  phrases: { usable: { day: [], night: [] }, offsetMs: 0 },
  background: { usable: { day: [], night: [] }, chosenBy: 'random' },
}

/** The count of tracks as it restarts. */
export const noSongs: PlayoutState['jingleCount'] = { songs: 0, threshold: null }
