import type { HistoryItem, Mode } from '@solstice/contracts'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useUrlState } from '../data/location.ts'
import { useAdmin, useAir, usePanel, useStation } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Choice } from '../ui/fields/choice.tsx'
import { Icon } from '../ui/icon.tsx'
import { List } from '../ui/state/list.tsx'
import { type Column, VirtualTable } from '../ui/table/virtual-table.tsx'
import { exportSet } from './export-drawer.tsx'
import { dayOf, timeOf } from './moments.ts'
import { SearchAndExport } from './search-and-export.tsx'
import { type HistoryTexts, useHistoryTexts } from './texts.ts'

const HOUR_MS = 3_600_000
const windows = ['24h', '7d', '30d', 'all'] as const
/** Of the windows that have an end. */
const spansMs: Partial<Record<string, number>> = {
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
}
const none: readonly HistoryItem[] = []

/** Tracks that were on air, the newest first. */
export function PlayHistory() {
  const t = useHistoryTexts()
  const [window, setWindow] = useUrlState('window', '24h')
  const [mode, setMode] = useUrlState('mode')
  const [query] = useUrlState('q')
  const history = useHistory(window)
  const all = history.is === 'ready' ? history.data.entries : none
  const shown = useMemo(() => findPlays(all, mode, query), [all, mode, query])
  const how = { replace: true }
  return (
    <>
      <SearchAndExport label={t.search} name="history" sets={() => [setOf(shown, t)]}>
        <Choice
          legend={t.window}
          isLegendUnseen
          options={windows.map((id) => ({ id, title: t.windows[id] }))}
          chosen={window}
          onChoose={(id) => setWindow(id, how)}
        />
        <Choice
          legend={t.mode}
          isLegendUnseen
          options={[
            { id: '', title: t.anyMode },
            { id: 'day', title: t.day },
            { id: 'night', title: t.night },
          ]}
          chosen={mode}
          onChoose={(id) => setMode(id, how)}
        />
      </SearchAndExport>
      <List state={history} rows={12} isEmpty={() => !all.length} empty={<p>{t.playsEmpty}</p>}>
        {() => (
          <>
            <p class="hint" role="status">
              {t.playedOf(shown.length, all.length)}
            </p>
            {shown.length ? <PlaysTable plays={shown} /> : <p class="state">{t.playsNone}</p>}
          </>
        )}
      </List>
    </>
  )
}

/** The tracks of a window of time, asked for again when another track begins. */
function useHistory(window: string) {
  const { queries } = usePanel()
  const station = useStation()
  const air = useAir()
  const since = useMemo(() => {
    const spanMs = spansMs[window]
    return spanMs === undefined ? null : Math.floor(station.stationNowMs() - spanMs)
  }, [window])
  const playing = air && `${air.artist} ${air.title}`
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) queries.invalidate('/api/admin/history')
    isFirst.current = false
  }, [playing])
  return useQuery('GET /api/admin/history', { query: since === null ? {} : { since } })
}

function PlaysTable({ plays }: { plays: readonly HistoryItem[] }) {
  const t = useHistoryTexts()
  const { config, locale } = useAdmin()
  const { timeZone } = config
  const time = ({ playedAt }: HistoryItem) => (
    <>
      <span class="soft">{dayOf(playedAt, locale, timeZone)}</span> {timeOf(playedAt, locale, timeZone)}
    </>
  )
  const columns: Column<HistoryItem>[] = [
    { id: 'time', head: t.time, width: '10.75rem', cell: time },
    { id: 'title', head: t.song, width: '3fr', cell: ({ title }) => <b>{title}</b> },
    { id: 'artist', head: t.artist, width: '2fr', cell: ({ artist }) => artist },
    { id: 'album', head: t.album, width: '2fr', cell: ({ album }) => <span class="soft">{album}</span> },
    { id: 'mode', head: t.mode, width: '3.5rem', cell: ({ mode }) => <ModeMark mode={mode} /> },
  ]
  return (
    <VirtualTable
      label={t.plays}
      rows={plays}
      columns={columns}
      idOf={({ id }) => String(id)}
      phone={(play) => (
        <>
          <b>{play.title}</b>
          <span class="soft"> {play.artist}</span>
          <br />
          <small class="soft">{time(play)}</small>
        </>
      )}
    />
  )
}

/** The sun or the moon, and its name for those who can't see it. */
export function ModeMark({ mode }: { mode: Mode }) {
  const t = useHistoryTexts()
  return (
    <span class="soft" title={t[mode]}>
      <Icon name={mode === 'day' ? 'sun' : 'moon'} size={16} />
      <span class="unseen">{t[mode]}</span>
    </span>
  )
}

function findPlays(all: readonly HistoryItem[], mode: string, query: string): readonly HistoryItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter((play) => {
    if (mode && play.mode !== mode) return false
    const text = `${play.title} ${play.artist} ${play.album}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

const setOf = (plays: readonly HistoryItem[], t: HistoryTexts) =>
  exportSet(
    'plays',
    t.plays,
    plays,
    [
      { id: 'playedAt', title: t.time, value: ({ playedAt }) => new Date(playedAt) },
      { id: 'artist', title: t.artist, value: ({ artist }) => artist },
      { id: 'title', title: t.song, value: ({ title }) => title },
      { id: 'album', title: t.album, value: ({ album }) => album },
      { id: 'mode', title: t.mode, value: ({ mode }) => mode },
    ],
    ({ mode }) => mode,
  )
