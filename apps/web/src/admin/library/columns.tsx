import type { LibraryRow, Locale } from '@solstice/contracts'
import { formatDuration, trackLine } from '../../listener/format.ts'
import { useStore } from '../../ui/store.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Badge } from '../ui/state/badge.tsx'
import type { Column } from '../ui/table/virtual-table.tsx'
import { tenth } from '../ui/tenth.ts'
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
    class: 'lib-title',
    sort: 'given',
    cell: (row) => [<b key="title">{row.title}</b>, lockMark(row, t)],
  },
  {
    id: 'artist',
    head: t.columns.artist,
    width: 'minmax(0, 3.5fr)',
    sort: 'given',
    cell: ({ artist }) => artist,
  },
  {
    id: 'album',
    fromRem: 61.25,
    head: t.columns.album,
    width: 'minmax(0, 3.5fr)',
    class: 'soft',
    sort: 'given',
    cell: ({ album }) => album,
  },
  {
    id: 'year',
    fromRem: 51.25,
    head: t.columns.year,
    width: '2.75rem',
    class: 'soft',
    sort: 'given',
    cell: ({ year }) => year ?? '',
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
  { id: 'mode', head: t.columns.mode, width: '3.25rem', sort: 'given', cell: (row) => modeMark(row, t) },
  { id: 'lyrics', head: t.columns.lyrics, width: '4.5rem', cell: (row) => lyricsMark(row, t) },
  { id: 'art', fromRem: 80, head: t.columns.art, width: '2.25rem', cell: (row) => artMark(row, t) },
  {
    id: 'lufs',
    fromRem: 80,
    head: 'LUFS',
    width: '3rem',
    class: 'soft',
    sort: 'given',
    cell: ({ lufs }) => (lufs === null ? '–' : tenth(lufs, locale)),
  },
]

function plays({ t, locale, timeZone }: ColumnDeps): LibraryColumn[] {
  const day = (atMs: number | null) => (atMs === null ? '' : shortDay(atMs, timeZone, locale))
  return [
    {
      id: 'addedAt',
      fromRem: 66.25,
      head: t.columns.addedAt,
      width: '4.75rem',
      class: 'soft',
      sort: 'given',
      cell: ({ addedAt }) => day(addedAt),
    },
    {
      id: 'plays',
      head: t.columns.plays,
      width: '3.75rem',
      sort: 'given',
      cell: ({ plays }) => plays || '–',
    },
    {
      id: 'lastPlayedAt',
      fromRem: 56.25,
      head: t.columns.lastPlayedAt,
      width: '4.75rem',
      class: 'soft',
      sort: 'given',
      cell: ({ lastPlayedAt }) => day(lastPlayedAt),
    },
  ]
}

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
  class: 'lib-control',
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
  class: 'lib-control',
  cell: (row) => <PlayButton {...{ row, preview, t }} />,
})

/** How a row looks on a phone: its title has a line of its own. */
export function phoneRow(row: LibraryRow, preview: Preview, t: LibraryTexts) {
  return (
    <span class="lib-phone">
      <b>{row.title}</b>
      <span class="lib-about">
        {modeMark(row, t)}
        {row.lock && iconMark('lock', t.lock[row.lock])}
        <span class="lib-artist">{row.artist}</span>
        {row.duration !== null && <span>{formatDuration(row.duration)}</span>}
        {row.lyricsStatus !== 'none' && lyricsMark(row, t)}
      </span>
      <PlayButton {...{ row, preview, t }} />
    </span>
  )
}

function PlayButton({ row, preview, t }: { row: LibraryRow; preview: Preview; t: LibraryTexts }) {
  const isPlaying = useStore(preview.playing) === row.id
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

// Functions, not components: a row has many of them, and a library many rows.

const lockMark = ({ lock }: LibraryRow, t: LibraryTexts) =>
  lock && (
    <span key="lock" class="lib-lock" title={t.lockHint[lock]}>
      <Icon name="lock" size={14} />
      {t.lock[lock]}
    </span>
  )

const iconMark = (name: IconName, text: string) => (
  <span class="lib-icon" role="img" aria-label={text} title={text}>
    <Icon name={name} size={16} />
  </span>
)

const modeMark = ({ mode }: LibraryRow, t: LibraryTexts) =>
  iconMark(mode === 'day' ? 'sun' : 'moon', t.modes[mode])

const lyricsMark = ({ lyricsStatus }: LibraryRow, t: LibraryTexts) =>
  lyricsStatus === 'none' ? (
    nothing(t.noLyrics)
  ) : (
    <Badge tone={lyricsStatus === 'synced' ? 'light' : 'plain'}>{t.lyrics[lyricsStatus]}</Badge>
  )

const artMark = ({ hasArt }: LibraryRow, t: LibraryTexts) =>
  hasArt ? iconMark('picture', t.hasArt) : nothing(t.noArt)

const nothing = (text: string) => (
  <span class="soft" role="img" aria-label={text} title={text}>
    –
  </span>
)

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
