import { type Mode, modes, type Settings } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'

export type SectionName = keyof Settings
export type Generation = Settings['generation']
export type Flag = { [F in keyof Generation]: Generation[F] extends boolean ? F : never }[keyof Generation]
export type Amount = { [F in keyof Generation]: Generation[F] extends number ? F : never }[keyof Generation]

/** Seconds: the shortest playlist, and so the shortest library, that settings may ask for. */
export const MIN_PLAYLIST_S = 3_600
/** Seconds between the beginning of a phrase and the end of its track. */
export const PHRASE_TIME = { min: 5, max: 30 }
export const GUEST_MINUTES = { min: 1, max: 240 }

/** The stored and sent names of the generation settings of a mode. */
export const generationFields = {
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
/** The field with the artist groups of a mode. */
export const GROUPS_FIELD = /^generation\.(NIGHT_)?GROUP_DEFS$/

/** The flags that choose the algorithm of playlists. */
export const algorithmFlags: Flag[] = modes.flatMap((mode) => [
  generationFields[mode].sections,
  generationFields[mode].groupSections,
])

export interface Range {
  min: number
  max: number
}

export function clamp(value: number, { min, max }: Range): number {
  return Math.min(max, Math.max(min, value))
}

export function badLength(field: string, min: number, max: number): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'length', min, max })
}
