export interface Sort {
  /** The id of a column. */
  by: string
  isDown: boolean
}

const { compare } = new Intl.Collator(['uk', 'en'], { numeric: true })

/** The rows in the order of a column; equal ones stay as they were, and so do all when the order is `given`. */
export function sortRows<T>(
  rows: readonly (T | undefined)[],
  sort: Sort | null,
  columns: readonly { id: string; sort?: ((row: T) => string | number) | 'given' }[],
): readonly (T | undefined)[] {
  const value = sort && columns.find(({ id }) => id === sort.by)?.sort
  if (!value || value === 'given') return rows
  const sign = sort.isDown ? -1 : 1
  return rows
    .filter((row) => row !== undefined)
    .map((row) => ({ row, value: value(row) }))
    .sort((a, b) => sign * order(a.value, b.value))
    .map(({ row }) => row)
}

const order = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b))
