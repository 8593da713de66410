// biome-ignore-all lint/a11y/useSemanticElements: rows are drawn only near the view, which a table element can't do
// biome-ignore-all lint/a11y/useFocusableInteractive: the row has the focus, as the pattern of a grid allows
import './table.css'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { remPx } from '../rem.ts'
import { type Press, pressesOf } from './row-presses.ts'
import { useSlots } from './slots.ts'
import { type Sort, sortRows } from './sort.ts'
import { Line, useCells } from './table-line.tsx'
import type { Column, TableProps } from './table-props.ts'
import { useActiveRow } from './use-active-row.ts'
import { usePhone } from './use-phone.ts'
import { useGrowth, useWindow } from './use-window.ts'

export type { Column } from './table-props.ts'

const ROW_REM = 2.75
const PHONE_ROW_REM = 4

/**
 * A table of any length: only the rows near the view are drawn, at first as empty places. Arrows move between rows,
 * Enter opens, Space chooses, Shift + arrows choose a range, Ctrl A all; a long press chooses on a phone.
 */
export function VirtualTable<T>(props: TableProps<T>) {
  const { label, columns, idOf, phone, sort = null, onSort, selection } = props
  const isPhone = usePhone()
  const rows = useMemo(() => sortRows(props.rows, sort, columns), [props.rows, sort, columns])
  const [rem] = useState(remPx)
  const rowPx = rem * (isPhone ? PHONE_ROW_REM : ROW_REM)
  const body = useRef<HTMLDivElement>(null)
  const { first, end } = useWindow(body, rows.length, rowPx)
  useEffect(() => props.onRows?.(first, end), [first, end])
  const { active, keys, focused } = useActiveRow(props, rows, body, rowPx)
  const table = useRef(props)
  table.current = { ...props, rows }
  const presses = useMemo(() => pressesOf(table, { wasLong: false } as Press), [])
  const cells = useCells(isPhone ? [{ id: 'phone', cell: phone }] : columns)
  const id = useId()
  const places = useSlots(drawnRows(first, end, rows.length ? active : -1))
  const grown = useGrowth((places.at(-1)?.slot ?? -1) + 1)
  const line = ({ row: i, slot }: (typeof places)[number]) => {
    const row = slot < grown ? rows[i] : undefined
    const isChosen = row === undefined ? undefined : selection?.ids.has(idOf(row))
    const isActive = i === active
    return <Line key={slot} {...{ row, i, rowPx, isActive, isChosen, cells, isPhone }} id={`${id}-${slot}`} />
  }
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-multiselectable={Boolean(selection)}
      data-phone={isPhone}
      style={{ '--grid': columns.map(({ width }) => width).join(' ') }}
      onKeyDown={keys}
    >
      <div
        class={isPhone ? 'table-row table-head unseen' : 'table-row table-head'}
        role="row"
        aria-rowindex={1}
      >
        {columns.map((column) => (
          <Head key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
      <div
        class="table-body"
        role="rowgroup"
        ref={body}
        aria-owns={orderOf(places, id)}
        style={{ height: `${rows.length * rowPx}px` }}
        onFocusIn={focused}
        {...presses}
      >
        {places.map(line)}
      </div>
    </div>
  )
}

/** The ids of the rows in their order, where the page has them in another. */
function orderOf(places: readonly { row: number; slot: number }[], id: string): string | undefined {
  if (places.every(({ row }, i) => i === 0 || row > places[i - 1]!.row)) return undefined
  return [...places]
    .sort((a, b) => a.row - b.row)
    .map(({ slot }) => `${id}-${slot}`)
    .join(' ')
}

/** The rows near the view, and the active one wherever it is: the focus would go with it. */
function drawnRows(first: number, end: number, active: number): number[] {
  const near = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i)
  if (active < 0) return near
  return active < first ? [active, ...near] : active >= end ? [...near, active] : near
}

function Head<T>({
  column,
  sort,
  onSort,
}: {
  column: Column<T>
  sort: Sort | null
  onSort: TableProps<T>['onSort']
}) {
  const isSorted = sort?.by === column.id
  const direction = isSorted ? (sort.isDown ? 'descending' : 'ascending') : 'none'
  if (!column.sort || !onSort)
    return (
      <div role="columnheader" class="table-cell">
        {column.head}
      </div>
    )
  return (
    <div role="columnheader" class="table-cell" aria-sort={direction}>
      <button type="button" onClick={() => onSort({ by: column.id, isDown: isSorted && !sort.isDown })}>
        {column.head}
        <span aria-hidden="true">{isSorted ? (sort.isDown ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </div>
  )
}
