import { locales, modes, type Settings } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { tidyText } from '../core/text.ts'
import type { DirectoryEntry } from './directory.ts'
import {
  badLength,
  clamp,
  type Generation,
  GROUPS_FIELD,
  generationFields,
  PHRASE_TIME,
  type SectionName,
} from './fields.ts'

const MAX_TEXT_LENGTH = 200
const MAX_GROUPS = 100
/** In all groups of a mode together. */
const MAX_ARTISTS = 5_000
const MAX_GROUP_NAME_LENGTH = 50
const MAX_TRACKS_PER_SECTION = 10_000

/**
 * Merges sent fields into a stored section, in the form in which sections are compared and stored: texts tidied, clamped
 * numbers clamped, unknown fields dropped.
 *
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

/** Reads a sent value as the type of the stored one. */
function readAs(stored: unknown, sent: unknown, field: string): unknown {
  if (field === 'branding.byLang') return readByLang(sent, field)
  if (field === 'branding.directory') return readDirectory(stored as DirectoryEntry, sent, field)
  if (GROUPS_FIELD.test(field)) return readGroups(stored as object, sent, field)
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

/** The sent fields over the stored ones; codes in their usual case, lists without spaces. */
function readDirectory(stored: DirectoryEntry, sent: unknown, field: string): DirectoryEntry {
  if (!isRecord(sent)) throw new Failure('BAD_REQUEST', { field })
  const merged = Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      name,
      Object.hasOwn(sent, name) ? readAs(value, sent[name], `${field}.${name}`) : value,
    ]),
  ) as DirectoryEntry
  const closed = (text: string) => text.replaceAll(' ', '')
  return {
    ...merged,
    countryCode: merged.countryCode.toUpperCase(),
    languageCodes: closed(merged.languageCodes).toLowerCase(),
    geoLatLong: closed(merged.geoLatLong),
  }
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

/**
 * Groups with their artists, without empty ones and duplicates; two groups of one name become one. A new name of digits is refused:
 * in JSON objects such keys come first, so the order of the groups would be lost.
 */
function readGroups(stored: object, sent: unknown, field: string): Record<string, string[]> {
  if (!isRecord(sent)) throw new Failure('BAD_REQUEST', { field })
  const groups = new Map<string, Map<string, string>>()
  for (const [name, artists] of Object.entries(sent)) {
    if (!Array.isArray(artists)) throw new Failure('BAD_REQUEST', { field })
    const group = tidyText(name)
    if (!group) continue
    if (/^\d+$/.test(group) && !Object.hasOwn(stored, group))
      throw new Failure('BAD_REQUEST', { field, reason: 'digits' })
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
  // `fromEntries` makes every name a field of its own, also one that objects inherit.
  return Object.fromEntries([...groups].map(([name, artists]) => [name, [...artists.values()]]))
}

function tidyGeneration(stored: Generation, merged: Generation): Generation {
  const tidied: Generation = {
    ...merged,
    JINGLES_FREQUENCY: clamp(merged.JINGLES_FREQUENCY, { min: 1, max: 5 }),
    PHRASES_TIME_SECONDS: clamp(merged.PHRASES_TIME_SECONDS, PHRASE_TIME),
  }
  for (const mode of modes) {
    const { sections, groupSections, songsPerSection, useAll, maxDuration } = generationFields[mode]
    if (tidied[groupSections]) tidied[sections] = false
    tidied[songsPerSection] = clamp(tidied[songsPerSection], { min: 1, max: MAX_TRACKS_PER_SECTION })
    // The length follows the library then, so the value that a client shows for it is no change.
    if (tidied[useAll] && stored[useAll]) tidied[maxDuration] = stored[maxDuration]
  }
  return tidied
}

function tooMany(field: string, max: number): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'too_many', max })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
