import type { Config } from '@solstice/adapters'
import type { RadioState } from '@solstice/contracts'
import { CHAT_TITLE, type PlayoutState, preparing, projectSync } from '@solstice/playout'
import { dateNow, scheduleOf, type WallClock } from '@solstice/station'
import type { AudibleAir } from '../../air/audible.ts'
import type { Covers } from '../../background/covers.ts'
import type { UiSettingsMirror } from '../../background/ui-settings.ts'
import type { Groups } from './groups.ts'

/** Interval of `sync` for each socket. */
const EVERY_MS = 2_000
/** Moments within it at which a share of the groups is told. */
const MOMENTS = 16

/** The payload of `sync` at this moment. */
export type SyncPayload = () => RadioState

/** The audible air with the configuration and settings that go along with it. */
export function createSyncPayload(deps: {
  air: AudibleAir
  clock: WallClock
  config: Pick<Config, 'timeZone' | 'nightMode' | 'dayStartHour' | 'nightStartHour'>
  settings: UiSettingsMirror
  covers: Pick<Covers, 'of'>
}): SyncPayload {
  const { air, clock, config, settings, covers } = deps
  const { dayStartHour, nightStartHour } = config
  return () => {
    const nowMs = clock.nowMs()
    const state = air.state
      ? projectSync(air.state, nowMs, air.audibleMs(nowMs), clock.aheadMs())
      : beforeAnyState(config, dateNow(clock))
    // Known by the time that they play.
    for (const { id } of state.playlist) covers.of(id)
    const isChat = state.title === CHAT_TITLE && state.artist === ''
    const cover = isChat ? null : covers.of(state.track)
    return { ...state, dayStartHour, nightStartHour, uiSettings: settings.now(), cover }
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

/**
 * Sends `sync` to one group after the other, each with a payload of its own moment, and to all of them as soon as listeners would
 * see a difference. Other work comes between two groups.
 */
export function startSync(deps: {
  air: AudibleAir
  settings: UiSettingsMirror
  covers: Pick<Covers, 'onChange'>
  syncPayload: SyncPayload
  groups: Groups
}): () => void {
  const { air, settings, covers, syncPayload, groups } = deps
  const share = groups.count / MOMENTS
  let due = 0
  let shown = ''
  let nextOfAll: NodeJS.Immediate | undefined
  let nextOfShare: NodeJS.Immediate | undefined
  const sendShare = (from: number, end: number) => {
    const group = groups.occupied(from, end)
    if (group === null) return
    groups.emitTo(group, 'sync', syncPayload())
    nextOfShare = setImmediate(sendShare, group + 1, end)
  }
  let timer: NodeJS.Timeout | undefined
  const tellNext = () => {
    sendShare(due, due + share)
    due = (due + share) % groups.count
    if (groups.occupied(0) !== null) return
    clearInterval(timer)
    timer = undefined
  }
  // A process without sockets does not wake for them.
  const unfollowGroups = groups.onJoin(() => {
    timer ??= setInterval(tellNext, EVERY_MS / MOMENTS)
  })

  const sendToAll = (from = 0) => {
    clearImmediate(nextOfAll)
    const group = groups.occupied(from)
    if (group === null) return
    groups.emitTo(group, 'sync', syncPayload())
    nextOfAll = setImmediate(sendToAll, group + 1)
  }
  const unfollowAir = air.onState((state) => {
    const seen = visibleDigest(state, syncPayload())
    if (seen === shown) return
    shown = seen
    sendToAll()
  })
  const unfollowSettings = settings.onChange(() => sendToAll())
  const unfollowCovers = covers.onChange(() => sendToAll())

  return () => {
    unfollowAir()
    unfollowSettings()
    unfollowCovers()
    unfollowGroups()
    clearInterval(timer)
    clearImmediate(nextOfAll)
    clearImmediate(nextOfShare)
  }
}

/** Everything listeners see, except the running position. */
function visibleDigest({ onAir }: PlayoutState, state: RadioState): string {
  const since = 'startedAtMs' in onAir ? onAir.startedAtMs : null
  return JSON.stringify({ ...state, seek: since, serverTimeMs: 0, skipCooldownSecsLeft: 0 })
}
