import type { RadioState } from '@solstice/contracts'

export const NOON = Date.UTC(2026, 5, 21, 12)

/** A radio state: a track in its first second at noon, with the given changes. */
export function air(change: Partial<RadioState>): RadioState {
  return {
    track: 'day/a.mp3',
    title: 'A',
    artist: 'Somebody',
    album: '',
    year: null,
    orderType: null,
    tier: null,
    duration: 100,
    seek: 0,
    isPlaying: true,
    playlist: [],
    currentIndex: 0,
    totalTracks: 1,
    mode: 'day',
    serverTimeMs: NOON,
    isPreparing: false,
    pendingModeSwitch: null,
    skipCooldownSecsLeft: 0,
    dayStartHour: 6,
    nightStartHour: 0,
    uiSettings: {
      messenger_url: '',
      byLang: {
        uk: { dayRadioName: '', nightRadioName: '', messengerLabel: '' },
        en: { dayRadioName: '', nightRadioName: '', messengerLabel: '' },
      },
      artistArts: { dayEnabled: true, nightEnabled: true },
    },
    ...change,
  }
}
