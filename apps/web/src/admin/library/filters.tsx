import type { LibraryFacets } from '@solstice/contracts'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { SearchField } from '../ui/fields/search-field.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Sort } from '../ui/table/sort.ts'
import { usePhone } from '../ui/table/use-phone.ts'
import { type Chip, chips, isChosen, isNarrowed, pressed, type TrackFilter } from './filter.ts'
import { useLibraryTexts } from './library-context.ts'

/** Long enough for a word typed at once, too short to be waited for. */
const TYPING_MS = 120

interface Props {
  filter: TrackFilter
  onFilter: (filter: TrackFilter) => void
  sort: Sort
  onSort: (sort: Sort) => void
  facets: LibraryFacets | null
  total: number | null
  field: RefObject<HTMLInputElement | null>
}

/** What narrows the library: words, and chips with how many tracks each would leave. */
export function Filters({ filter, onFilter, sort, onSort, facets, total, field }: Props) {
  const t = useLibraryTexts()
  const isPhone = usePhone()
  return (
    <div class="lib-filters">
      <div class="lib-search">
        <Search filter={filter} onFilter={onFilter} field={field} />
        {isPhone && <SortChoice sort={sort} onSort={onSort} />}
        {isNarrowed(filter) && (
          <button type="button" class="text-button" onClick={() => onFilter({ q: '' })}>
            {t.clearFilters}
          </button>
        )}
        <p class="lib-total" role="status">
          {total === null ? '' : t.total(total)}
        </p>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div class="lib-chips" role="group" aria-label={t.filters}>
        {chips.map((chip) => (
          <ChipButton key={`${chip.facet} ${chip.value}`} {...{ chip, filter, onFilter, facets }} />
        ))}
      </div>
    </div>
  )
}

function Search({ filter, onFilter, field }: Pick<Props, 'filter' | 'onFilter' | 'field'>) {
  const t = useLibraryTexts()
  const [typed, setTyped] = useState(filter.q)
  const current = useRef(filter)
  current.current = filter
  // More may be typed by the time the address has what was asked for: only what comes from elsewhere takes its place.
  const asked = useRef(filter.q)
  useEffect(() => {
    if (filter.q !== asked.current) setTyped(filter.q)
    asked.current = filter.q
  }, [filter.q])
  useEffect(() => {
    if (typed === current.current.q) return
    const timer = setTimeout(() => {
      asked.current = typed
      onFilter({ ...current.current, q: typed })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return <SearchField label={t.search} value={typed} onValue={setTyped} field={field} />
}

type ChipProps = Pick<Props, 'filter' | 'onFilter' | 'facets'> & { chip: Chip }

function ChipButton({ chip, filter, onFilter, facets }: ChipProps) {
  const t = useLibraryTexts()
  const counts: Record<string, number> | undefined = facets?.[chip.facet]
  const count = counts?.[chip.value]
  const isOn = isChosen(filter, chip)
  return (
    <button
      type="button"
      class="lib-chip"
      aria-pressed={isOn}
      data-none={count === 0 && !isOn}
      onClick={() => onFilter(pressed(filter, chip))}
    >
      {t.chips[`${chip.facet} ${chip.value}`]}
      {count !== undefined && <span class="lib-chip-count">{t.number(count)}</span>}
    </button>
  )
}

const phoneSorts = ['artist', 'title', 'addedAt', 'plays', 'lastPlayedAt', 'duration', 'year'] as const

/** The order, where there are no heads to press. */
function SortChoice({ sort, onSort }: Pick<Props, 'sort' | 'onSort'>) {
  const t = useLibraryTexts()
  return (
    <span class="lib-sort">
      <select
        aria-label={t.sortBy}
        value={sort.by}
        onChange={({ currentTarget }) => onSort({ by: currentTarget.value, isDown: sort.isDown })}
      >
        {phoneSorts.map((by) => (
          <option key={by} value={by}>
            {t.columns[by]}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="tool"
        aria-label={t.descending}
        aria-pressed={sort.isDown}
        onClick={() => onSort({ ...sort, isDown: !sort.isDown })}
      >
        <Icon name={sort.isDown ? 'down' : 'up'} size={18} />
      </button>
    </span>
  )
}
