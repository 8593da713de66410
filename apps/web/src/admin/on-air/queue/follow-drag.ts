/** A press that moves less is a click. */
const SLACK_PX = 4
/** Near the edges of the window the page scrolls by itself. */
const EDGE_PX = 96
const SCROLL_PX = 10

/**
 * Follows a press on a handle until it is let go. Distances are px down the page from where it began. After a mere click none of the
 * functions was called.
 */
export function followDrag(
  press: PointerEvent,
  on: {
    /** With where the pointer is in the window, px. */
    moved: (byPx: number, at: { x: number; y: number }) => void
    dropped: () => void
    cancelled: () => void
  },
): void {
  const handle = press.currentTarget as HTMLElement
  const startPx = press.clientY + scrollY
  const stop = new AbortController()
  const { signal } = stop
  let at = press.clientY
  let x = press.clientX
  let isDrag = false
  const follow = () => {
    const byPx = at + scrollY - startPx
    isDrag ||= Math.max(Math.abs(byPx), Math.abs(x - press.clientX)) > SLACK_PX
    if (isDrag) on.moved(byPx, { x, y: at })
  }
  const end = (tell: () => void) => {
    if (signal.aborted) return
    stop.abort()
    if (isDrag) tell()
  }
  const scroll = () => {
    if (signal.aborted) return
    if (!handle.isConnected) return end(on.cancelled)
    const top = at < EDGE_PX ? -SCROLL_PX : at > innerHeight - EDGE_PX ? SCROLL_PX : 0
    if (isDrag && top) {
      scrollBy({ top, behavior: 'instant' })
      follow()
    }
    requestAnimationFrame(scroll)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isDrag) return
    event.preventDefault()
    event.stopPropagation()
    end(on.cancelled)
  }
  const moves = (event: PointerEvent) => {
    at = event.clientY
    x = event.clientX
    follow()
  }
  handle.setPointerCapture(press.pointerId)
  handle.addEventListener('pointermove', moves, { signal })
  handle.addEventListener('pointerup', () => end(on.dropped), { signal })
  handle.addEventListener('lostpointercapture', () => end(on.cancelled), { signal })
  addEventListener('keydown', pressed, { capture: true, signal })
  requestAnimationFrame(scroll)
}
