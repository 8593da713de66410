// biome-ignore-all lint/a11y/useSemanticElements: rows are drawn only near the view, which a table element can't do
// biome-ignore-all lint/a11y/useFocusableInteractive: the row has the focus, as the pattern of a grid allows
import './table.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Selection } from './selection.ts'
import { type Sort, sortRows } from './sort.ts'
import { usePhone } from './use-phone.ts'
import { useWindow } from './use-window.ts'

export interface Column<T> {
  id: string
  head: string
  /** A track of a CSS grid: `2fr`, `120px`. */
  width: string
  cell: (row: T) => ComponentChildren
  /** Without it the column can't be sorted by. */
  sort?: (row: T) => string | number
}

interface Props<T> {
  label: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  idOf: (row: T) => string
  /** How a row looks on a phone: two lines. */
  phone: (row: T) => ComponentChildren
  sort?: Sort | null
  onSort?: (sort: Sort) => void
  selection?: Selection
  /** Enter, a press on a row, or a double press while a selection is possible with a pointer. */
  onOpen?: (row: T) => void
  /** Other keys on a row, such as Space; true = handled. */
  onKey?: (row: T, event: KeyboardEvent) => boolean
}

const ROW_PX = 44
const PHONE_ROW_PX = 64
const LONG_PRESS_MS = 500

/**
 * A table of any length: only the rows near the view are drawn. Arrows move between rows, Enter opens, Space chooses,
 * Shift + arrows choose a range, Ctrl A all; a long press chooses on a phone.
 */
export function VirtualTable<T>(props: Props<T>) {
  const { label, columns, idOf, phone, sort = null, onSort, selection } = props
  const isPhone = usePhone()
  const rows = sortRows(props.rows, sort, columns)
  const rowPx = isPhone ? PHONE_ROW_PX : ROW_PX
  const body = useRef<HTMLDivElement>(null)
  const { first, end } = useWindow(body, rows.length, rowPx)
  const { active, keys } = useActiveRow(props, rows, body, rowPx)
  const grid = columns.map(({ width }) => width).join(' ')
  const line = (row: T, i: number) => {
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
        style={{ top: i * rowPx, height: rowPx }}
        {...pressesOf(props, row, id)}
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
      <div class="table-body" role="rowgroup" ref={body} style={{ height: rows.length * rowPx }}>
        {rows.slice(first, end).map((row, i) => line(row, first + i))}
      </div>
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
  onSort: Props<T>['onSort']
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

/** How a row answers to the pointer: a press opens, or chooses with Shift, Ctrl or a long press. */
function pressesOf<T>({ selection, onOpen }: Props<T>, row: T, id: string) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wasLong = false
  const stop = () => clearTimeout(timer)
  return {
    onPointerDown: (event: PointerEvent) => {
      wasLong = false
      if (event.pointerType === 'mouse' || !selection) return
      timer = setTimeout(() => {
        wasLong = true
        selection.choose(id, { more: true })
      }, LONG_PRESS_MS)
    },
    onPointerUp: stop,
    onPointerMove: (event: PointerEvent) =>
      Math.abs(event.movementX) + Math.abs(event.movementY) > 4 && stop(),
    onPointerCancel: stop,
    onContextMenu: (event: Event) => wasLong && event.preventDefault(),
    onClick: (event: MouseEvent) => {
      if (wasLong || (event.target as HTMLElement).closest('button, a, input, label')) return
      const more = event.ctrlKey || event.metaKey
      if (selection && (more || event.shiftKey)) selection.choose(id, { range: event.shiftKey, more })
      else if (selection?.ids.size && matchMedia('(pointer: coarse)').matches)
        selection.choose(id, { more: true })
      else onOpen?.(row)
    },
  }
}

/** The row that has the focus, and the keys that move it. */
function useActiveRow<T>(
  { idOf, selection, onOpen, onKey }: Props<T>,
  rows: readonly T[],
  body: { current: HTMLElement | null },
  rowPx: number,
) {
  const [active, setActive] = useState(0)
  const [isMoved, setMoved] = useState(0)
  const last = Math.max(0, rows.length - 1)
  const at = Math.min(active, last)
  useEffect(() => {
    if (isMoved)
      body.current?.querySelector<HTMLElement>(`[data-row="${at}"]`)?.focus({ preventScroll: true })
  }, [isMoved])
  const goTo = (index: number, isRange: boolean) => {
    const next = Math.min(last, Math.max(0, index))
    const box = body.current?.getBoundingClientRect()
    const scroller = scrollerOf(body.current)
    if (box && scroller) {
      const top = box.top + next * rowPx - HEAD_PX
      const bottom = box.top + (next + 1) * rowPx - innerHeight + FOOT_PX
      if (top < 0) scroller.scrollBy(0, top)
      else if (bottom > 0) scroller.scrollBy(0, bottom)
    }
    setActive(next)
    setMoved((n) => n + 1)
    if (isRange) selection?.choose(idOf(rows[next]!), { range: true })
  }
  const keys = (event: KeyboardEvent) => {
    const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
    if (!focused || !rows.length) return
    const here = Number(focused.dataset.row)
    const row = rows[here]
    if (!row) return
    const isOnRow = event.target === focused
    const page = Math.floor(innerHeight / rowPx) - 4
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -here,
      End: last,
    }
    if (onKey?.(row, event)) event.preventDefault()
    else if (event.key in steps) {
      event.preventDefault()
      if (event.shiftKey && !selection?.ids.size) selection?.choose(idOf(row), { more: true })
      goTo(here + steps[event.key]!, event.shiftKey)
    } else if (!isOnRow) return
    else if (event.key === 'Enter') onOpen?.(row)
    else if (event.key === ' ' && selection) {
      event.preventDefault()
      selection.choose(idOf(row), { more: true })
    } else if (event.code === 'KeyA' && (event.ctrlKey || event.metaKey) && selection) {
      event.preventDefault()
      selection.chooseAll()
    }
  }
  return { active: at, keys }
}

/** What the strip and the head of the table cover, and the bar at the bottom. */
const HEAD_PX = 120
const FOOT_PX = 80

const scrollerOf = (element: HTMLElement | null): Element | null => element && document.scrollingElement
