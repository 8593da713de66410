import type { UiSettings } from '@solstice/contracts'

/** The station's settings by section. Sections that no part of the service reads yet are not kept. */
export interface Settings {
  branding: Pick<UiSettings, 'messenger_url' | 'byLang'>
  generation: {
    USE_ALL_DAY_SONGS: boolean
    USE_ALL_NIGHT_SONGS: boolean
    /** Seconds. */
    MAX_DAY_DURATION: number
    MAX_NIGHT_DURATION: number
  }
  artistArts: UiSettings['artistArts']
}

export const defaultSettings: Settings = {
  branding: {
    messenger_url: '',
    byLang: {
      uk: {
        dayRadioName: 'Сонцестояння',
        nightRadioName: 'Нічне сонцестояння',
        messengerLabel: 'Написати нам',
      },
      en: { dayRadioName: 'Solstice', nightRadioName: 'Solstice by Night', messengerLabel: 'Write to us' },
    },
  },
  generation: {
    USE_ALL_DAY_SONGS: false,
    USE_ALL_NIGHT_SONGS: false,
    MAX_DAY_DURATION: 3600,
    MAX_NIGHT_DURATION: 3600,
  },
  artistArts: { dayEnabled: true, nightEnabled: true },
}
