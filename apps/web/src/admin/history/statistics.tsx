import { useMemo } from 'preact/hooks'
import { useDrawer, useUrlState } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Choice } from '../ui/fields/choice.tsx'
import { Drawer } from '../ui/layers/drawer.tsx'
import { List } from '../ui/state/list.tsx'
import { type Column, VirtualTable } from '../ui/table/virtual-table.tsx'
import { tenth } from '../ui/tenth.ts'
import { exportSet } from './export-drawer.tsx'
import {
  type Count,
  type CountedTrack,
  countTracks,
  findCounts,
  totalSeconds,
  tracksOf,
  type View,
  views,
} from './library-statistics.ts'
import { ModeMark } from './play-history.tsx'
import { SearchAndExport } from './search-and-export.tsx'
import { type HistoryTexts, useHistoryTexts } from './texts.ts'

/** How many tracks of the library are whose, of which group, of which year. */
export function Statistics() {
  const t = useHistoryTexts()
  const stats = useQuery('GET /api/admin/stats')
  const data = stats.is === 'ready' ? stats.data : null
  const all = useMemo(() => (data ? tracksOf(data) : []), [data])
  return (
    <List state={stats} rows={12} isEmpty={() => !all.length} empty={<p>{t.statisticsEmpty}</p>}>
      {() => <Counts all={all} />}
    </List>
  )
}

function Counts({ all }: { all: readonly CountedTrack[] }) {
  const t = useHistoryTexts()
  const [chosen, setView] = useUrlState('view', 'day')
  const view = views.find((known) => known === chosen) ?? 'day'
  const [order, setOrder] = useUrlState('order', 'count')
  const [query] = useUrlState('q')
  const { selected, open, close } = useDrawer()
  const counts = useMemo(() => countTracks(all, view), [all, view])
  const shown = useMemo(() => findCounts(counts, query), [counts, query])
  const tracks = useMemo(() => shown.flatMap((count) => count.tracks), [shown])
  const looked = counts.find(({ id }) => id === selected)
  const how = { replace: true }
  return (
    <>
      <SearchAndExport
        label={t.searchStatistics}
        name="library"
        sets={() => [tracksSet(all, t), countsSet(shown, view, t)]}
      >
        <Choice
          legend={t.view}
          isLegendUnseen
          options={views.map((id) => ({ id, title: t.views[id] }))}
          chosen={view}
          onChoose={(id) => setView(id, how)}
        />
        <Choice
          legend={t.order}
          isLegendUnseen
          options={[
            { id: 'count', title: t.byCount },
            { id: 'name', title: t.byName },
          ]}
          chosen={order}
          onChoose={(id) => setOrder(id, how)}
        />
      </SearchAndExport>
      <p class="hint" role="status">
        {t.summary(t.songs(tracks.length), shown.length, lengthOf(tracks, t))}
      </p>
      {shown.length ? (
        <CountsTable
          counts={shown}
          view={view}
          order={order}
          onOrder={(by) => setOrder(by, how)}
          onOpen={open}
        />
      ) : (
        <p class="state">{view === 'groups' && !counts.length ? t.groupsEmpty : t.statisticsNone}</p>
      )}
      {looked && (
        <Drawer title={nameOf(looked, t)} onClose={close}>
          <Tracks tracks={looked.tracks} />
        </Drawer>
      )}
    </>
  )
}

function CountsTable(props: {
  counts: readonly Count[]
  view: View
  order: string
  onOrder: (by: string) => void
  onOpen: (id: string) => void
}) {
  const { counts, view, order, onOrder, onOpen } = props
  const t = useHistoryTexts()
  const most = Math.max(...counts.map(({ tracks }) => tracks.length))
  const { locale } = useAdmin()
  const share = (count: Count) => `${tenth(count.share * 100, locale)} %`
  const name = (count: Count) => (
    <>
      <b>{nameOf(count, t)}</b> {count.mode && <ModeMark mode={count.mode} />}
    </>
  )
  const bar = ({ tracks }: Count) => (
    <span class="count-bar" style={{ '--part': tracks.length / most }} aria-hidden="true" />
  )
  const columns: Column<Count>[] = [
    {
      id: 'name',
      head: t.name[view],
      width: 'minmax(0, 2fr)',
      cell: name,
      sort: (count) => nameOf(count, t),
    },
    { id: 'bar', head: t.share, width: 'minmax(0, 3fr)', cell: bar },
    {
      id: 'count',
      head: t.count,
      width: '4.5rem',
      cell: ({ tracks }) => tracks.length,
      sort: ({ tracks }) => tracks.length,
    },
    { id: 'share', head: '%', width: '5rem', cell: (count) => <span class="soft">{share(count)}</span> },
    {
      id: 'length',
      head: t.length,
      width: '7.5rem',
      cell: ({ tracks }) => <span class="soft">{lengthOf(tracks, t)}</span>,
    },
  ]
  return (
    <VirtualTable
      label={t.statistics}
      rows={counts}
      columns={columns}
      idOf={({ id }) => id}
      sort={{ by: order, isDown: order === 'count' }}
      onSort={({ by }) => onOrder(by)}
      onOpen={({ id }) => onOpen(id)}
      phone={(count) => (
        <>
          <span class="count-line">
            <span>{name(count)}</span>
            <span class="soft">
              {t.songs(count.tracks.length)} · {share(count)}
            </span>
          </span>
          {bar(count)}
        </>
      )}
    />
  )
}

function Tracks({ tracks }: { tracks: readonly CountedTrack[] }) {
  return (
    <ol class="counted">
      {tracks.map(({ file, artist, title, album, year, mode }) => (
        <li key={file}>
          <span>
            <b>{title}</b> <span class="soft">{[artist, album, year].filter(Boolean).join(' · ')}</span>
          </span>
          <ModeMark mode={mode} />
        </li>
      ))}
    </ol>
  )
}

const nameOf = ({ name }: Count, t: HistoryTexts) => name || t.unknownYear

function lengthOf(tracks: readonly CountedTrack[], t: HistoryTexts): string {
  const minutes = Math.round(totalSeconds(tracks) / 60)
  return t.hours(Math.floor(minutes / 60), minutes % 60)
}

const tracksSet = (all: readonly CountedTrack[], t: HistoryTexts) =>
  exportSet(
    'tracks',
    t.exportSongs,
    all,
    [
      { id: 'artist', title: t.artist, value: ({ artist }) => artist },
      { id: 'title', title: t.song, value: ({ title }) => title },
      { id: 'album', title: t.album, value: ({ album }) => album },
      { id: 'year', title: t.year, value: ({ year }) => year },
      { id: 'duration', title: t.duration, value: ({ duration }) => duration && Math.round(duration) },
      { id: 'mode', title: t.mode, value: ({ mode }) => mode },
      { id: 'group', title: t.group, value: ({ group }) => group },
      { id: 'file', title: t.file, value: ({ file }) => file },
    ],
    ({ mode }) => mode,
  )

const countsSet = (counts: readonly Count[], view: View, t: HistoryTexts) =>
  exportSet('counts', t.exportLines, counts, [
    { id: 'name', title: t.name[view], value: (count) => nameOf(count, t) },
    ...(view === 'groups' ? [{ id: 'mode', title: t.mode, value: ({ mode }: Count) => mode }] : []),
    { id: 'count', title: t.count, value: ({ tracks }) => tracks.length },
    { id: 'percent', title: `${t.share}, %`, value: ({ share }) => Math.round(share * 1000) / 10 },
    { id: 'seconds', title: t.duration, value: ({ tracks }) => Math.round(totalSeconds(tracks)) },
  ])
