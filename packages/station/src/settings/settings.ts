import {
  type Mode,
  modes,
  type Privilege,
  type Settings,
  type SettingsBounds,
  type Track,
  type UiSettings,
} from '@solstice/contracts'
import { type GroupDefs, groupInPieces, type RotationSettings, type TrackGroup } from '@solstice/playout'
import { type Admin, holds } from '../accounts/admins.ts'
import type { Audit } from '../accounts/audit.ts'
import { clipFamilies } from '../clips/clips.ts'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { withBreaks } from '../core/turns/breaks.ts'
import { libraryOf } from '../library/library.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore, SettingsRecord, StoredSettings } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import { boundsOf } from './bounds.ts'
import { describeChanges, isSame } from './changes.ts'
import { checkSection, type SettingsContext } from './check.ts'
import { defaultSettings } from './defaults.ts'
import type { DirectoryEntry } from './directory.ts'
import { algorithmFlags, type Generation, generationFields, type SectionName } from './fields.ts'
import { mergeSection } from './read.ts'

/** All sections; defaults where nothing was saved. */
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

/** The settings that every client gets, and what directories of stations get. */
export async function readPublicSettings(
  data: Pick<DataStore, 'settings'>,
): Promise<{ ui: UiSettings; directory: DirectoryEntry }> {
  const { branding, artistArts } = await readSettings(data)
  const { directory, ...names } = branding
  return { ui: { ...names, artistArts }, directory }
}

/** The settings of a mode's rotation. */
export async function rotationSettings(
  data: Pick<DataStore, 'settings'>,
  mode: Mode,
): Promise<RotationSettings> {
  return rotationOf((await readSettings(data)).generation, mode)
}

export function rotationOf(generation: Generation, mode: Mode): RotationSettings {
  const fields = generationFields[mode]
  const isGroupSections = generation[fields.groupSections]
  const isSections = generation[fields.sections]
  return {
    useAll: generation[fields.useAll],
    maxDurationMs: generation[fields.maxDuration] * 1000,
    algorithm: isGroupSections ? 'group-sections' : isSections ? 'sections' : 'simple',
    groups: generation[fields.groups],
    songsPerSection: generation[fields.songsPerSection],
  }
}

/** The library by the groups of the stored settings; grouped once per change of either. */
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
const grouped = memoizeLast(
  async (day: Tracks, night: Tracks, settings: readonly Readonly<SettingsRecord>[]) => {
    const { generation } = settingsIn(settings)
    return {
      day: await groupsIn(day, generation[generationFields.day.groups]),
      night: await groupsIn(night, generation[generationFields.night.groups]),
    }
  },
)

const groupsIn = (tracks: Tracks, defs: GroupDefs): Promise<Groups> => withBreaks(groupInPieces(tracks, defs))

/** The bounds that the library sets for the settings. */
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

/**
 * The bounds that the library would set for unsaved settings of playlists; for each mode the artists that none of their
 * groups names, and how many tracks every artist brings to its group.
 *
 * @throws Failure BAD_REQUEST for a field of another type.
 */
export async function previewBounds(
  data: Pick<DataStore, 'tracks' | 'settings'>,
  sent: Record<string, unknown>,
): Promise<{
  bounds: SettingsBounds
  unassigned: Record<Mode, string[]>
  artistSongs: Record<Mode, Record<string, number>>
}> {
  const [day, night, { generation: stored }] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    readSettings(data),
  ])
  const generation = mergeSection('generation', stored, sent)
  const library = { day, night }
  const groupsOf = (mode: Mode) => groupsIn(library[mode], generation[generationFields[mode].groups])
  const artistsOf = (mode: Mode) => countArtists(library[mode], generation[generationFields[mode].groups])
  const artists = { day: await artistsOf('day'), night: await artistsOf('night') }
  return {
    bounds: boundsOf(library, { day: await groupsOf('day'), night: await groupsOf('night') }),
    unassigned: { day: artists.day.unassigned, night: artists.night.unassigned },
    artistSongs: { day: artists.day.songs, night: artists.night.songs },
  }
}

/**
 * The tracks that each artist brings to a group, so that those of a group add up to its own; and the artists that only the
 * last group's being last brings into a group, in the order of the library.
 */
async function countArtists(
  tracks: Tracks,
  groups: GroupDefs,
): Promise<{ songs: Record<string, number>; unassigned: string[] }> {
  const named = Object.values(groups).flat()
  // A group for each artist, in the same order; the last one takes the tracks of all others. Names that look like numbers
  // would come first.
  const alone = Object.fromEntries(named.map((artist, i) => [`artist ${i}`, [artist]]))
  const byArtist = await groupsIn(tracks, { ...alone, others: [] })
  const songs = new Map<string, number>()
  for (const [i, artist] of named.entries())
    if (!songs.has(artist)) songs.set(artist, byArtist[i]!.tracks.length)
  const unassigned = new Map<string, number>()
  for (const { artist } of byArtist.at(-1)!.tracks) unassigned.set(artist, (unassigned.get(artist) ?? 0) + 1)
  return { songs: Object.fromEntries([...unassigned, ...songs]), unassigned: [...unassigned.keys()] }
}

/** Sections as an admin sends them, with the fields that the client knows. */
export type SettingsDraft = Partial<Record<SectionName, Record<string, unknown>>>

/** The privilege that allows changing a section; in the order in which sections are listed. */
const privilegeFor: Record<SectionName, Privilege> = {
  branding: 'settings_branding',
  generation: 'settings_algorithm',
  radioHosts: 'radio_moderator',
  artistArts: 'settings_algorithm',
}
const sections = Object.keys(privilegeFor) as SectionName[]

/** Optimistic-lock retries before giving up. */
const ATTEMPTS = 50

/**
 * Saves the sections that differ from the stored ones, all or none of them. A section is written only over the revision it
 * was compared with; after a concurrent save everything is compared again.
 *
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
      if (attempt === ATTEMPTS) throw new Error('settings not saved: too many concurrent changes')
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
    // Sections saved before a later attempt failed are saved all the same.
    if (saved.size > 0) await tellOf(deps, admin, [...saved.values()])
  }
  const generation = saved.get('generation')
  return {
    saved: sections.filter((section) => saved.has(section)),
    isOtherAlgorithm: generation !== undefined && changesAlgorithm(generation),
  }
}

/** A section to be written over the record that it was compared with; null = none is stored yet. */
interface Change {
  section: SectionName
  before: Settings[SectionName]
  after: Settings[SectionName]
  replaces: Readonly<SettingsRecord> | null
}

/** Checks privileges first, then validity, of all sections that differ: nothing is written before all are allowed. */
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
  const changes: Change[] = []
  for (const { section, before, after } of compared) {
    if (after instanceof Failure) throw after
    const replaces = records.find((record) => record.section === section) ?? null
    changes.push({ section, before, after: await checkSection(section, before, after, context), replaces })
  }
  // After clamping to the bounds of the library nothing may differ any more.
  return changes.filter(({ before, after }) => !isSame(before, after))
}

/** A section before and after, if these differ; one that cannot be read differs. */
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

async function contextOf(
  data: Pick<DataStore, 'tracks' | 'clips'>,
  nightMode: boolean,
): Promise<SettingsContext> {
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

/** The modes that come on the air: one without music does not, unless both have none. */
function activeModes(nightMode: boolean, library: SettingsContext['library']): Mode[] {
  if (!nightMode) return ['day']
  const withMusic = modes.filter((mode) => library[mode].length > 0)
  return withMusic.length > 0 ? withMusic : [...modes]
}

/**
 * The settings of playlists and clips as saving these fields would leave them.
 *
 * @throws Failure BAD_REQUEST where they could not be saved.
 */
export async function unsavedGeneration(
  data: Pick<DataStore, 'tracks' | 'settings' | 'clips'>,
  nightMode: boolean,
  sent: Record<string, unknown>,
): Promise<Settings> {
  const stored = await readSettings(data)
  const before = mergeSection('generation', stored.generation, {})
  const after = mergeSection('generation', before, sent)
  if (isSame(before, after)) return stored
  const generation = await checkSection('generation', before, after, await contextOf(data, nightMode))
  return { ...stored, generation }
}

/** Writes a section over the record that it was compared with. @returns false after a concurrent save. */
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
  deps.announcer.tell('admins', 'settings_updated')
  const isChanged = (name: SectionName) => changes.some(({ section }) => section === name)
  for (const type of [
    ...(isChanged('generation') ? (['settings-changed'] as const) : []),
    ...(isChanged('generation') || isChanged('radioHosts') ? (['clips-changed'] as const) : []),
  ]) {
    deps.bus.send({ type }).catch((error) => {
      // The command waits for the next worker, which then reads the settings again.
      deps.log.warn({ err: error }, 'settings change not delivered to a worker yet')
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
