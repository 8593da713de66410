/** A press that moves less than this, in px, is a click. */
const CLICK_PX = 5
/** A drag this near to an end of the board, in px, scrolls it. */
const EDGE_PX = 48
const SCROLL_PX = 16

/**
 * Follows a mouse or pen that was pressed on a card; a finger scrolls instead. The card's copy goes with the pointer, `over`
 * is told the place of the column below it, `drop` the one where it was released. Escape ends it.
 *
 * HTML's own drag and drop isn't used: in some browsers it can't begin on a button.
 */
export function dragCard(
  press: PointerEvent,
  { over, drop }: { over: (column: number | null) => void; drop: (column: number) => void },
): void {
  if (press.button !== 0 || press.pointerType === 'touch') return
  const card = press.currentTarget as HTMLElement
  const board = card.closest<HTMLElement>('.board')!
  const end = new AbortController()
  let copy: HTMLElement | null = null

  const moved = (event: PointerEvent) => {
    const [x, y] = [event.clientX - press.clientX, event.clientY - press.clientY]
    if (event.buttons === 0) return ended(null)
    if (!copy && Math.hypot(x, y) < CLICK_PX) return
    copy ??= copyOf(card)
    copy.style.transform = `translate(${x}px, ${y}px)`
    scrollAt(board, event.clientX)
    over(columnAt(board, event))
  }
  const ended = (column: number | null) => {
    end.abort()
    if (!copy) return
    copy.remove()
    over(null)
    if (column !== null) drop(column)
  }
  const { signal } = end
  addEventListener('pointermove', moved, { signal })
  addEventListener('pointercancel', () => ended(null), { signal })
  addEventListener('blur', () => ended(null), { signal })
  addEventListener(
    'pointerup',
    (event) => {
      // The click that follows would pick up the card that was dropped.
      if (copy) swallowClick()
      ended(columnAt(board, event))
    },
    { signal },
  )
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !copy) return
    event.stopPropagation()
    ended(null)
  }
  addEventListener('keydown', pressed, { signal, capture: true })
}

function copyOf(card: HTMLElement): HTMLElement {
  const copy = card.cloneNode(true) as HTMLElement
  const { left, top, width, height } = card.getBoundingClientRect()
  copy.classList.add('dragged-card')
  copy.inert = true
  Object.assign(copy.style, {
    left: `${left}px`,
    top: `${top}px`,
    width: `${width}px`,
    height: `${height}px`,
  })
  document.body.append(copy)
  return copy
}

function columnAt(board: HTMLElement, { clientX, clientY }: PointerEvent): number | null {
  const column = document.elementFromPoint(clientX, clientY)?.closest('.board-column')
  return column ? [...board.querySelectorAll('.board-column')].indexOf(column) : null
}

function scrollAt(board: HTMLElement, x: number): void {
  const { left, right } = board.getBoundingClientRect()
  if (x < left + EDGE_PX) board.scrollLeft -= SCROLL_PX
  else if (x > right - EDGE_PX) board.scrollLeft += SCROLL_PX
}

function swallowClick(): void {
  const swallow = (event: MouseEvent) => event.stopPropagation()
  addEventListener('click', swallow, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', swallow, { capture: true }))
}
