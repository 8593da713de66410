import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'

/** The rows that are near the view: from `first`, up to but without `end`. */
export interface Rows {
  first: number
  end: number
}

/** Rows that are drawn beyond the view on each side, so that scrolling shows no gaps. */
const BEYOND = 4

/**
 * The rows of a box of equal rows that are to be drawn; the page or an ancestor of the box may be what scrolls. Wherever the view
 * is, they are equally many, so that scrolling needs no new elements.
 */
export function useWindow(box: RefObject<HTMLElement | null>, count: number, rowPx: number): Rows {
  const [rows, setRows] = useState<Rows>(() => rowsNear(0, count, rowPx))
  useLayoutEffect(() => {
    const look = () => {
      const next = rowsNear(box.current?.getBoundingClientRect().top ?? 0, count, rowPx)
      setRows((known) => (known.first === next.first && known.end === next.end ? known : next))
    }
    look()
    // Scrolling does not bubble, but it can be captured.
    addEventListener('scroll', look, { capture: true, passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look, { capture: true })
      removeEventListener('resize', look)
    }
  }, [count, rowPx])
  return rows
}

/** @param top of the box in the view, px */
function rowsNear(top: number, count: number, rowPx: number): Rows {
  const size = Math.ceil(innerHeight / rowPx) + 1 + 2 * BEYOND
  const first = Math.min(Math.floor(-top / rowPx) - BEYOND, count - size)
  return { first: Math.max(0, first), end: Math.min(count, Math.max(0, first) + size) }
}

/** As many take a slow device less than a tenth of a second. */
const ROWS_PER_FRAME = 8

/**
 * How many rows may have their elements by now: none before the first paint, so that a press that opens the table is answered at
 * once; then more with each frame, so that none takes long.
 */
export function useGrowth(rows: number): number {
  const [grown, setGrown] = useState(0)
  const isFull = grown >= rows
  useEffect(() => {
    if (isFull) return
    const frame = requestAnimationFrame(() => setGrown(grown + ROWS_PER_FRAME))
    return () => cancelAnimationFrame(frame)
  }, [grown, isFull])
  return grown
}
