import {
  type AlgorithmStatus,
  failureText,
  locales,
  type Mode,
  type Settings,
  type SettingsBounds,
  type Track,
} from '@solstice/contracts'
import { ASSUMED_DURATION_MS, type GroupDefs, groupTracks, type TrackGroup } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { tidyText } from '../core/text.ts'

// Which settings there may be. What was sent is first brought into the one form in which settings are compared and kept
// (`mergeSection`); only what then differs from the stored settings is held against the library (`checkSection`).

export type SectionName = keyof Settings
type Generation = Settings['generation']
type Flag = { [F in keyof Generation]: Generation[F] extends boolean ? F : never }[keyof Generation]
type Amount = { [F in keyof Generation]: Generation[F] extends number ? F : never }[keyof Generation]

/** Seconds: the shortest list, and so the shortest library, that settings may ask for. */
const MIN_PLAYLIST_S = 3_600
const MAX_TEXT_LENGTH = 200
const MAX_GROUPS = 100
/** In all groups of a mode together. */
const MAX_ARTISTS = 5_000
const MAX_GROUP_NAME_LENGTH = 50
/** Seconds between the beginning of a phrase and the end of its song. */
const PHRASE_TIME = { min: 5, max: 30 }
const GUEST_MINUTES = { min: 1, max: 240 }
const MAX_TRACKS_PER_SECTION = 10_000

/** The settings of a mode by their names. */
const keysOf = {
  day: {
    useAll: 'USE_ALL_DAY_SONGS',
    maxDuration: 'MAX_DAY_DURATION',
    sections: 'DAY_ALGORYTM',
    groupSections: 'GROUP_SECTIONS_ALGORYTM',
    songsPerSection: 'SONGS_PER_SECTION',
    groups: 'GROUP_DEFS',
  },
  night: {
    useAll: 'USE_ALL_NIGHT_SONGS',
    maxDuration: 'MAX_NIGHT_DURATION',
    sections: 'NIGHT_ALGORYTM',
    groupSections: 'NIGHT_GROUP_SECTIONS_ALGORYTM',
    songsPerSection: 'NIGHT_SONGS_PER_SECTION',
    groups: 'NIGHT_GROUP_DEFS',
  },
} as const satisfies Record<
  Mode,
  {
    useAll: Flag
    maxDuration: Amount
    sections: Flag
    groupSections: Flag
    songsPerSection: Amount
    groups: string
  }
>
const modes: Mode[] = ['day', 'night']
const GROUPS_FIELD = /^generation\.(NIGHT_)?GROUP_DEFS$/

/** The flags that choose how lists are made. */
export const algorithmFlags: Flag[] = modes.flatMap((mode) => [
  keysOf[mode].sections,
  keysOf[mode].groupSections,
])

/**
 * A stored section with what was sent put over it, in the form in which sections are compared: texts tidied, numbers
 * that are clamped clamped, unknown fields dropped.
 * @throws Failure BAD_REQUEST for a field of another type.
 */
export function mergeSection<S extends SectionName>(
  section: S,
  stored: Settings[S],
  sent: Record<string, unknown>,
): Settings[S] {
  const fields = Object.entries(stored).map(([name, value]) => {
    const field = `${section}.${name}`
    return [name, Object.hasOwn(sent, name) ? readAs(value, sent[name], field) : value]
  })
  const merged = Object.fromEntries(fields) as Settings[S]
  return section === 'generation'
    ? (tidyGeneration(stored as Generation, merged as Generation) as Settings[S])
    : merged
}

/** What the settings are held against. */
export interface SettingsContext {
  library: Record<Mode, readonly Readonly<Track>[]>
  /** The modes that come on the air. */
  activeModes: readonly Mode[]
  usablePhrases: Record<Mode, number>
  /** Usable phrases that each mode needs. */
  phrasesRequired: number
}

/**
 * A section that differs from the stored one, as it may be saved: fields that follow the library are set to what it allows.
 * @throws Failure BAD_REQUEST with the field and the reason.
 */
export function checkSection<S extends SectionName>(
  section: S,
  before: Settings[S],
  after: Settings[S],
  context: SettingsContext,
): Settings[S] {
  const checks: { [N in SectionName]: (before: Settings[N], after: Settings[N]) => Settings[N] } = {
    branding: checkBranding,
    generation: (before, after) => checkGeneration(before, after, context),
    radioHosts: checkRadioHosts,
    artistArts: (_, after) => after,
  }
  return checks[section](before, after)
}

/** What the library of this moment allows. `groups` are its tracks by group. */
export function boundsOf(
  library: SettingsContext['library'],
  groups: Record<Mode, readonly TrackGroup<Readonly<Track>>[]>,
): SettingsBounds {
  const day = limitsOf('day', library.day, groups.day)
  const night = limitsOf('night', library.night, groups.night)
  return {
    totalDayDuration: day.totalDuration,
    totalNightDuration: night.totalDuration,
    MAX_DAY_DURATION: day.maxDuration,
    MAX_NIGHT_DURATION: night.maxDuration,
    SONGS_PER_SECTION: day.songsPerSection,
    NIGHT_SONGS_PER_SECTION: night.songsPerSection,
    PHRASES_TIME_SECONDS: phraseTime(library),
    groupSongCounts: day.songCounts,
    nightGroupSongCounts: night.songCounts,
    dayAlgorithmStatus: statusOf(day.sections),
    groupSectionsAlgorithmStatus: statusOf(day.groupSections),
    nightAlgorithmStatus: statusOf(night.sections),
    nightGroupSectionsAlgorithmStatus: statusOf(night.groupSections),
  }
}

/** Every field of a section in which two values differ, by its dotted name; groups are summed up. */
export function describeChanges(
  name: string,
  before: unknown,
  after: unknown,
): { field: string; before: unknown; after: unknown }[] {
  if (isSame(before, after)) return []
  if (GROUPS_FIELD.test(name))
    return [{ field: name, before: countGroups(before as GroupDefs), after: countGroups(after as GroupDefs) }]
  if (typeof before !== 'object' || typeof after !== 'object' || !before || !after)
    return [{ field: name, before, after }]
  const inner = after as Record<string, unknown>
  return Object.entries(before).flatMap(([key, value]) =>
    describeChanges(`${name}.${key}`, value, inner[key]),
  )
}

function countGroups(defs: GroupDefs) {
  return { groups: Object.keys(defs).length, artists: Object.values(defs).flat().length }
}

/** A value as one of the kind of the stored one. */
function readAs(stored: unknown, sent: unknown, field: string): unknown {
  if (field === 'branding.byLang') return readByLang(sent, field)
  if (GROUPS_FIELD.test(field)) return readGroups(sent, field)
  if (typeof sent !== typeof stored) throw new Failure('BAD_REQUEST', { field })
  if (typeof sent === 'string') return readText(sent, field)
  if (typeof sent === 'number') return readNumber(sent, field)
  return sent
}

function readText(sent: unknown, field: string): string {
  if (typeof sent !== 'string') throw new Failure('BAD_REQUEST', { field })
  const text = tidyText(sent)
  if (text.length > MAX_TEXT_LENGTH) throw badLength(field, 0, MAX_TEXT_LENGTH)
  return text
}

function readNumber(sent: number, field: string): number {
  if (!Number.isFinite(sent)) throw new Failure('BAD_REQUEST', { field })
  return field === 'generation.PHRASES_TIME_SECONDS' ? sent : Math.floor(sent)
}

/** Both languages, each with all its names. */
function readByLang(sent: unknown, field: string): Settings['branding']['byLang'] {
  const readNames = (names: unknown, field: string) => {
    const read = (name: string) => readText(member(names, name, field), `${field}.${name}`)
    return {
      dayRadioName: read('dayRadioName'),
      nightRadioName: read('nightRadioName'),
      messengerLabel: read('messengerLabel'),
    }
  }
  const [uk, en] = locales.map((locale) => readNames(member(sent, locale, field), `${field}.${locale}`))
  return { uk: uk!, en: en! }
}

function member(sent: unknown, name: string, field: string): unknown {
  if (!isRecord(sent)) throw new Failure('BAD_REQUEST', { field })
  if (!Object.hasOwn(sent, name))
    throw new Failure('BAD_REQUEST', { field: `${field}.${name}`, reason: 'missing' })
  return sent[name]
}

/** Groups with their artists, without what is empty or there twice; two groups of one name become one. */
function readGroups(sent: unknown, field: string): Record<string, string[]> {
  if (!isRecord(sent)) throw new Failure('BAD_REQUEST', { field })
  const groups = new Map<string, Map<string, string>>()
  for (const [name, artists] of Object.entries(sent)) {
    if (!Array.isArray(artists)) throw new Failure('BAD_REQUEST', { field })
    const group = tidyText(name)
    if (!group) continue
    if (group.length > MAX_GROUP_NAME_LENGTH) throw badLength(field, 1, MAX_GROUP_NAME_LENGTH)
    const known = groups.get(group) ?? new Map<string, string>()
    groups.set(group, known)
    for (const artist of artists.map((artist) => readText(artist, field))) {
      if (artist && !known.has(artist.toLowerCase())) known.set(artist.toLowerCase(), artist)
    }
  }
  if (groups.size > MAX_GROUPS) throw tooMany(field, MAX_GROUPS)
  const artists = [...groups.values()].reduce((sum, { size }) => sum + size, 0)
  if (artists > MAX_ARTISTS) throw tooMany(field, MAX_ARTISTS)
  // Every name becomes a field of its own, whatever it is: nothing is looked up in what an object inherits.
  return Object.fromEntries([...groups].map(([name, artists]) => [name, [...artists.values()]]))
}

function tidyGeneration(stored: Generation, merged: Generation): Generation {
  const tidied: Generation = {
    ...merged,
    JINGLES_FREQUENCY: clamp(merged.JINGLES_FREQUENCY, { min: 1, max: 5 }),
    PHRASES_TIME_SECONDS: clamp(merged.PHRASES_TIME_SECONDS, PHRASE_TIME),
  }
  for (const mode of modes) {
    const { sections, groupSections, songsPerSection, useAll, maxDuration } = keysOf[mode]
    if (tidied[groupSections]) tidied[sections] = false
    tidied[songsPerSection] = clamp(tidied[songsPerSection], { min: 1, max: MAX_TRACKS_PER_SECTION })
    // It follows the library then, so that what a client shows for it is no change.
    if (tidied[useAll] && stored[useAll]) tidied[maxDuration] = stored[maxDuration]
  }
  return tidied
}

function checkBranding(before: Settings['branding'], after: Settings['branding']): Settings['branding'] {
  for (const locale of locales) {
    for (const [name, value] of Object.entries(after.byLang[locale])) {
      checkLength(value, `branding.byLang.${locale}.${name}`, 2, 25)
    }
  }
  // A station that has no messenger yet may still change its names.
  if (after.messenger_url !== before.messenger_url) {
    const field = 'branding.messenger_url'
    checkLength(after.messenger_url, field, 2, 50)
    if (!/^https?:\/\//i.test(after.messenger_url) || !URL.canParse(after.messenger_url))
      throw new Failure('BAD_REQUEST', { field, reason: 'not_an_address' })
  }
  return after
}

function checkRadioHosts(
  _before: Settings['radioHosts'],
  after: Settings['radioHosts'],
): Settings['radioHosts'] {
  for (const name of ['guestMaxDurationMinutes', 'specialGuestMaxDurationMinutes'] as const) {
    checkRange(after[name], `radioHosts.${name}`, GUEST_MINUTES)
  }
  if (!['random', 'hostChoice'].includes(after.backgroundMusicMode))
    throw new Failure('BAD_REQUEST', { field: 'radioHosts.backgroundMusicMode' })
  return after
}

function checkGeneration(before: Generation, after: Generation, context: SettingsContext): Generation {
  const { library, activeModes, usablePhrases, phrasesRequired } = context
  const short = activeModes.find((mode) => durationOf(library[mode]) < MIN_PLAYLIST_S)
  if (short) throw new Failure('BAD_REQUEST', { field: 'generation', reason: 'library_short', mode: short })

  const checked = { ...after, PHRASES_TIME_SECONDS: clamp(after.PHRASES_TIME_SECONDS, phraseTime(library)) }
  for (const mode of modes) {
    const { useAll, maxDuration, sections, songsPerSection, groups } = keysOf[mode]
    const limits = limitsOf(mode, library[mode], groupTracks(library[mode], after[groups]))
    if (after[useAll]) checked[maxDuration] = limits.maxDuration.max
    // A stored length that the library has outshrunk is no mistake of who changes something else.
    else if (after[maxDuration] === before[maxDuration])
      checked[maxDuration] = clamp(after[maxDuration], limits.maxDuration)
    else checkRange(after[maxDuration], `generation.${maxDuration}`, limits.maxDuration)

    for (const { flag, refusal } of [limits.sections, limits.groupSections]) {
      if (after[flag] && refusal) throw new Failure('BAD_REQUEST', refusal)
    }
    if (!after[sections]) continue
    const isKept = [sections, songsPerSection, groups].every((key) => isSame(after[key], before[key]))
    if (isKept) checked[songsPerSection] = clamp(after[songsPerSection], limits.songsPerSection)
    else checkRange(after[songsPerSection], `generation.${songsPerSection}`, limits.songsPerSection)
  }

  const isTurnedOn = after.PHRASES_ENABLED && !before.PHRASES_ENABLED
  if (isTurnedOn && activeModes.some((mode) => usablePhrases[mode] < phrasesRequired))
    throw new Failure('BAD_REQUEST', {
      field: 'generation.PHRASES_ENABLED',
      reason: 'phrases_few',
      minRequired: phrasesRequired,
    })
  return checked
}

/** A way to make lists: whether it can be used, and why not. */
interface Algorithm {
  flag: Flag
  refusal: { field: string; reason: string } | null
  facts: Pick<AlgorithmStatus, 'groupCount' | 'minGroupCount' | 'maxPossibleDuration'>
}

function limitsOf(
  mode: Mode,
  tracks: readonly Readonly<Track>[],
  groups: readonly TrackGroup<Readonly<Track>>[],
) {
  const totalDuration = durationOf(tracks)
  const sizes = groups.map((group) => group.tracks.length).filter((size) => size > 0)
  const [groupCount, minGroupCount] = [sizes.length, sizes.length > 0 ? Math.min(...sizes) : 0]
  const averageDuration = tracks.length > 0 ? totalDuration / tracks.length : 0
  const maxPossibleDuration = Math.floor(minGroupCount * groupCount * averageDuration)
  const algorithm = (flag: Flag, isTooShort: boolean, facts: Algorithm['facts']): Algorithm => {
    const reason = groupCount < 2 ? 'groups_too_few' : isTooShort ? 'groups_short' : null
    return { flag, refusal: reason && { field: `generation.${flag}`, reason }, facts }
  }
  const { sections, groupSections } = keysOf[mode]
  const facts = { groupCount, minGroupCount }
  return {
    totalDuration,
    maxDuration: { min: MIN_PLAYLIST_S, max: Math.max(MIN_PLAYLIST_S, Math.floor(totalDuration)) },
    songsPerSection: { min: Math.max(1, groupCount), max: Math.max(1, groupCount, minGroupCount) },
    songCounts: Object.fromEntries(groups.map((group) => [group.name, group.tracks.length])),
    sections: algorithm(sections, false, facts),
    groupSections: algorithm(groupSections, maxPossibleDuration < MIN_PLAYLIST_S, {
      ...facts,
      maxPossibleDuration,
    }),
  }
}

function statusOf({ refusal, facts }: Algorithm): AlgorithmStatus {
  return { canUse: refusal === null, reason: refusal && failureText('BAD_REQUEST', refusal), ...facts }
}

/** Seconds. */
function durationOf(tracks: readonly Readonly<Track>[]): number {
  const total = tracks.reduce((sum, { duration }) => sum + (duration ?? ASSUMED_DURATION_MS / 1000), 0)
  return Math.round(total * 100) / 100
}

/** A phrase begins within its song, however short that is. */
function phraseTime({ day, night }: SettingsContext['library']): { min: number; max: number } {
  const { min, max } = PHRASE_TIME
  let shortest = max
  for (const tracks of [day, night]) {
    for (const { duration } of tracks) if (duration !== null && duration < shortest) shortest = duration
  }
  return { min, max: Math.max(min, Math.floor(shortest)) }
}

function checkLength(text: string, field: string, min: number, max: number): void {
  const { length } = [...text]
  if (length < min || length > max) throw badLength(field, min, max)
}

function checkRange(value: number, field: string, { min, max }: { min: number; max: number }): void {
  if (value < min || value > max)
    throw new Failure('BAD_REQUEST', { field, reason: 'out_of_range', min, max })
}

function badLength(field: string, min: number, max: number): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'length', min, max })
}

function tooMany(field: string, max: number): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'too_many', max })
}

/** Whether two values of a setting are the same; the order of groups and artists counts. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
