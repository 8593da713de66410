import type { Mode, Privilege, Settings, SettingsBounds, Track, UiSettings } from '@solstice/contracts'
import { groupTracks, type ProgrammeSettings, type TrackGroup } from '@solstice/playout'
import { type Admin, holds } from '../accounts/admins.ts'
import type { Audit } from '../accounts/audit.ts'
import { clipFamilies } from '../clips/clips.ts'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { libraryOf } from '../library/library.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore, SettingsRecord, StoredSettings } from '../ports/data-store.ts'
import type { Log } from '../ports/log.ts'
import {
  algorithmFlags,
  boundsOf,
  checkSection,
  describeChanges,
  isSame,
  mergeSection,
  type SectionName,
  type SettingsContext,
} from './rules.ts'

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
  return settingsIn(await data.settings.find())
}

function settingsIn(saved: readonly Readonly<SettingsRecord>[]): Settings {
  const section = <S extends SectionName>(name: S): Settings[S] => {
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
  const isDay = mode === 'day'
  const [isGroupSections, isSections] = isDay
    ? [generation.GROUP_SECTIONS_ALGORYTM, generation.DAY_ALGORYTM]
    : [generation.NIGHT_GROUP_SECTIONS_ALGORYTM, generation.NIGHT_ALGORYTM]
  return {
    useAll: isDay ? generation.USE_ALL_DAY_SONGS : generation.USE_ALL_NIGHT_SONGS,
    maxDurationMs: (isDay ? generation.MAX_DAY_DURATION : generation.MAX_NIGHT_DURATION) * 1000,
    algorithm: isGroupSections ? 'group-sections' : isSections ? 'sections' : 'simple',
    groups: isDay ? generation.GROUP_DEFS : generation.NIGHT_GROUP_DEFS,
    songsPerSection: isDay ? generation.SONGS_PER_SECTION : generation.NIGHT_SONGS_PER_SECTION,
  }
}

/** The library by group as the stored settings say, worked out once per change of either. */
export async function groupedLibrary(
  data: Pick<DataStore, 'tracks' | 'settings'>,
): Promise<Record<Mode, Groups>> {
  const [day, night, settings] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    data.settings.find(),
  ])
  return grouped(day, night, settings)
}

type Tracks = readonly Readonly<Track>[]
type Groups = readonly TrackGroup<Readonly<Track>>[]
const grouped = memoizeLast((day: Tracks, night: Tracks, settings: readonly Readonly<SettingsRecord>[]) => {
  const { GROUP_DEFS, NIGHT_GROUP_DEFS } = settingsIn(settings).generation
  return { day: groupTracks(day, GROUP_DEFS), night: groupTracks(night, NIGHT_GROUP_DEFS) }
})

/** What the library of this moment allows the settings to be. */
export async function settingsBounds(data: Pick<DataStore, 'tracks' | 'settings'>): Promise<SettingsBounds> {
  const [day, night, groups] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    groupedLibrary(data),
  ])
  return bounds(day, night, groups.day, groups.night)
}

const bounds = memoizeLast((day: Tracks, night: Tracks, dayGroups: Groups, nightGroups: Groups) =>
  boundsOf({ day, night }, { day: dayGroups, night: nightGroups }),
)

/** What an admin sends: sections with the fields that it knows. */
export type SettingsDraft = Partial<Record<SectionName, Record<string, unknown>>>

/** Which privilege allows to change a section; in the order in which sections are told. */
const privilegeFor: Record<SectionName, Privilege> = {
  branding: 'settings_branding',
  generation: 'settings_algorithm',
  radioHosts: 'radio_moderator',
  artistArts: 'settings_algorithm',
}
const sections = Object.keys(privilegeFor) as SectionName[]

/** Saves of one section at a time are rare; more in a row than this are a fault. */
const ATTEMPTS = 50

/**
 * Saves the sections that differ from the stored ones, all or none of them. Who saves at the same time meets what the
 * other has saved: a section is written only over the one it was compared with, else everything is compared again.
 * @returns the sections that were saved, and whether another algorithm was chosen.
 * @throws Failure FORBIDDEN when a privilege for one of them is missing; BAD_REQUEST
 */
export async function saveSettings(
  deps: {
    data: DataStore
    audit: Audit
    announcer: Announcer
    bus: Pick<Bus, 'send'>
    log: Log
    nightMode: boolean
  },
  admin: Admin,
  sent: SettingsDraft,
): Promise<{ saved: SectionName[]; isOtherAlgorithm: boolean }> {
  const { data } = deps
  const saved = new Map<SectionName, Change>()
  try {
    for (let attempt = 0; ; attempt++) {
      if (attempt === ATTEMPTS) throw new Error('the settings change all the time')
      const left = Object.entries(sent).filter(([section]) => !saved.has(section as SectionName))
      const changes = await planChanges(data, deps.nightMode, admin, Object.fromEntries(left))
      let isOvertaken = false
      for (const change of changes) {
        if (await writeSection(data, change)) saved.set(change.section, change)
        else isOvertaken = true
      }
      if (!isOvertaken) break
    }
  } finally {
    // Also what was saved before a later attempt failed has happened.
    if (saved.size > 0) await tellOf(deps, admin, [...saved.values()])
  }
  const generation = saved.get('generation')
  return {
    saved: sections.filter((section) => saved.has(section)),
    isOtherAlgorithm: generation !== undefined && changesAlgorithm(generation),
  }
}

/** A section that is to be written over the record that it was compared with; null = none is stored yet. */
interface Change {
  section: SectionName
  before: Settings[SectionName]
  after: Settings[SectionName]
  replaces: Readonly<SettingsRecord> | null
}

/** Privileges first, then validity, over all sections that differ: nothing is written before all of them may be. */
async function planChanges(
  data: DataStore,
  nightMode: boolean,
  admin: Admin,
  sent: SettingsDraft,
): Promise<Change[]> {
  const records = await data.settings.find()
  const stored = settingsIn(records)
  const compared = sections.flatMap((section) => compare(section, stored[section], sent[section]) ?? [])
  if (!compared.every(({ section }) => holds(admin, privilegeFor[section]))) throw new Failure('FORBIDDEN')
  if (compared.length === 0) return []

  const context = await contextOf(data, nightMode)
  const changes = compared.map(({ section, before, after }) => {
    if (after instanceof Failure) throw after
    const replaces = records.find((record) => record.section === section) ?? null
    return { section, before, after: checkSection(section, before, after, context), replaces }
  })
  // What the library does not allow may have been all that differed.
  return changes.filter(({ before, after }) => !isSame(before, after))
}

/** A section as it is and as it shall be, if these differ; what cannot be read differs. */
function compare<S extends SectionName>(
  section: S,
  stored: Settings[S],
  sent: Record<string, unknown> | undefined,
): { section: S; before: Settings[S]; after: Settings[S] | Failure } | null {
  if (sent === undefined) return null
  const before = mergeSection(section, stored, {})
  try {
    const after = mergeSection(section, before, sent)
    return isSame(before, after) ? null : { section, before, after }
  } catch (error) {
    if (error instanceof Failure) return { section, before, after: error }
    throw error
  }
}

async function contextOf(data: DataStore, nightMode: boolean): Promise<SettingsContext> {
  const [day, night, phrases] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    data.clips.find({ family: 'phrases', used: true }),
  ])
  const usable = (mode: Mode) => phrases.filter((phrase) => phrase.mode === mode).length
  return {
    library: { day, night },
    activeModes: activeModes(nightMode, { day, night }),
    usablePhrases: { day: usable('day'), night: usable('night') },
    phrasesRequired: clipFamilies.phrases.minRequired,
  }
}

/** The modes that come on the air; one without music does not, as long as the other one has some. */
function activeModes(nightMode: boolean, library: SettingsContext['library']): Mode[] {
  if (!nightMode) return ['day']
  const withMusic = (['day', 'night'] as const).filter((mode) => library[mode].length > 0)
  return withMusic.length > 0 ? withMusic : ['day', 'night']
}

/** Writes a section over the record that it was compared with; false when somebody else saved it meanwhile. */
export async function writeSection<S extends keyof StoredSettings>(
  data: Pick<DataStore, 'settings'>,
  change: { section: S; after: StoredSettings[S]; replaces: Readonly<SettingsRecord> | null },
): Promise<boolean> {
  const { section, after, replaces } = change
  const record = { section, value: after, revision: (replaces?.revision ?? 0) + 1 }
  if (!replaces) return (await data.settings.insert(record)) !== null
  return (await data.settings.update({ section, revision: replaces.revision }, record)) > 0
}

async function tellOf(
  deps: { audit: Audit; announcer: Announcer; bus: Pick<Bus, 'send'>; log: Log },
  admin: Admin,
  changes: Change[],
): Promise<void> {
  deps.announcer.settingsChanged()
  const isChanged = (name: SectionName) => changes.some(({ section }) => section === name)
  for (const type of [
    ...(isChanged('generation') ? (['settings-changed'] as const) : []),
    ...(isChanged('generation') || isChanged('radioHosts') ? (['clips-changed'] as const) : []),
  ]) {
    deps.bus.send({ type }).catch((error) => {
      // The command waits for the next worker, so that it reads anew what has changed.
      deps.log.warn({ err: error }, 'no worker heard yet that the settings changed')
    })
  }
  await deps.audit.record(
    admin,
    'settings_save',
    { sections: changes.map(({ section }) => section) },
    {
      changes: changes.flatMap(({ section, before, after }) => describeChanges(section, before, after)),
    },
  )
}

function changesAlgorithm({ before, after }: Change): boolean {
  const [old, now] = [before as Settings['generation'], after as Settings['generation']]
  return algorithmFlags.some((flag) => old[flag] !== now[flag])
}
