import type { Mode, Settings, UiSettings } from '@solstice/contracts'
import type { RotationSettings } from '@solstice/playout'
import type { DataStore, SettingsRecord, StoredSettings } from '../ports/data/data-store.ts'
import { defaultSettings } from './defaults.ts'
import type { DirectoryEntry } from './directory.ts'
import { type Generation, generationFields, type SectionName } from './fields.ts'

/** All sections; defaults where nothing was saved. */
export async function readSettings(data: Pick<DataStore, 'settings'>): Promise<Settings> {
  return settingsIn(await data.settings.find())
}

/** As `readSettings`, from records that are read already. */
export function settingsIn(saved: readonly Readonly<SettingsRecord>[]): Settings {
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
