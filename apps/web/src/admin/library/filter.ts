import type { LibraryFacets, LibrarySort, LyricsStatus, Mode } from '@solstice/contracts'
import type { Sort } from '../ui/table/sort.ts'

/** What of the library is shown. Facets that are left out do not narrow it. */
export interface TrackFilter {
  /** Words of artist and title. */
  q: string
  mode?: Mode
  lyricsStatus?: LyricsStatus
  hasArt?: boolean
  isPlayed?: boolean
  hasLoudness?: boolean
  isLocked?: boolean
}

export type FacetName = keyof LibraryFacets

/** A value of a facet that can be asked for with one press. */
export type Chip = { [F in FacetName]: { facet: F; value: keyof LibraryFacets[F] & string } }[FacetName]

/** The chips in their order; the answers that are of no use to anybody are left out. */
export const chips: readonly Chip[] = [
  { facet: 'mode', value: 'day' },
  { facet: 'mode', value: 'night' },
  { facet: 'lyricsStatus', value: 'synced' },
  { facet: 'lyricsStatus', value: 'plain' },
  { facet: 'lyricsStatus', value: 'none' },
  { facet: 'hasArt', value: 'no' },
  { facet: 'isPlayed', value: 'no' },
  { facet: 'hasLoudness', value: 'no' },
  { facet: 'isLocked', value: 'yes' },
]

const sorts: readonly LibrarySort[] = [
  'title',
  'artist',
  'album',
  'year',
  'duration',
  'mode',
  'addedAt',
  'plays',
  'lastPlayedAt',
  'lufs',
]

export const defaultSort: Sort = { by: 'artist', isDown: false }

const yesNo = { yes: true, no: false }
const texts: { [F in FacetName]: Record<string, TrackFilter[F]> } = {
  mode: { day: 'day', night: 'night' },
  lyricsStatus: { synced: 'synced', plain: 'plain', none: 'none' },
  hasArt: yesNo,
  isPlayed: yesNo,
  hasLoudness: yesNo,
  isLocked: yesNo,
}
const facetNames = Object.keys(texts) as FacetName[]

/** The filter that an address holds; what is not understood is left out. */
export function readFilter(query: ReadonlyMap<string, string>): TrackFilter {
  const filter: TrackFilter = { q: query.get('q') ?? '' }
  for (const name of facetNames) {
    const value = texts[name][query.get(name) ?? '']
    if (value !== undefined) Object.assign(filter, { [name]: value })
  }
  return filter
}

/** The order that an address holds: `title`, or `-title` from the last. */
export function readSort(text: string | undefined): Sort {
  const by = text?.replace(/^-/, '') ?? ''
  return sorts.some((sort) => sort === by) ? { by, isDown: text!.startsWith('-') } : defaultSort
}

export function sortText({ by, isDown }: Sort): string {
  return by === defaultSort.by && !isDown ? '' : `${isDown ? '-' : ''}${by}`
}

/** What an address holds of a filter. */
export function filterTexts(filter: TrackFilter): Record<string, string> {
  return Object.fromEntries(
    [
      ['q', filter.q],
      ...facetNames.map((name) => [
        name,
        Object.keys(texts[name]).find((text) => texts[name][text] === filter[name]) ?? '',
      ]),
    ].filter(([, text]) => text),
  )
}

export const isChosen = (filter: TrackFilter, { facet, value }: Chip): boolean =>
  filter[facet] !== undefined && filter[facet] === texts[facet][value]

/** The filter after a press on a chip: it is asked for, or no longer. */
export function pressed(filter: TrackFilter, chip: Chip): TrackFilter {
  const { [chip.facet]: _, ...others } = filter
  if (isChosen(filter, chip)) return others as TrackFilter
  return { ...others, [chip.facet]: texts[chip.facet][chip.value] } as TrackFilter
}

export const isNarrowed = (filter: TrackFilter): boolean => Object.keys(filterTexts(filter)).length > 0

/** All tracks of the library, or of one of its modes, are shown. */
export const isWhole = ({ mode: _, ...others }: TrackFilter): boolean => !isNarrowed(others)

/** The filter and the order as the route takes them. */
export function pageQuery(filter: TrackFilter, { by, isDown }: Sort) {
  const { q, ...facets } = filter
  return {
    ...(q && { q }),
    ...facets,
    sort: by as LibrarySort,
    order: isDown ? ('desc' as const) : ('asc' as const),
  }
}
