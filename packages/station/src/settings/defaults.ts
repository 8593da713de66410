import type { Settings } from '@solstice/contracts'

/** The settings of a station where nobody saved any. */
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
    directory: {
      description: '',
      genre: '',
      url: '',
      logo: '',
      countryCode: '',
      languageCodes: '',
      geoLatLong: '',
      mainStreamUrl: '',
      isPublic: false,
    },
  },
  generation: {
    USE_ALL_DAY_SONGS: false,
    USE_ALL_NIGHT_SONGS: false,
    MAX_DAY_DURATION: 3600,
    MAX_NIGHT_DURATION: 3600,
    DAY_ALGORYTM: false,
    NIGHT_ALGORYTM: false,
    GROUP_SECTIONS_ALGORYTM: false,
    NIGHT_GROUP_SECTIONS_ALGORYTM: false,
    GROUP_DEFS: {},
    NIGHT_GROUP_DEFS: {},
    SONGS_PER_SECTION: 30,
    NIGHT_SONGS_PER_SECTION: 30,
    JINGLES_ENABLED: false,
    JINGLES_RANDOM: false,
    JINGLES_FREQUENCY: 2,
    PHRASES_ENABLED: false,
    PHRASES_RANDOM: true,
    PHRASES_DEFAULT_TIME: true,
    PHRASES_TIME_SECONDS: 15,
    PHRASES_DAY_ID: '',
    PHRASES_NIGHT_ID: '',
  },
  radioHosts: {
    guestMaxDurationMinutes: 15,
    specialGuestMaxDurationMinutes: 60,
    backgroundMusicMode: 'random',
  },
  artistArts: { dayEnabled: true, nightEnabled: true },
}
