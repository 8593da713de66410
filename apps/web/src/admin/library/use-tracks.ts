import type { LibraryRow } from '@solstice/contracts'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useStore } from '../../ui/store.ts'
import { call } from '../data/client.ts'
import { useAir, usePanel } from '../data/panel.ts'
import type { QueryState } from '../data/queries.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import type { Sort } from '../ui/table/sort.ts'
import { pageQuery, type TrackFilter } from './filter.ts'

const ROUTE = 'GET /api/admin/songs/page'
type Page = ReplyOf<typeof ROUTE>

const PAGE_ROWS = 100
/** Pages that are only scrolled past are not asked for. */
const PAUSE_MS = 80

export interface Tracks {
  /** The first page, with counts; that of the former filter until the new one is there. */
  head: QueryState<Page> & { retry: () => void }
  /** All rows; those that are not loaded yet are holes. */
  rows: readonly (LibraryRow | undefined)[]
  /** These rows are near the view. */
  look(first: number, end: number): void
  /** The ids of rows; those that are not loaded are asked for. @throws as `call` */
  idsOf(first: number, end: number): string[] | Promise<string[]>
}

/** The tracks that a filter lets through, loaded page by page where somebody looks. */
export function useTracks(filter: TrackFilter, sort: Sort): Tracks {
  const query = pageQuery(filter, sort)
  const asked = JSON.stringify(query)
  const head = useHead(query, asked)
  const data = head.is === 'ready' ? head.data : null
  const [near, setNear] = useState('0 0')
  const { pages, add } = usePages(data, head.asked)
  useEffect(() => {
    if (!data || head.asked !== asked) return
    const [first, last] = near.split(' ').map(Number) as [number, number]
    const timer = setTimeout(() => {
      for (let page = Math.max(1, first); page <= last; page++) {
        if (page * PAGE_ROWS >= data.total || pages.isFresh(page)) continue
        const offset = page * PAGE_ROWS
        pages.begin(page)
        call(ROUTE, { query: { ...query, offset, limit: PAGE_ROWS } }).then(
          ({ items }) => add(data, page, items),
          () => pages.end(page),
        )
      }
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [data, near, asked])
  const rows = useMemo(() => {
    const all: (LibraryRow | undefined)[] = new Array(data?.total ?? 0)
    for (const [page, items] of pages.known)
      for (const [i, row] of items.entries())
        if (page * PAGE_ROWS + i < all.length) all[page * PAGE_ROWS + i] = row
    return all
  }, [data, pages.version])
  return {
    head,
    rows,
    look: (first, end) =>
      setNear(`${Math.floor(first / PAGE_ROWS)} ${Math.floor(Math.max(0, end - 1) / PAGE_ROWS)}`),
    idsOf(first, end) {
      const shown = rows.slice(first, end)
      if (!shown.includes(undefined)) return shown.map((row) => row!.id)
      const range = { offset: first, limit: end - first }
      return call('GET /api/admin/songs/ids', { query: { ...query, ...range } }).then(({ items }) => items)
    },
  }
}

/** The first page, and which query it answers. */
function useHead(query: ReturnType<typeof pageQuery>, asked: string) {
  const { queries, connection } = usePanel()
  const link = useStore(connection.link)
  const air = useAir()
  const head = useQuery(ROUTE, { query: { ...query, offset: 0, limit: PAGE_ROWS } })
  const last = useRef<{ data: Page; asked: string } | null>(null)
  if (head.is === 'ready') last.current = { data: head.data, asked }
  // A track that begins changes locks, plays and times.
  const onAir = air && `${air.track} ${air.playlist[0]?.id}`
  const known = useRef(onAir)
  useEffect(() => {
    if (known.current && known.current !== onAir) queries.invalidate('/api/admin/songs/page')
    known.current = onAir
  }, [onAir])
  const isStale = link !== 'online'
  const state: Tracks['head'] =
    head.is === 'failed' || !last.current
      ? head
      : { is: 'ready', data: last.current.data, isStale, retry: head.retry }
  return { ...state, asked: last.current?.asked ?? '' }
}

/** Pages of one query. When the first is new, the others are still shown until they are, too. */
function usePages(data: Page | null, asked: string) {
  const [version, setVersion] = useState(0)
  const own = useRef({
    asked: '',
    data: null as Page | null,
    known: new Map<number, readonly LibraryRow[]>(),
    fresh: new Set<number>(),
  })
  const { current } = own
  if (current.data !== data) {
    if (current.asked !== asked) current.known = new Map()
    Object.assign(current, { asked, data, fresh: new Set() })
    if (data) current.known.set(0, data.items)
  }
  const pages = {
    known: current.known,
    version,
    isFresh: (page: number) => current.fresh.has(page),
    begin: (page: number) => current.fresh.add(page),
    end: (page: number) => current.fresh.delete(page),
  }
  const add = (of: Page, page: number, items: readonly LibraryRow[]) => {
    if (own.current.data !== of) return
    own.current.known.set(page, items)
    setVersion((n) => n + 1)
  }
  return { pages, add }
}
