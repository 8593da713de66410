import type { ComponentChildren } from 'preact'
import type { Selection } from './selection.ts'
import type { Sort } from './sort.ts'

export interface Column<T> {
  id: string
  head: ComponentChildren
  /** A track of a CSS grid: `2fr`, `7.5rem`. */
  width: string
  /** Class of its cells, which saves an element in each. */
  class?: string
  /** Rows are drawn again when another function comes: keep it where many are shown. */
  cell: (row: T, isChosen: boolean) => ComponentChildren
  /** Without it the column can't be sorted by. `given`: the rows come in the order that `sort` tells. */
  sort?: ((row: T) => string | number) | 'given'
}

export interface TableProps<T> {
  label: string
  /** A hole is a row that is not loaded yet; `onRows` tells when it is wanted. */
  rows: readonly (T | undefined)[]
  /** The rows near the view changed: from `first`, up to but without `end`. */
  onRows?: (first: number, end: number) => void
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
