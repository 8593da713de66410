import type { TableProps } from './table-props.ts'

const LONG_PRESS_MS = 500

/** The press that is going on in a table; it outlives the drawings of its row. */
export interface Press {
  timer?: ReturnType<typeof setTimeout>
  wasLong: boolean
}

/** The index of the row that an event is in; null outside all rows. */
export function rowIndexOf({ target }: Event): number | null {
  const index = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row
  return index === undefined ? null : Number(index)
}

/** How the rows of a table answer to the pointer: a press opens, or chooses with Shift, Ctrl or a long press. */
export function pressesOf<T>(table: { readonly current: TableProps<T> }, press: Press) {
  const stop = () => clearTimeout(press.timer)
  const rowOf = (event: Event): T | undefined => table.current.rows[rowIndexOf(event) ?? -1]
  const choose = (row: T, how: { range?: boolean; more?: boolean }) => {
    const { selection, idOf } = table.current
    selection?.choose(idOf(row), how)
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      press.wasLong = false
      const row = rowOf(event)
      if (event.pointerType === 'mouse' || !table.current.selection || row === undefined) return
      stop()
      press.timer = setTimeout(() => {
        press.wasLong = true
        choose(row, { more: true })
      }, LONG_PRESS_MS)
    },
    onPointerUp: stop,
    onPointerMove: (event: PointerEvent) =>
      Math.abs(event.movementX) + Math.abs(event.movementY) > 4 && stop(),
    onPointerCancel: stop,
    onContextMenu: (event: Event) => press.wasLong && event.preventDefault(),
    onClick: (event: MouseEvent) => {
      const row = rowOf(event)
      if (press.wasLong || row === undefined) return
      if ((event.target as HTMLElement).closest('button, a, input, label')) return
      const { selection, onOpen } = table.current
      const more = event.ctrlKey || event.metaKey
      if (selection && (more || event.shiftKey)) choose(row, { range: event.shiftKey, more })
      else if (selection?.ids.size && matchMedia('(pointer: coarse)').matches) choose(row, { more: true })
      else onOpen?.(row)
    },
  }
}
