import type { Settings } from '@solstice/contracts'

export type SectionName = keyof Settings

/** Fields that were changed and not saved yet, by section. */
export type Patch = { [S in SectionName]?: Partial<Settings[S]> }

const sectionNames = ['branding', 'generation', 'radioHosts', 'artistArts'] as const satisfies SectionName[]

/** All sections, with the unsaved fields. */
export function withPatch(settings: Settings, patch: Patch): Settings {
  const { branding, generation, radioHosts, artistArts } = settings
  return {
    branding: { ...branding, ...patch.branding },
    generation: { ...generation, ...patch.generation },
    radioHosts: { ...radioHosts, ...patch.radioHosts },
    artistArts: { ...artistArts, ...patch.artistArts },
  }
}

/** Adds changed fields of a section. */
export function extend<S extends SectionName>(patch: Patch, section: S, fields: Partial<Settings[S]>): Patch {
  return { ...patch, [section]: { ...patch[section], ...fields } }
}

/** Without the fields that are as they are saved, such as those that somebody changed back. */
export function pruned(settings: Settings, patch: Patch): Patch {
  const result: Record<string, object> = {}
  for (const section of sectionNames) {
    const saved = settings[section] as Record<string, unknown>
    const left = Object.entries(patch[section] ?? {}).filter(([name, value]) => !isSame(value, saved[name]))
    if (left.length) result[section] = Object.fromEntries(left)
  }
  return result
}

/** Changes made after a patch was sent, which was then saved in a form that the station may have tidied. */
export const changedSince = (sent: Patch, saved: Settings, patch: Patch): Patch =>
  pruned(withPatch(saved, sent), patch)

export const isEmpty = (patch: Patch): boolean => Object.keys(patch).length === 0

/** The order of groups and of their artists counts. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
