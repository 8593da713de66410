import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/**
 * When the focused element within a box is removed, focuses the heading of its section, or the first one of the box, so
 * that keyboard users stay in place. Those headings need `tabIndex={-1}`.
 */
export function useRestoredFocus(box: RefObject<HTMLElement | null>): void {
  const last = useRef<{ element: Element; section: Element | null } | null>(null)
  useEffect(() => {
    const focused = ({ target }: FocusEvent) => {
      if (target instanceof Element) last.current = { element: target, section: target.closest('section') }
    }
    const own = box.current
    own?.addEventListener('focusin', focused)
    return () => own?.removeEventListener('focusin', focused)
  }, [])
  useLayoutEffect(() => {
    if (!last.current || last.current.element.isConnected || document.activeElement !== document.body) return
    const { section } = last.current
    const place = section?.isConnected ? section : box.current
    place?.querySelector<HTMLElement>('h1, h2, h3')?.focus({ preventScroll: true })
  })
}
