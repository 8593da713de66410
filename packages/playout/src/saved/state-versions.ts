import { type Mode, modes } from '@solstice/contracts'
import { noClips, noLimits, noSongs } from '../model/initial-state.ts'
import { type Live, nobodyLive, noHosting } from '../model/live-state.ts'
import type { Chat, Limits, OnAir, PlayoutState, UsableClips } from '../model/state.ts'
import { parseSaved } from './former-names.ts'

/** Reads a saved state and upgrades an older version to this one (rule R3). @throws for a newer one */
export function readState(json: string): PlayoutState {
  const saved = parseSaved<PlayoutState | Version4 | Version3 | Version2 | Version1>(json)
  switch (saved.version) {
    case 1:
      return fromVersion4(fromVersion3(fromVersion2(fromVersion1(saved))))
    case 2:
      return fromVersion4(fromVersion3(fromVersion2(saved)))
    case 3:
      return fromVersion4(fromVersion3(saved))
    case 4:
      return fromVersion4(saved)
    case 5:
      return saved
    default:
      throw new Error(`A state of the unknown version ${(saved as { version: unknown }).version}`)
  }
}

function fromVersion4(saved: Version4): PlayoutState {
  return {
    ...saved,
    version: 5,
    live: { ...nobodyLive, ...saved.live },
    lastPlayedMs: saved.lastPlayedMs ?? null,
    emptyModes: saved.emptyModes ?? modes.filter((mode) => saved.prepared[mode]?.entries.length === 0),
  }
}

function fromVersion3(saved: Version3): Version4 {
  return {
    ...sinceVersion3,
    ...sinceVersion4,
    lastPlayedMs: null,
    emptyModes: [],
    ...saved,
    version: 4,
    clips: { ...noClips, ...saved.clips },
  }
}

function fromVersion2(saved: Version2): Version3 {
  return { ...sinceVersion3, ...saved, version: 3, limits: { ...noLimits, ...saved.limits } }
}

function fromVersion1(saved: Version1): Version2 {
  const { onAir } = saved
  return {
    ...sinceVersion2,
    ...saved,
    version: 2,
    onAir: onAir.phase === 'preparing' ? { ...onAir, notBeforeMs: onAir.sinceMs } : onAir,
  }
}

/** Its optional fields were added while version 4 was current. */
type Version4 = Omit<PlayoutState, 'version' | 'live' | 'lastPlayedMs' | 'emptyModes'> &
  Partial<Pick<PlayoutState, 'lastPlayedMs' | 'emptyModes'>> & { version: 4; live: Partial<Live> }

type Version3 = Omit<
  PlayoutState,
  'version' | 'clips' | 'onAir' | 'lastPlayedMs' | 'emptyModes' | keyof typeof sinceVersion4
> & {
  version: 3
  clips: Omit<UsableClips, 'background'>
  onAir: Exclude<OnAir, Chat>
}

type Version2 = Omit<Version3, 'version' | 'limits' | keyof typeof sinceVersion3> & {
  version: 2
  limits: Partial<Limits>
}

type Version1 = Omit<Version2, 'version' | 'onAir' | keyof typeof sinceVersion2> & {
  version: 1
  onAir: { phase: 'preparing'; target: Mode; sinceMs: number } | Extract<OnAir, { phase: 'track' }>
}

/** Fields that version 1 did not have. */
const sinceVersion2 = {
  nightMode: false,
  limits: noLimits,
  forced: null,
  pendingSwitch: null,
  lastSwitchMs: null,
  lastGroupInsertMs: null,
  withheld: [],
} satisfies Partial<PlayoutState>

/** Fields that version 2 did not have; it also knew fewer limits. */
const sinceVersion3 = {
  lastAddMs: null,
  lastRemoveMs: null,
  lastSkipMs: null,
  trackRequests: [],
  trackRequestCooldowns: [],
  orders: [],
  clips: noClips,
  jingleCount: noSongs,
  lastJingleId: null,
  lastPhraseId: null,
} satisfies Partial<PlayoutState>

/** Fields that version 3 did not have; it also knew fewer clips. */
const sinceVersion4 = {
  isPaused: false,
  backgroundChoice: null,
  lastBackgroundId: null,
  live: nobodyLive,
  hosting: noHosting,
} satisfies Partial<PlayoutState>
