import type { TableProps } from './table-props.ts'

const LONG_PRESS_MS = 500

/** The press that is going on in a table; it outlives the drawings of its row. */
export interface Press {
  timer?: ReturnType<typeof setTimeout>
  wasLong: boolean
}

/** How a row answers to the pointer: a press opens, or chooses with Shift, Ctrl or a long press. */
export function pressesOf<T>(table: { readonly current: TableProps<T> }, press: Press, row: T) {
  const stop = () => clearTimeout(press.timer)
  const choose = (how: { range?: boolean; more?: boolean }) => {
    const { selection, idOf } = table.current
    selection?.choose(idOf(row), how)
  }
  return {
    onPointerDown: (event: PointerEvent) => {
      press.wasLong = false
      if (event.pointerType === 'mouse' || !table.current.selection) return
      stop()
      press.timer = setTimeout(() => {
        press.wasLong = true
        choose({ more: true })
      }, LONG_PRESS_MS)
    },
    onPointerUp: stop,
    onPointerMove: (event: PointerEvent) =>
      Math.abs(event.movementX) + Math.abs(event.movementY) > 4 && stop(),
    onPointerCancel: stop,
    onContextMenu: (event: Event) => press.wasLong && event.preventDefault(),
    onClick: (event: MouseEvent) => {
      if (press.wasLong || (event.target as HTMLElement).closest('button, a, input, label')) return
      const { selection, onOpen } = table.current
      const more = event.ctrlKey || event.metaKey
      if (selection && (more || event.shiftKey)) choose({ range: event.shiftKey, more })
      else if (selection?.ids.size && matchMedia('(pointer: coarse)').matches) choose({ more: true })
      else onOpen?.(row)
    },
  }
}
