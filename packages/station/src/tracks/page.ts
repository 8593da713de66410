import type { LibraryFacets, LibraryOrder, LibrarySort, LyricsStatus, Mode } from '@solstice/contracts'
import { searchOfTexts } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { createBreaks } from '../core/turns/breaks.ts'
import { serialise } from '../core/turns/serialise.ts'
import { type Compare, sortInPieces } from '../core/turns/sort-in-pieces.ts'
import { locked, newCounters, sumUp, wantedBits } from './row-facets.ts'
import { exchangeSorted } from './row-order.ts'
import { createLibraryRows, type KeptRow, type LibraryRow, type RowData } from './rows.ts'

export interface LibraryFilter {
  /** Words of artist and title, as in the other searches. */
  q: string
  mode?: Mode
  lyricsStatus?: LyricsStatus
  hasArt?: boolean
  isPlayed?: boolean
  isLocked?: boolean
  hasLoudness?: boolean
}

export interface LibraryQuery extends LibraryFilter {
  sort: LibrarySort
  order: LibraryOrder
  offset: number
  limit: number
}

export interface LibraryPage {
  rows: readonly Readonly<LibraryRow>[]
  /** Tracks that the filter matches. */
  total: number
  facets: LibraryFacets
}

/** Pages of the library, by any column and filter. However large the library, the event loop runs in between. */
export interface LibraryPages {
  /** @param lockedIds the tracks that cannot be changed now. */
  read(query: LibraryQuery, lockedIds: ReadonlySet<string>): Promise<LibraryPage>
  /** @throws Failure TRACK_NOT_FOUND */
  find(id: string): Promise<Readonly<LibraryRow>>
}

export function createLibraryPages(data: RowData): LibraryPages {
  const rows = createLibraryRows(data)
  const inTurn = serialise()
  const orders = new Map<string, Sorted>()
  const search = createSearch()

  const sortedBy = async (sort: LibrarySort, order: LibraryOrder): Promise<readonly KeptRow[]> => {
    const name = `${sort} ${order}`
    const sorted = await broughtUp(orders.get(name), sort, order)
    orders.set(name, sorted)
    return sorted.rows
  }

  const broughtUp = async (known: Sorted | undefined, sort: LibrarySort, order: LibraryOrder) => {
    const { byId, updates } = rows
    if (known?.asOf === updates) return known
    const compare = compareBy(sort, order)
    const changes = known && rows.changesSince(known.asOf)
    const exchanged = changes && exchangeSorted(known.rows, changes, compare)
    if (exchanged) return { asOf: updates, rows: exchanged }
    if (sort === 'artist' && order === 'asc')
      return { asOf: updates, rows: await sortByNames(Array.from(byId.values())) }
    // Where the sort decides nothing, tracks stay by artist and title.
    const byNames = await sortedBy('artist', 'asc')
    return { asOf: updates, rows: await sortInPieces(byNames, compareColumn(sort, order)) }
  }

  return {
    async read(query, lockedIds) {
      const all = await inTurn(async () => {
        await rows.update()
        const sorted = await sortedBy(query.sort, query.order)
        const lockedRows = [...lockedIds].flatMap((id) => rows.byId.get(id) ?? [])
        return { found: { rows: sorted, counters: rows.counters.slice() }, lockedRows: new Set(lockedRows) }
      })
      return pageOf(await search(all.found, query.q), query, all.lockedRows)
    },
    async find(id) {
      await inTurn(rows.update)
      const found = rows.byId.get(id)
      if (!found) throw new Failure('TRACK_NOT_FOUND')
      return found.row
    },
  }
}

interface Sorted {
  /** The update of the rows after which they were sorted. */
  asOf: number
  rows: readonly KeptRow[]
}

const PIECE = 2_048

const collator = new Intl.Collator('en', { sensitivity: 'accent' })
const compareTexts = (a: string, b: string) => (a === b ? 0 : collator.compare(a, b))

const compareNames: Compare<KeptRow> = ({ row: a }, { row: b }) =>
  compareTexts(a.artist, b.artist) || compareTexts(a.title, b.title) || (a.id < b.id ? -1 : 1)

/** Sorts as `compareNames`. Artists are few beside their tracks, so that each is compared as a text only once. */
async function sortByNames(rows: readonly KeptRow[]): Promise<KeptRow[]> {
  const artists = Array.from(new Set(rows.map(({ row }) => row.artist)))
  const ranks = new Map<string, number>()
  let last = ''
  for (const artist of await sortInPieces(artists, compareTexts)) {
    const rank = ranks.get(last) ?? 0
    ranks.set(artist, compareTexts(last, artist) === 0 ? rank : rank + 1)
    last = artist
  }
  return sortInPieces(
    rows,
    (a, b) => ranks.get(a.row.artist)! - ranks.get(b.row.artist)! || compareNames(a, b),
  )
}

const compareBy = (sort: LibrarySort, order: LibraryOrder): Compare<KeptRow> => {
  const compare = compareColumn(sort, order)
  return (a, b) => compare(a, b) || compareNames(a, b)
}

/** Compares one column; what is unknown or empty comes last in both directions. */
function compareColumn(sort: LibrarySort, order: LibraryOrder): Compare<KeptRow> {
  const sign = order === 'asc' ? 1 : -1
  return ({ row: { [sort]: a } }, { row: { [sort]: b } }) => {
    const [hasA, hasB] = [a !== null && a !== '', b !== null && b !== '']
    if (!hasA || !hasB) return Number(hasB) - Number(hasA)
    return sign * (typeof a === 'string' ? compareTexts(a, String(b)) : Number(a) - Number(b))
  }
}

interface Found {
  /** In order. */
  rows: readonly KeptRow[]
  /** Counters of these rows, as if none was locked. */
  counters: Uint32Array
}

const MAX_SEARCHES = 8

/** Finds the rows with all words of a query. Those found last are kept: they are scrolled through, and more words are typed. */
function createSearch() {
  const kept: { of: readonly KeptRow[]; query: string; found: Found }[] = []
  return async (all: Found, query: string): Promise<Found> => {
    if (query.trim() === '') return all
    const wider = kept.filter(({ of, query: known }) => of === all.rows && query.startsWith(known))
    const nearest = wider.reduce((a, b) => (b.query.length > a.query.length ? b : a), wider[0]!)
    if (nearest?.query === query) return nearest.found
    const found = await matching(nearest?.found.rows ?? all.rows, searchOfTexts(query))
    kept.unshift({ of: all.rows, query, found })
    kept.length = Math.min(kept.length, MAX_SEARCHES)
    return found
  }
}

async function matching(among: readonly KeptRow[], matches: (text: string) => boolean): Promise<Found> {
  const pause = createBreaks()
  const rows: KeptRow[] = []
  const counters = newCounters()
  for (let i = 0; i < among.length; i++) {
    if (i % PIECE === 0) await pause()
    const one = among[i]!
    if (!matches(one.text)) continue
    rows.push(one)
    counters[one.bits]!++
  }
  return { rows, counters }
}

/** Only as many rows are looked at as the page takes: the counts are known. */
async function pageOf(
  found: Found,
  query: LibraryQuery,
  lockedRows: ReadonlySet<KeptRow>,
): Promise<LibraryPage> {
  const { offset, limit } = query
  const wanted = wantedBits(query)
  const pause = createBreaks()
  const rows: Readonly<LibraryRow>[] = []
  // Each row is on some page: those before this one need not be looked at.
  const first = wanted === 0 ? Math.min(offset, found.rows.length) : 0
  let matched = first
  for (let i = first; i < found.rows.length && rows.length < limit; i++) {
    if (i % PIECE === 0) await pause()
    const one = found.rows[i]!
    if ((wanted & ~bitsNow(one, lockedRows)) !== 0) continue
    if (matched++ >= offset) rows.push(one.row)
  }
  return { rows, ...sumUp(countersNow(found, query, lockedRows), wanted) }
}

const bitsNow = (one: KeptRow, lockedRows: ReadonlySet<KeptRow>) =>
  lockedRows.has(one) ? locked(one.bits) : one.bits

function countersNow({ counters }: Found, { q }: LibraryQuery, lockedRows: ReadonlySet<KeptRow>) {
  const now = counters.slice()
  const matches = searchOfTexts(q)
  for (const one of lockedRows) {
    if (!matches(one.text)) continue
    now[one.bits]!--
    now[locked(one.bits)]!++
  }
  return now
}
