import type { LibraryRow, Locale } from '@solstice/contracts'
import { formatDuration, trackLine } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { Icon } from '../ui/icon.tsx'
import { Badge } from '../ui/state/badge.tsx'
import type { Column } from '../ui/table/virtual-table.tsx'
import { tenth } from '../ui/tenth.ts'
import { useLibraryTexts } from './library-context.ts'
import type { Preview } from './preview.ts'
import type { LibraryTexts } from './texts.ts'
import type { ChosenTracks } from './use-chosen-tracks.ts'

/** Input of the cells of a row; while it is the same, no row is drawn again. */
export interface ColumnDeps {
  t: LibraryTexts
  locale: Locale
  timeZone: string
  preview: Preview
  choose: ChosenTracks['choose']
}

/** The columns of the table, as many as the width has room for; the first has its head from `withChoice`. */
export function columnsOf(deps: ColumnDeps, widthRem: number): Column<LibraryRow>[] {
  const columns = [chooseColumn(deps), playColumn(deps), ...tags(deps), ...marks(deps), ...plays(deps)]
  return columns.flatMap(({ fromRem = 0, ...column }) => (widthRem >= fromRem ? [column] : []))
}

/** The columns with the box that chooses all rows. @param total rows that match. */
export function withChoice(
  [choose, ...others]: readonly Column<LibraryRow>[],
  t: LibraryTexts,
  chosen: ChosenTracks,
  total: number,
): Column<LibraryRow>[] {
  return [{ ...choose!, head: <ChooseAll {...{ t, chosen, total }} /> }, ...others]
}

/** A column for tables of at least this width. */
type LibraryColumn = Column<LibraryRow> & { fromRem?: number }

const tags = ({ t }: ColumnDeps): LibraryColumn[] => [
  {
    id: 'title',
    head: t.columns.title,
    width: 'minmax(0, 5fr)',
    sort: 'given',
    cell: (row) => (
      <span class="lib-title">
        <b>{row.title}</b>
        <Lock row={row} />
      </span>
    ),
  },
  {
    id: 'artist',
    head: t.columns.artist,
    width: 'minmax(0, 4fr)',
    sort: 'given',
    cell: ({ artist }) => artist,
  },
  {
    id: 'album',
    fromRem: 61.25,
    head: t.columns.album,
    width: 'minmax(0, 3fr)',
    sort: 'given',
    cell: ({ album }) => soft(album),
  },
  {
    id: 'year',
    fromRem: 51.25,
    head: t.columns.year,
    width: '2.75rem',
    sort: 'given',
    cell: ({ year }) => soft(year ?? ''),
  },
  {
    id: 'duration',
    head: t.columns.duration,
    width: '3.25rem',
    sort: 'given',
    cell: ({ duration }) => (duration === null ? '' : formatDuration(duration)),
  },
]

const marks = ({ t, locale }: ColumnDeps): LibraryColumn[] => [
  {
    id: 'mode',
    head: t.columns.mode,
    width: '3.25rem',
    sort: 'given',
    cell: (row) => <ModeMark row={row} />,
  },
  { id: 'lyrics', head: t.columns.lyrics, width: '4.5rem', cell: (row) => <LyricsMark row={row} /> },
  { id: 'art', fromRem: 45, head: t.columns.art, width: '2.25rem', cell: (row) => <ArtMark row={row} /> },
  {
    id: 'lufs',
    fromRem: 66.25,
    head: 'LUFS',
    width: '3rem',
    sort: 'given',
    cell: ({ lufs }) => soft(lufs === null ? '–' : tenth(lufs, locale)),
  },
]

function plays({ t, locale, timeZone }: ColumnDeps): LibraryColumn[] {
  const day = (atMs: number | null) => soft(atMs === null ? '' : shortDay(atMs, timeZone, locale))
  return [
    {
      id: 'addedAt',
      fromRem: 66.25,
      head: t.columns.addedAt,
      width: '4.75rem',
      sort: 'given',
      cell: ({ addedAt }) => day(addedAt),
    },
    {
      id: 'plays',
      head: t.columns.plays,
      width: '3.75rem',
      sort: 'given',
      cell: ({ plays }) => (plays ? plays : soft('–')),
    },
    {
      id: 'lastPlayedAt',
      fromRem: 56.25,
      head: t.columns.lastPlayedAt,
      width: '4.75rem',
      sort: 'given',
      cell: ({ lastPlayedAt }) => day(lastPlayedAt),
    },
  ]
}

const soft = (text: string | number) => <span class="soft">{text}</span>

function ChooseAll({ t, chosen, total }: { t: LibraryTexts; chosen: ChosenTracks; total: number }) {
  const isAll = total > 0 && chosen.ids.size >= total
  return (
    <label class="lib-choose">
      <input
        type="checkbox"
        aria-label={t.chooseAll}
        title={t.chooseAll}
        checked={isAll}
        indeterminate={chosen.ids.size > 0 && !isAll}
        onChange={() => (isAll ? chosen.clear() : chosen.chooseAll())}
      />
    </label>
  )
}

const chooseColumn = ({ t, choose }: ColumnDeps): LibraryColumn => ({
  id: 'choose',
  head: null,
  width: '1.5rem',
  cell: (row, isChosen) => (
    <label class="lib-choose">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={t.chooseOne(trackLine(row))}
        checked={isChosen}
        onClick={(event) => {
          event.preventDefault()
          choose(row.id, { more: true, range: event.shiftKey })
        }}
      />
    </label>
  ),
})

const playColumn = ({ t, preview }: ColumnDeps): LibraryColumn => ({
  id: 'play',
  head: <span class="unseen">{t.preview}</span>,
  width: '2rem',
  cell: (row) => <PlayButton row={row} preview={preview} />,
})

/** How a row looks on a phone. */
export function PhoneRow({ row, preview }: { row: LibraryRow; preview: Preview }) {
  return (
    <span class="lib-phone">
      <span>
        <span class="lib-title">
          <b>{row.title}</b>
          <Lock row={row} />
        </span>
        <span class="lib-about">
          <ModeMark row={row} />
          <span class="lib-artist">{row.artist}</span>
          {row.duration !== null && <span>{formatDuration(row.duration)}</span>}
          <LyricsMark row={row} />
        </span>
      </span>
      <PlayButton row={row} preview={preview} />
    </span>
  )
}

function PlayButton({ row, preview }: { row: LibraryRow; preview: Preview }) {
  const t = useLibraryTexts()
  const state = useStore(preview.state)
  const isPlaying = state.is === 'playing' && state.track.id === row.id
  return (
    <button
      type="button"
      class="tool lib-play"
      tabIndex={-1}
      aria-label={isPlaying ? t.pause : t.playSong(trackLine(row))}
      aria-pressed={isPlaying}
      onClick={() => preview.toggle(row)}
    >
      <Icon name={isPlaying ? 'pause' : 'play'} size={18} />
    </button>
  )
}

function Lock({ row: { lock } }: { row: LibraryRow }) {
  const t = useLibraryTexts()
  if (!lock) return null
  return (
    <span class="lib-lock" title={t.lockHint[lock]}>
      <Icon name="lock" size={14} />
      {t.lock[lock]}
    </span>
  )
}

function ModeMark({ row: { mode } }: { row: LibraryRow }) {
  const t = useLibraryTexts()
  return (
    <span class="lib-mode" title={t.modes[mode]}>
      <Icon name={mode === 'day' ? 'sun' : 'moon'} size={16} />
      <span class="unseen">{t.modes[mode]}</span>
    </span>
  )
}

function LyricsMark({ row: { lyricsStatus } }: { row: LibraryRow }) {
  const t = useLibraryTexts()
  if (lyricsStatus === 'none')
    return (
      <span class="soft" title={t.noLyrics}>
        –<span class="unseen">{t.noLyrics}</span>
      </span>
    )
  return <Badge tone={lyricsStatus === 'synced' ? 'light' : 'plain'}>{t.lyrics[lyricsStatus]}</Badge>
}

function ArtMark({ row: { hasArt } }: { row: LibraryRow }) {
  const t = useLibraryTexts()
  const text = hasArt ? t.hasArt : t.noArt
  return (
    <span class="lib-mode" title={text}>
      {hasArt ? <Icon name="picture" size={16} /> : <span class="soft">–</span>}
      <span class="unseen">{text}</span>
    </span>
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** A day of the station: 24.11.26 in both languages, as short as a column needs it. */
function shortDay(atMs: number, timeZone: string, locale: Locale): string {
  const key = `${locale} ${timeZone}`
  const known = formats.get(key)
  const format =
    known ??
    new Intl.DateTimeFormat(locale === 'uk' ? 'uk' : 'en-GB', {
      timeZone,
      day: '2-digit',
      month: '2-digit',
      year: '2-digit',
    })
  if (!known) formats.set(key, format)
  return format.format(atMs)
}
