import './library.css'
import type { LibraryRow } from '@solstice/contracts'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { trackLine } from '../../listener/format.ts'
import { lazyPage } from '../../ui/loading/lazy-page.tsx'
import { useKeys } from '../data/keys.ts'
import { hrefOf, navigate, useDrawer, usePlace } from '../data/location.ts'
import { useAdmin, useDenial, usePanel } from '../data/panel.ts'
import { List } from '../ui/state/list.tsx'
import type { Sort } from '../ui/table/sort.ts'
import { VirtualTable } from '../ui/table/virtual-table.tsx'
import { BulkActions } from './bulk/bulk-actions.tsx'
import { columnsOf, phoneRow, withChoice } from './columns.tsx'
import { filterTexts, isNarrowed, readFilter, readSort, sortText, type TrackFilter } from './filter.ts'
import { Filters } from './filters.tsx'
import { useLibraryTexts } from './library-context.ts'
import { Player } from './player.tsx'
import { createPreview, type Preview } from './preview.ts'
import { type ChosenTracks, useChosenTracks } from './use-chosen-tracks.ts'
import { useTracks } from './use-tracks.ts'
import { useWidth } from './use-width.ts'

const TrackDrawer = lazyPage(async () => (await import('../track/track-drawer.tsx')).TrackDrawer)

/** All tracks of the station: found, heard, chosen, changed. */
export function LibraryPart() {
  const t = useLibraryTexts()
  const { filter, sort, setFilter, setSort } = useFilter()
  const tracks = useTracks(filter, sort)
  const { head, rows, look } = tracks
  const chosen = useChosenTracks(tracks, JSON.stringify(filter))
  const preview = usePreview()
  const drawer = useDrawer()
  const field = useRef<HTMLInputElement>(null)
  const [box, widthRem] = useWidth()
  const queueTrack = useQueueTrack()
  const total = head.is === 'ready' ? head.data.total : null
  useLibraryKeys(field, preview, queueTrack)
  const { columns, phone } = useCellsOf(preview, chosen, widthRem)
  const onKey = (row: LibraryRow, event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    if ((event.target as HTMLElement).closest('button, input')) return false
    if (event.key === ' ') preview.toggle(row)
    else if (event.code === 'KeyQ') queueTrack(row)
    else if (onPreviewKey(preview, event)) return true
    else if (event.key === 'Escape' && chosen.ids.size) chosen.clear()
    else return false
    return true
  }
  return (
    <div class="library" ref={box}>
      <h1 class="unseen">{t.title}</h1>
      <Filters
        {...{ filter, sort, total, field }}
        onFilter={setFilter}
        onSort={setSort}
        facets={head.is === 'ready' ? head.data.facets : null}
      />
      <List
        state={head}
        rows={14}
        isEmpty={(page) => page.total === 0}
        empty={<Nothing filter={filter} onClear={() => setFilter({ q: '' })} />}
      >
        {() => (
          <VirtualTable
            label={t.title}
            rows={rows}
            columns={withChoice(columns, t, chosen, total ?? 0)}
            idOf={({ id }) => id}
            phone={phone}
            sort={sort}
            onSort={setSort}
            selection={chosen}
            onRows={look}
            onOpen={({ id }) => drawer.open(id)}
            onKey={onKey}
          />
        )}
      </List>
      {drawer.selected && <TrackDrawer id={drawer.selected} onClose={drawer.close} />}
      <div class="library-foot">
        <Player preview={preview} />
        <BulkActions chosen={chosen} filter={filter} total={total ?? 0} rows={rows} />
      </div>
    </div>
  )
}

/** How a row is drawn, which what is chosen does not change. */
function useCellsOf(preview: Preview, { choose }: ChosenTracks, widthRem: number) {
  const t = useLibraryTexts()
  const { locale, config } = useAdmin()
  const latest = useRef(choose)
  latest.current = choose
  return useMemo(() => {
    const deps = {
      t,
      locale,
      timeZone: config.timeZone,
      preview,
      choose: (...given: Parameters<typeof choose>) => latest.current(...given),
    }
    return {
      columns: columnsOf(deps, widthRem),
      phone: (row: LibraryRow) => phoneRow(row, preview, t),
    }
  }, [t, locale, config.timeZone, preview, widthRem])
}

function Nothing({ filter, onClear }: { filter: TrackFilter; onClear: () => void }) {
  const t = useLibraryTexts()
  if (!isNarrowed(filter))
    return (
      <>
        <p>{t.empty}</p>
        <a
          class="button"
          href={hrefOf('add')}
          onClick={(event) => {
            event.preventDefault()
            navigate(hrefOf('add'))
          }}
        >
          {t.addMusic}
        </a>
      </>
    )
  return (
    <>
      <p>{t.nothingFound}</p>
      <button type="button" class="button" onClick={onClear}>
        {t.clearFilters}
      </button>
    </>
  )
}

/** What is shown and in which order, as the address keeps it. */
function useFilter() {
  const { query } = usePlace()
  const filter = useMemo(() => readFilter(query), [query])
  const sort = readSort(query.get('sort'))
  const go = (next: TrackFilter, order: Sort) =>
    navigate(hrefOf('library', { ...filterTexts(next), sort: sortText(order) }), { replace: true })
  return {
    filter,
    sort,
    setFilter: (next: TrackFilter) => go(next, sort),
    setSort: (next: Sort) => go(filter, next),
  }
}

function usePreview(): Preview {
  const [preview] = useState(createPreview)
  useEffect(() => preview.close, [preview])
  return preview
}

/** Puts a track in the queue; the station's answer is told as a toast. */
function useQueueTrack(): (track: Pick<LibraryRow, 'id' | 'title' | 'artist'>) => void {
  const { log, connection, toasts } = usePanel()
  const right = useAdmin().verdict({ allOf: ['queue_manage'] })
  const denialOf = useDenial()
  const t = useLibraryTexts()
  return (track) => {
    const leftMs = log.cooldowns.value.add - connection.stationNowMs()
    if (right.is === 'denied') toasts.show({ is: 'note', text: denialOf(right) })
    else if (leftMs > 0)
      toasts.show({ is: 'note', text: t.waitQueue(trackLine(track), Math.ceil(leftMs / 1000)) })
    else connection.send('admin_add_song', { id: track.id, orderType: 'lastinline' })
  }
}

const SEEK_S = 5
/** Keys of a row that work while something is previewed. */
function onPreviewKey(preview: Preview, { key }: KeyboardEvent): boolean {
  const { value } = preview.state
  const step = { ArrowLeft: -SEEK_S, ArrowRight: SEEK_S }[key]
  if (value.is === 'off' || (!step && key !== 'Escape')) return false
  if (step) preview.seek(Math.min(value.durationS, Math.max(0, value.positionS + step)))
  else preview.close()
  return true
}

/** Those of a row are only listed here: the table has them. */
function useLibraryKeys(
  field: { current: HTMLInputElement | null },
  preview: Preview,
  queueTrack: (track: Pick<LibraryRow, 'id' | 'title' | 'artist'>) => void,
): void {
  const t = useLibraryTexts()
  const none = () => {}
  useKeys(t.title, [
    { key: '/', label: t.keys.search, run: () => field.current?.focus() },
    { key: '↑ ↓', label: t.keys.move, run: none },
    { key: '↵', label: t.keys.open, run: none },
    { key: t.keys.space, label: t.keys.preview, run: none },
    { key: '← →', label: t.keys.seek, run: none },
    {
      key: 'q',
      label: t.keys.queue,
      run: () => preview.state.value.is !== 'off' && queueTrack(preview.state.value.track),
    },
    { key: 'Shift ↑ ↓', label: t.keys.choose, run: none },
    { key: 'Ctrl A', label: t.keys.chooseAll, run: none },
  ])
}
