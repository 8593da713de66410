// biome-ignore-all lint/a11y/useSemanticElements: rows are drawn only near the view, which a table element can't do
// biome-ignore-all lint/a11y/useFocusableInteractive: the row has the focus, as the pattern of a grid allows
import './table.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { remPx } from '../rem.ts'
import { type Press, pressesOf } from './row-presses.ts'
import { type Sort, sortRows } from './sort.ts'
import type { Column, TableProps } from './table-props.ts'
import { useActiveRow } from './use-active-row.ts'
import { usePhone } from './use-phone.ts'
import { useWindow } from './use-window.ts'

export type { Column } from './table-props.ts'

const ROW_REM = 2.75
const PHONE_ROW_REM = 4

/**
 * A table of any length: only the rows near the view are drawn. Arrows move between rows, Enter opens, Space chooses,
 * Shift + arrows choose a range, Ctrl A all; a long press chooses on a phone.
 */
export function VirtualTable<T>(props: TableProps<T>) {
  const { label, columns, idOf, phone, sort = null, onSort, selection } = props
  const isPhone = usePhone()
  const rows = sortRows(props.rows, sort, columns)
  const [rem] = useState(remPx)
  const rowPx = rem * (isPhone ? PHONE_ROW_REM : ROW_REM)
  const body = useRef<HTMLDivElement>(null)
  const { first, end } = useWindow(body, rows.length, rowPx)
  useEffect(() => props.onRows?.(first, end), [first, end])
  const { active, keys } = useActiveRow(props, rows, body, rowPx)
  const press = useRef<Press>({ wasLong: false })
  const grid = columns.map(({ width }) => width).join(' ')
  const line = (i: number) => {
    const row = rows[i]
    const place = { top: `${i * rowPx}px`, height: `${rowPx}px` }
    if (row === undefined) return <Hole key={`hole ${i}`} i={i} place={place} isActive={i === active} />
    const id = idOf(row)
    const isChosen = selection?.ids.has(id)
    return (
      <div
        key={id}
        class="table-row"
        role="row"
        data-row={i}
        aria-rowindex={i + 2}
        aria-selected={selection && isChosen}
        tabIndex={i === active ? 0 : -1}
        style={place}
        {...pressesOf(props, press.current, row, id)}
      >
        {isPhone ? (
          <div role="gridcell" class="table-phone">
            {phone(row)}
          </div>
        ) : (
          columns.map((column) => (
            <div key={column.id} role="gridcell" class="table-cell">
              {column.cell(row)}
            </div>
          ))
        )}
      </div>
    )
  }
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-multiselectable={Boolean(selection)}
      data-phone={isPhone}
      style={{ '--grid': grid }}
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
      <div class="table-body" role="rowgroup" ref={body} style={{ height: `${rows.length * rowPx}px` }}>
        {drawnRows(first, end, rows.length ? active : -1).map(line)}
      </div>
    </div>
  )
}

/** The rows near the view, and the active one wherever it is: the focus would go with it. */
function drawnRows(first: number, end: number, active: number): number[] {
  const near = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i)
  if (active < 0) return near
  return active < first ? [active, ...near] : active >= end ? [...near, active] : near
}

/** The place of a row that is being loaded. */
function Hole(props: { i: number; place: { top: string; height: string }; isActive: boolean }) {
  const { i, place, isActive } = props
  return (
    <div
      class="table-row table-hole"
      role="row"
      data-row={i}
      data-hole
      aria-rowindex={i + 2}
      aria-busy="true"
      tabIndex={isActive ? 0 : -1}
      style={place}
    >
      <div role="gridcell" class="table-cell" />
    </div>
  )
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
