const reason = {
  uk: 'Потрібні щонайменше дві групи, у яких є пісні',
  en: 'At least two groups with songs are needed',
}

export const BRANDING_EXAMPLE = {
  messenger_url: 'https://chat.example/solstice',
  byLang: {
    uk: {
      dayRadioName: 'Сонцестояння',
      nightRadioName: 'Нічне сонцестояння',
      messengerLabel: 'Напишіть нам',
    },
    en: { dayRadioName: 'Solstice', nightRadioName: 'Solstice by Night', messengerLabel: 'Write to us' },
  },
  directory: {
    description: 'Calm songs by day, longer ones by night',
    genre: 'Ambient,Folk',
    url: 'https://radio.example',
    logo: 'https://radio.example/icon-512.png',
    countryCode: 'UA',
    languageCodes: 'uk,en',
    geoLatLong: '50.45,30.52',
    mainStreamUrl: 'https://radio.example/api/stream/public.mp3',
    isPublic: true,
  },
}

/** The settings of a station with two groups by day and none by night. */
export const SETTINGS_EXAMPLE = {
  settings: {
    branding: BRANDING_EXAMPLE,
    generation: {
      USE_ALL_DAY_SONGS: false,
      USE_ALL_NIGHT_SONGS: false,
      MAX_DAY_DURATION: 3600,
      MAX_NIGHT_DURATION: 3600,
      DAY_ALGORYTM: true,
      NIGHT_ALGORYTM: false,
      GROUP_SECTIONS_ALGORYTM: false,
      NIGHT_GROUP_SECTIONS_ALGORYTM: false,
      GROUP_DEFS: { Calm: ['Hilda'], Lively: ['Oskar', 'The Ferry'] },
      NIGHT_GROUP_DEFS: {},
      SONGS_PER_SECTION: 10,
      NIGHT_SONGS_PER_SECTION: 30,
      JINGLES_ENABLED: true,
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
    songGroups: [],
  },
  bounds: {
    totalDayDuration: 7250.4,
    totalNightDuration: 3911,
    MAX_DAY_DURATION: { min: 3600, max: 7250 },
    MAX_NIGHT_DURATION: { min: 3600, max: 3911 },
    SONGS_PER_SECTION: { min: 2, max: 12 },
    NIGHT_SONGS_PER_SECTION: { min: 1, max: 1 },
    PHRASES_TIME_SECONDS: { min: 5, max: 30 },
    groupSongCounts: { Calm: 12, Lively: 26 },
    nightGroupSongCounts: {},
    dayAlgorithmStatus: { canUse: true, reason: null, minGroupCount: 12, groupCount: 2 },
    groupSectionsAlgorithmStatus: {
      canUse: true,
      reason: null,
      minGroupCount: 12,
      groupCount: 2,
      maxPossibleDuration: 4579,
    },
    nightAlgorithmStatus: { canUse: false, reason, minGroupCount: 0, groupCount: 0 },
    nightGroupSectionsAlgorithmStatus: {
      canUse: false,
      reason,
      minGroupCount: 0,
      groupCount: 0,
      maxPossibleDuration: 0,
    },
  },
  songGroups: [],
  insertCooldownSecsLeft: 0,
}
