import type { RadioState } from '@solstice/contracts'
import { skipCooldownSecsLeft } from '../boundary/skip.ts'
import { CHAT_TITLE, type PlayoutState, type QueueEntry } from '../model/state.ts'
import { queueItem, SHOWN, shownQueue, wireOrderType } from '../queue/projection.ts'
import { advance } from '../step/advance.ts'

/** The part of the radio state that depends on the air; the rest is configuration and settings. */
export type AirState = Omit<RadioState, 'dayStartHour' | 'nightStartHour' | 'uiSettings'>

/**
 * The radio state for listeners at a moment. Any replica can compute it, also while no worker is alive.
 *
 * @param heardMs the moment up to which sound exists; nothing after it has happened yet.
 * @param aheadMs lead of the clock of these moments over the wall clock, in which dates are sent.
 */
export function projectSync(saved: PlayoutState, nowMs: number, heardMs = nowMs, aheadMs = 0): AirState {
  const { state } = advance(saved, heardMs)
  const { onAir, playlist, pendingSwitch } = state
  const common = {
    mode: state.mode,
    serverTimeMs: Math.round(nowMs - aheadMs),
    currentIndex: Math.max(0, playlist.index),
    totalTracks: playlist.entries.length,
    pendingModeSwitch: pendingSwitch && {
      targetMode: pendingSwitch.target,
      // A track boundary that a switch waits for has no known moment.
      executeAtMs: pendingSwitch.waiting ? null : Math.round(pendingSwitch.atMs - aheadMs),
    },
    skipCooldownSecsLeft: skipCooldownSecsLeft(state, nowMs),
  }
  if (onAir.phase === 'preparing') return { ...common, ...preparing, mode: onAir.target }
  const upcoming = shownQueue(state, SHOWN)
  const shown = upcoming.map(queueItem)
  if (onAir.phase === 'chat')
    return { ...common, ...chatting, track: onAir.entry?.track.id ?? null, playlist: shown }
  const { track, orderType, tier } = onAir.entry
  const duration = (track.durationMs ?? 0) / 1000
  // In stream mode the gain is already in the sound.
  const gainOf = (entry?: QueueEntry) => (state.pace === 'clock' ? entry?.track.cuePoints?.gainDb : null)
  const [gainDb, nextGainDb] = [gainOf(onAir.entry), gainOf(upcoming[0])]
  const seek = (onAir.phase === 'jingle' ? onAir.shownMs : Math.max(0, heardMs - onAir.startedAtMs)) / 1000
  return {
    ...common,
    track: track.id,
    title: track.title,
    artist: track.artist,
    album: track.album,
    year: track.year,
    orderType: wireOrderType(orderType),
    tier,
    duration,
    seek: duration > 0 ? Math.min(seek, duration) : seek,
    isPlaying: true,
    isPreparing: false,
    playlist: shown,
    ...(typeof gainDb === 'number' && { gainDb }),
    ...(typeof nextGainDb === 'number' && { nextGainDb }),
  }
}

const noSong = {
  title: '',
  artist: '',
  album: '',
  year: null,
  orderType: null,
  tier: null,
  duration: 0,
  seek: 0,
} satisfies Partial<AirState>

/** Shown before the first track, while modes change, and when there is nothing to play. */
export const preparing = {
  ...noSong,
  track: null,
  isPlaying: false,
  isPreparing: true,
  playlist: [],
} satisfies Partial<AirState>

/** Shown during a chat (rule O3). */
const chatting = {
  ...noSong,
  title: CHAT_TITLE,
  isPlaying: true,
  isPreparing: false,
} satisfies Partial<AirState>
