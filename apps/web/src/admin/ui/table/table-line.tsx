// biome-ignore-all lint/a11y/useSemanticElements: rows are drawn only near the view, which a table element can't do
// biome-ignore-all lint/a11y/useFocusableInteractive: the row has the focus, as the pattern of a grid allows
import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { Column } from './table-props.ts'

type Cell<T> = Pick<Column<T>, 'id' | 'cell' | 'class'>

interface Props<T> {
  /** undefined for a hole: the row is being loaded, or is drawn next. */
  row: T | undefined
  id: string
  i: number
  rowPx: number
  /** It has the focus when the table has. */
  isActive: boolean
  /** undefined where no row can be chosen. */
  isChosen: boolean | undefined
  cells: readonly Cell<T>[]
  isPhone: boolean
}

/**
 * A row of the table, in the elements of whichever row was there before it. It is drawn again only when something of its own has
 * changed; a hole hides what was there, for the row to come.
 */
export function Line<T>({ row, id, i, rowPx, isActive, isChosen, cells, isPhone }: Props<T>) {
  const isHole = row === undefined
  const content = useContent(row, isChosen === true, cells, isPhone)
  return useMemo(
    () => (
      <div
        class={isHole ? 'table-row table-hole' : 'table-row'}
        role="row"
        id={id}
        data-row={i}
        data-hole={isHole ? '' : undefined}
        aria-rowindex={i + 2}
        aria-busy={isHole || undefined}
        aria-selected={isHole ? undefined : isChosen}
        tabIndex={isActive ? 0 : -1}
        style={{ top: `${i * rowPx}px`, height: `${rowPx}px` }}
      >
        {content}
      </div>
    ),
    [isHole, id, i, rowPx, isActive, isChosen, content],
  )
}

/** The cells of a row; of a hole, those that were there last. */
function useContent<T>(
  row: T | undefined,
  isChosen: boolean,
  cells: readonly Cell<T>[],
  isPhone: boolean,
): ComponentChildren {
  const last = useRef({ row, isChosen })
  if (row !== undefined) last.current = { row, isChosen }
  const shown = last.current
  return useMemo(() => {
    const { row, isChosen } = shown
    const name = isPhone ? 'table-phone' : 'table-cell'
    if (row === undefined) return <div role="gridcell" class={name} />
    return cells.map(({ id, cell, class: own }) => (
      <div key={id} role="gridcell" class={own ? `${name} ${own}` : name}>
        {cell(row, isChosen)}
      </div>
    ))
  }, [shown.row, shown.isChosen, cells, isPhone])
}

/** The cells of a row; the same list for as long as they are drawn by the same functions. */
export function useCells<T>(cells: readonly Cell<T>[]): readonly Cell<T>[] {
  const known = useRef(cells)
  const isSame =
    known.current.length === cells.length &&
    cells.every(({ id, cell }, i) => known.current[i]!.id === id && known.current[i]!.cell === cell)
  if (!isSame) known.current = cells
  return known.current
}
