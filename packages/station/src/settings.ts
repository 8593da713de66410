import type { Mode, Settings, UiSettings } from '@solstice/contracts'
import type { ProgrammeSettings } from '@solstice/playout'
import type { DataStore } from './ports/data-store.ts'

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

/** All sections, defaults where nothing was saved. */
export async function readSettings(data: Pick<DataStore, 'settings'>): Promise<Settings> {
  const saved = await data.settings.find()
  const section = <S extends keyof Settings>(name: S): Settings[S] => {
    const record = saved.find((candidate) => candidate.section === name)
    return { ...defaultSettings[name], ...(record?.value as Settings[S] | undefined) }
  }
  return {
    branding: section('branding'),
    generation: section('generation'),
    radioHosts: section('radioHosts'),
    artistArts: section('artistArts'),
  }
}

/** What clients are told of the settings. */
export async function readUiSettings(data: Pick<DataStore, 'settings'>): Promise<UiSettings> {
  const { branding, artistArts } = await readSettings(data)
  return { ...branding, artistArts }
}

/** How lists of a mode are generated. */
export async function programmeSettings(
  data: Pick<DataStore, 'settings'>,
  mode: Mode,
): Promise<ProgrammeSettings> {
  const { generation } = await readSettings(data)
  return mode === 'day'
    ? { useAll: generation.USE_ALL_DAY_SONGS, maxDurationMs: generation.MAX_DAY_DURATION * 1000 }
    : { useAll: generation.USE_ALL_NIGHT_SONGS, maxDurationMs: generation.MAX_NIGHT_DURATION * 1000 }
}
