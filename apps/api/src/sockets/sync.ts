import type { Config } from '@solstice/adapters'
import type { RadioState } from '@solstice/contracts'
import { type PlayoutState, preparing, projectSync } from '@solstice/playout'
import { dateNow, scheduleOf, type WallClock } from '@solstice/station'
import type { AudibleAir } from '../air/audible.ts'
import type { UiSettingsMirror } from '../background/ui-settings.ts'

/** Every socket gets a `sync` so often. */
const EVERY_MS = 2_000
/** Sockets are told in turns, so that no moment carries all of them; each turn gets a payload of its own moment. */
export const PHASES = 8

/** What listeners are told of the air at a moment. */
export type SyncPayload = () => RadioState

/** The shown air, with the configuration and settings that listeners are told along with it. */
export function createSyncPayload(deps: {
  air: AudibleAir
  clock: WallClock
  config: Pick<Config, 'timeZone' | 'nightMode' | 'dayStartHour' | 'nightStartHour'>
  settings: UiSettingsMirror
}): SyncPayload {
  const { air, clock, config, settings } = deps
  const { dayStartHour, nightStartHour } = config
  return () => {
    const nowMs = clock.nowMs()
    const state = air.state
      ? projectSync(air.state, nowMs, air.audibleMs(nowMs), clock.aheadMs())
      : beforeAnyState(config, dateNow(clock))
    return { ...state, dayStartHour, nightStartHour, uiSettings: settings.now() }
  }
}

function beforeAnyState(config: Parameters<typeof scheduleOf>[0], today: number) {
  return {
    ...preparing,
    mode: scheduleOf(config, today).natural,
    serverTimeMs: today,
    currentIndex: 0,
    totalTracks: 0,
    pendingModeSwitch: null,
    skipCooldownSecsLeft: 0,
  }
}

/** Tells the rooms, one by one every 250 ms, and all of them at once when listeners would see a difference. */
export function startSync(deps: {
  air: AudibleAir
  settings: UiSettingsMirror
  syncPayload: SyncPayload
  emitTo: (phase: number, state: RadioState) => void
}): () => void {
  const { air, settings, syncPayload, emitTo } = deps
  let phase = 0
  let shown = ''
  let immediate: NodeJS.Immediate | undefined
  const timer = setInterval(() => {
    emitTo(phase, syncPayload())
    phase = (phase + 1) % PHASES
  }, EVERY_MS / PHASES)

  // Room by room with other work in between: thousands of sockets at once would hold up the sound.
  const tellAll = (next = 0) => {
    clearImmediate(immediate)
    emitTo(next, syncPayload())
    if (next + 1 < PHASES) immediate = setImmediate(() => tellAll(next + 1))
  }
  const unfollowAir = air.onState((state) => {
    const seen = visibleDigest(state, syncPayload())
    if (seen === shown) return
    shown = seen
    tellAll()
  })
  const unfollowSettings = settings.onChange(() => tellAll())

  return () => {
    unfollowAir()
    unfollowSettings()
    clearInterval(timer)
    clearImmediate(immediate)
  }
}

/** All that listeners see but the time that passes by itself. */
function visibleDigest({ onAir }: PlayoutState, state: RadioState): string {
  const since = 'startedAtMs' in onAir ? onAir.startedAtMs : null
  return JSON.stringify({ ...state, seek: since, serverTimeMs: 0, skipCooldownSecsLeft: 0 })
}
