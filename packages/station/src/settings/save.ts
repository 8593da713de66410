import type { Privilege, Settings } from '@solstice/contracts'
import { type Admin, holds } from '../accounts/admins.ts'
import type { Audit } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { DataStore, SettingsRecord } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import { describeChanges, isSame } from './changes.ts'
import { checkSection } from './check.ts'
import { settingsContext } from './context.ts'
import { algorithmFlags, type SectionName } from './fields.ts'
import { mergeSection } from './read.ts'
import { readSettings, settingsIn, writeSection } from './settings.ts'

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

  const context = await settingsContext(data, nightMode)
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
  const generation = await checkSection('generation', before, after, await settingsContext(data, nightMode))
  return { ...stored, generation }
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
