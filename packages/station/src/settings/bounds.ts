import {
  type AlgorithmStatus,
  failureText,
  type Mode,
  type SettingsBounds,
  type Track,
} from '@solstice/contracts'
import { ASSUMED_DURATION_MS, type TrackGroup } from '@solstice/playout'
import { type Flag, generationFields, MIN_PLAYLIST_S, PHRASE_TIME, type Range } from './fields.ts'

type Library = Record<Mode, readonly Readonly<Track>[]>

/** Bounds that the library sets. @param groups its tracks by group. */
export function boundsOf(
  library: Library,
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

/** An algorithm of playlists: whether it can be used, and why not. */
interface Algorithm {
  flag: Flag
  refusal: { field: string; reason: string } | null
  facts: Pick<AlgorithmStatus, 'groupCount' | 'minGroupCount' | 'maxPossibleDuration'>
}

export function limitsOf(
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
  const { sections, groupSections } = generationFields[mode]
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

/** The length of all tracks, seconds. */
export function durationOf(tracks: readonly Readonly<Track>[]): number {
  const total = tracks.reduce((sum, { duration }) => sum + (duration ?? ASSUMED_DURATION_MS / 1000), 0)
  return Math.round(total * 100) / 100
}

/** A phrase begins within its track, however short that is. */
export function phraseTime({ day, night }: Library): Range {
  const { min, max } = PHRASE_TIME
  let shortest = max
  for (const tracks of [day, night]) {
    for (const { duration } of tracks) if (duration !== null && duration < shortest) shortest = duration
  }
  return { min, max: Math.max(min, Math.floor(shortest)) }
}
