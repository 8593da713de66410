import type { LibraryFacets, LibraryOrder, LibrarySort, LyricsStatus, Mode } from '@solstice/contracts'
import { wordSearch } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { createBreaks } from '../core/turns/breaks.ts'
import { serialise } from '../core/turns/serialise.ts'
import { locked, newCounters, sumUp, wantedBits } from './row-facets.ts'
import { type Compare, insertSorted, sortInPieces } from './row-order.ts'
import { createLibraryRows, type KeptRow, type LibraryRow, type LibraryRows, type RowData } from './rows.ts'

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
    const kept = known ? await keptOf(known.rows, byId) : []
    const added = known ? await madeSince(byId, known.asOf) : []
    if (known && added.length <= FEW) return { asOf: updates, rows: insertSorted(kept, added, compare) }
    const isBase = sort === 'artist' && order === 'asc'
    // Where the sort decides nothing, tracks stay by artist and title.
    const from = isBase ? [...byId.values()] : await sortedBy('artist', 'asc')
    return { asOf: updates, rows: await sortInPieces(from, isBase ? compare : compareColumn(sort, order)) }
  }

  return {
    async read(query, lockedIds) {
      const { sorted, counters } = await inTurn(async () => {
        await rows.update()
        const sorted = await sortedBy(query.sort, query.order)
        return { sorted, counters: countersOf(rows, lockedIds) }
      })
      return pageOf({ sorted, counters }, query, lockedIds)
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

/** So many changed rows are inserted one by one; more are sorted anew. */
const FEW = 1_000
const PIECE = 512

async function keptOf(sorted: readonly KeptRow[], byId: ReadonlyMap<string, KeptRow>): Promise<KeptRow[]> {
  const pause = createBreaks()
  const kept: KeptRow[] = []
  for (const [i, one] of sorted.entries()) {
    if (byId.get(one.row.id) === one) kept.push(one)
    if (i % PIECE === 0) await pause()
  }
  return kept
}

async function madeSince(byId: ReadonlyMap<string, KeptRow>, update: number): Promise<KeptRow[]> {
  const pause = createBreaks()
  const made: KeptRow[] = []
  let i = 0
  for (const one of byId.values()) {
    if (one.madeIn > update) made.push(one)
    if (++i % PIECE === 0) await pause()
  }
  return made
}

const collator = new Intl.Collator('en', { sensitivity: 'accent' })
const compareTexts = (a: string, b: string) => (a === b ? 0 : collator.compare(a, b))

const compareNames: Compare<KeptRow> = ({ row: a }, { row: b }) =>
  compareTexts(a.artist, b.artist) || compareTexts(a.title, b.title) || (a.id < b.id ? -1 : 1)

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

/** The counters of all rows. */
function countersOf({ counters, byId }: LibraryRows, lockedIds: ReadonlySet<string>): Uint32Array {
  const all = counters.slice()
  for (const id of lockedIds) {
    const one = byId.get(id)
    if (!one) continue
    all[one.bits]!--
    all[locked(one.bits)]!++
  }
  return all
}

/** Without words to search for only as many rows are looked at as the page takes: the counts are known. */
async function pageOf(
  library: { sorted: readonly KeptRow[]; counters: Uint32Array },
  query: LibraryQuery,
  lockedIds: ReadonlySet<string>,
): Promise<LibraryPage> {
  const { offset, limit } = query
  const matches = query.q.trim() === '' ? null : wordSearch(query.q)
  const wanted = wantedBits(query)
  const counters = matches ? newCounters() : library.counters
  const { sorted } = library
  const pause = createBreaks()
  const rows: Readonly<LibraryRow>[] = []
  // Each row is on some page: those before this one need not be looked at.
  const first = matches || wanted !== 0 ? 0 : Math.min(offset, sorted.length)
  let matched = first
  for (let i = first; i < sorted.length && (matches || rows.length < limit); i++) {
    if (i % PIECE === 0) await pause()
    const { row, bits } = sorted[i]!
    if (matches && !matches(row)) continue
    const values = lockedIds.has(row.id) ? locked(bits) : bits
    if (matches) counters[values]!++
    if ((wanted & ~values) !== 0) continue
    if (matched >= offset && rows.length < limit) rows.push(row)
    matched++
  }
  return { rows, ...sumUp(counters, wanted) }
}
