import type { LibraryFacets, LibraryRow } from '@solstice/contracts'

const yesNo = ['yes', 'no'] as const
const values = {
  mode: ['day', 'night'],
  lyricsStatus: ['synced', 'plain', 'none'],
  hasArt: yesNo,
  isPlayed: yesNo,
  isLocked: yesNo,
  hasLoudness: yesNo,
} as const satisfies { [F in keyof LibraryFacets]: readonly (keyof LibraryFacets[F])[] }

type FacetName = keyof typeof values
const names = Object.keys(values) as FacetName[]

/** Each value of each facet is one bit, so that a row is compared with a filter at once. */
const allValues = names.flatMap((name) => values[name].map((value) => `${name} ${value}`))
const bitOf = (name: FacetName, value: string) => 1 << allValues.indexOf(`${name} ${value}`)

const bits = Object.fromEntries(
  names.map((name) => [name, Object.fromEntries(values[name].map((value) => [value, bitOf(name, value)]))]),
) as Record<FacetName, Record<string, number>>
const yes = (name: FacetName, is: boolean) => bits[name][is ? 'yes' : 'no']!

/** The values of a locked row, from those of the same row when it is not locked. */
export const locked = (row: number) => row ^ maskOf.isLocked

/** The values of a row that is not locked. */
export function facetBits(row: Omit<LibraryRow, 'lock'>): number {
  return (
    bits.mode[row.mode]! |
    bits.lyricsStatus[row.lyricsStatus]! |
    yes('hasArt', row.hasArt) |
    yes('isPlayed', row.plays > 0) |
    yes('isLocked', false) |
    yes('hasLoudness', row.lufs !== null)
  )
}

/** The values that a filter asks for, where it asks. */
export function wantedBits(filter: { [F in FacetName]?: string | boolean }): number {
  return names.reduce((wanted, name) => {
    const value = filter[name]
    if (value === undefined) return wanted
    return wanted | (typeof value === 'boolean' ? yes(name, value) : bits[name][value]!)
  }, 0)
}

/** Counters of rows, one for each combination of values. */
export const newCounters = () => new Uint32Array(1 << allValues.length)

/** Sums up counters: each value of a facet among the rows that match the rest of the filter. */
export function sumUp(counters: Uint32Array, wanted: number): { total: number; facets: LibraryFacets } {
  const facets = Object.fromEntries(
    names.map((name) => [name, Object.fromEntries(values[name].map((value) => [value, 0]))]),
  ) as Record<FacetName, Record<string, number>>
  let total = 0
  counters.forEach((count, row) => {
    if (count === 0) return
    const missed = wanted & ~row
    if (missed === 0) total += count
    for (const name of names) {
      if ((missed & ~maskOf[name]) !== 0) continue
      for (const value of values[name]) if (row & bits[name][value]!) facets[name][value]! += count
    }
  })
  return { total, facets: facets as unknown as LibraryFacets }
}

/** All bits of a facet. */
const maskOf = Object.fromEntries(
  names.map((name) => [name, Object.values(bits[name]).reduce((all, bit) => all | bit, 0)]),
) as Record<FacetName, number>
