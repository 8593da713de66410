// biome-ignore-all lint/a11y/useSemanticElements: rows are drawn only near the view, which a table element can't do
// biome-ignore-all lint/a11y/useFocusableInteractive: the row has the focus, as the pattern of a grid allows
import { useMemo, useRef } from 'preact/hooks'
import { type Press, pressesOf } from './row-presses.ts'
import type { Column, TableProps } from './table-props.ts'

type Cell<T> = Pick<Column<T>, 'id' | 'cell'>

interface Props<T> {
  row: T
  i: number
  rowPx: number
  /** It has the focus when the table has. */
  isActive: boolean
  /** undefined where no row can be chosen. */
  isChosen: boolean | undefined
  cells: readonly Cell<T>[]
  isPhone: boolean
  /** As of the latest drawing. */
  table: { readonly current: TableProps<T> }
  press: Press
}

/** A row of the table. It is drawn again only when something of its own has changed. */
export function Line<T>({ row, i, rowPx, isActive, isChosen, cells, isPhone, table, press }: Props<T>) {
  return useMemo(
    () => (
      <div
        class="table-row"
        role="row"
        data-row={i}
        aria-rowindex={i + 2}
        aria-selected={isChosen}
        tabIndex={isActive ? 0 : -1}
        style={placeOf(i, rowPx)}
        {...pressesOf(table, press, row)}
      >
        {cells.map(({ id, cell }) => (
          <div key={id} role="gridcell" class={isPhone ? 'table-phone' : 'table-cell'}>
            {cell(row, isChosen === true)}
          </div>
        ))}
      </div>
    ),
    [row, i, rowPx, isActive, isChosen, cells, isPhone],
  )
}

/** The place of a row that is being loaded, or is drawn next. */
export function Hole({ i, rowPx, isActive }: { i: number; rowPx: number; isActive: boolean }) {
  return (
    <div
      class="table-row table-hole"
      role="row"
      data-row={i}
      data-hole
      aria-rowindex={i + 2}
      aria-busy="true"
      tabIndex={isActive ? 0 : -1}
      style={placeOf(i, rowPx)}
    >
      <div role="gridcell" class="table-cell" />
    </div>
  )
}

const placeOf = (i: number, rowPx: number) => ({ top: `${i * rowPx}px`, height: `${rowPx}px` })

/** The cells of a row; the same list for as long as they are drawn by the same functions. */
export function useCells<T>(cells: readonly Cell<T>[]): readonly Cell<T>[] {
  const known = useRef(cells)
  const isSame =
    known.current.length === cells.length &&
    cells.every(({ id, cell }, i) => known.current[i]!.id === id && known.current[i]!.cell === cell)
  if (!isSame) known.current = cells
  return known.current
}
