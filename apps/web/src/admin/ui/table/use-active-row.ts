import { useEffect, useRef, useState } from 'preact/hooks'
import { rowIndexOf } from './row-presses.ts'
import type { TableProps } from './table-props.ts'

/** The row that has the focus, and the keys that move it; it stays drawn, so that the focus stays on it. */
export function useActiveRow<T>(
  { idOf, selection, onOpen, onKey }: TableProps<T>,
  rows: readonly (T | undefined)[],
  body: { current: HTMLElement | null },
  rowPx: number,
): { active: number; keys: (event: KeyboardEvent) => void; focused: (event: FocusEvent) => void } {
  const [active, setActive] = useState(0)
  const last = Math.max(0, rows.length - 1)
  const at = Math.min(active, last)
  const moveFocus = useMovedFocus(body, at)
  const goTo = (index: number, isRange: boolean) => {
    const next = Math.min(last, Math.max(0, index))
    bringToView(body.current, next, rowPx)
    moveFocus()
    setActive(next)
    const row = rows[next]
    if (isRange && row) selection?.choose(idOf(row), { range: true })
  }
  const keys = (event: KeyboardEvent) => {
    const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
    if (!focused || !rows.length) return
    const here = Number(focused.dataset.row)
    const row = rows[here]
    const page = Math.floor(innerHeight / rowPx) - 4
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -here,
      End: last,
    }
    if (row && onKey?.(row, event)) event.preventDefault()
    else if (event.key in steps) {
      event.preventDefault()
      if (event.shiftKey && row && !selection?.ids.size) selection?.choose(idOf(row), { more: true })
      goTo(here + steps[event.key]!, event.shiftKey)
    } else if (event.target !== focused || !row) return
    else if (event.key === 'Enter') onOpen?.(row)
    else if (event.key === ' ' && selection) {
      event.preventDefault()
      selection.choose(idOf(row), { more: true })
    } else if (event.code === 'KeyA' && (event.ctrlKey || event.metaKey) && selection) {
      event.preventDefault()
      selection.chooseAll()
    }
  }
  const focused = (event: FocusEvent) => setActive((known) => rowIndexOf(event) ?? known)
  return { active: at, keys, focused }
}

/** Once its result is called, gives the active row the focus as soon as the row is drawn and loaded. */
function useMovedFocus(body: { current: HTMLElement | null }, active: number): () => void {
  const isMoving = useRef(false)
  const [, draw] = useState(0)
  useEffect(() => {
    if (!isMoving.current) return
    const row = body.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)
    const { activeElement } = document
    const isElsewhere = activeElement !== document.body && !body.current?.contains(activeElement)
    if (!isElsewhere) row?.focus({ preventScroll: true })
    isMoving.current = !isElsewhere && (!row || row.dataset.hole !== undefined)
  })
  return () => {
    isMoving.current = true
    draw((n) => n + 1)
  }
}

/** What the strip and the head of the table cover, and the bars at the bottom. */
const HEAD_PX = 120
const FOOT_PX = 150

function bringToView(body: HTMLElement | null, row: number, rowPx: number): void {
  const box = body?.getBoundingClientRect()
  const scroller = document.scrollingElement
  if (!box || !scroller) return
  const top = box.top + row * rowPx - HEAD_PX
  const bottom = box.top + (row + 1) * rowPx - innerHeight + FOOT_PX
  if (top < 0) scroller.scrollBy(0, top)
  else if (bottom > 0) scroller.scrollBy(0, bottom)
}
