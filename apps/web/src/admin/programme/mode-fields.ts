import type { AlgorithmStatus, Mode, Settings, SettingsBounds } from '@solstice/contracts'
import type { GroupDefs } from './board/board.ts'

type Generation = Settings['generation']
export const algorithms = ['simple', 'sections', 'groupSections'] as const
export type Algorithm = (typeof algorithms)[number]

const names = {
  day: {
    useAll: 'USE_ALL_DAY_SONGS',
    maxDuration: 'MAX_DAY_DURATION',
    sections: 'DAY_ALGORYTM',
    groupSections: 'GROUP_SECTIONS_ALGORYTM',
    perSection: 'SONGS_PER_SECTION',
    groups: 'GROUP_DEFS',
  },
  night: {
    useAll: 'USE_ALL_NIGHT_SONGS',
    maxDuration: 'MAX_NIGHT_DURATION',
    sections: 'NIGHT_ALGORYTM',
    groupSections: 'NIGHT_GROUP_SECTIONS_ALGORYTM',
    perSection: 'NIGHT_SONGS_PER_SECTION',
    groups: 'NIGHT_GROUP_DEFS',
  },
} as const

/** How a mode's playlists are made. Lengths in seconds. */
export interface ModeFields {
  algorithm: Algorithm
  useAll: boolean
  maxDuration: number
  perSection: number
  groups: GroupDefs
  /** Length of the mode's library. */
  total: number
  lengths: { min: number; max: number }
  sectionSizes: { min: number; max: number }
  songCounts: Record<string, number>
  /** `simple` can always be used. */
  status: Record<Exclude<Algorithm, 'simple'>, AlgorithmStatus>
}

/** The settings and bounds of a mode, which are stored under names of their own for each mode. */
export function fieldsOf(mode: Mode, generation: Generation, bounds: SettingsBounds): ModeFields {
  const of = names[mode]
  const isDay = mode === 'day'
  return {
    algorithm: generation[of.groupSections]
      ? 'groupSections'
      : generation[of.sections]
        ? 'sections'
        : 'simple',
    useAll: generation[of.useAll],
    maxDuration: generation[of.maxDuration],
    perSection: generation[of.perSection],
    groups: generation[of.groups],
    total: isDay ? bounds.totalDayDuration : bounds.totalNightDuration,
    lengths: bounds[of.maxDuration],
    sectionSizes: bounds[of.perSection],
    songCounts: isDay ? bounds.groupSongCounts : bounds.nightGroupSongCounts,
    status: {
      sections: isDay ? bounds.dayAlgorithmStatus : bounds.nightAlgorithmStatus,
      groupSections: isDay ? bounds.groupSectionsAlgorithmStatus : bounds.nightGroupSectionsAlgorithmStatus,
    },
  }
}

/** Changes of a mode under their stored names. */
export function changesOf(
  mode: Mode,
  changes: Partial<Pick<ModeFields, 'algorithm' | 'useAll' | 'maxDuration' | 'perSection' | 'groups'>>,
): Partial<Generation> {
  const of = names[mode]
  const { algorithm, ...others } = changes
  const renamed = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [of[name as keyof typeof others], value]),
  )
  return {
    ...renamed,
    ...(algorithm && {
      [of.sections]: algorithm === 'sections',
      [of.groupSections]: algorithm === 'groupSections',
    }),
  }
}
