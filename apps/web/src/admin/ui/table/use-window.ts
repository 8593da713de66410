import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'

/** The rows that are near the view: from `first`, up to but without `end`. */
export interface Rows {
  first: number
  end: number
}

/** Rows that are drawn beyond the view on each side, so that scrolling shows no gaps. */
const BEYOND = 8

/**
 * The rows of a box of equal rows that are to be drawn; the page or an ancestor of the box may be what scrolls. Until
 * `isPainted`, the box has not been seen yet: what takes long is drawn after that, so that a press is answered at once.
 */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  count: number,
  rowPx: number,
): Rows & { isPainted: boolean } {
  const [rows, setRows] = useState<Rows>(() => ({ first: 0, end: Math.min(count, inView(rowPx)) }))
  const [isPainted, setPainted] = useState(false)
  useEffect(() => setPainted(true), [])
  useLayoutEffect(() => {
    const look = () => {
      const top = box.current?.getBoundingClientRect().top ?? 0
      const first = Math.max(0, Math.floor(-top / rowPx) - BEYOND)
      const end = Math.min(count, Math.ceil((innerHeight - top) / rowPx) + BEYOND)
      setRows((known) => (known.first === first && known.end === end ? known : { first, end }))
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
  return { ...rows, isPainted }
}

const inView = (rowPx: number) => Math.ceil(innerHeight / rowPx)
