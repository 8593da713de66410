import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/**
 * When what had the focus within a box is gone, its section's heading has it, or the box's first one: who works without a
 * pointer stays where something happened. Headings that shall have it need `tabIndex={-1}`.
 */
export function useRestoredFocus(box: RefObject<HTMLElement | null>): void {
  const last = useRef<{ element: Element; section: Element | null } | null>(null)
  useEffect(() => {
    const noticed = ({ target }: FocusEvent) => {
      if (target instanceof Element) last.current = { element: target, section: target.closest('section') }
    }
    const own = box.current
    own?.addEventListener('focusin', noticed)
    return () => own?.removeEventListener('focusin', noticed)
  }, [])
  useLayoutEffect(() => {
    if (!last.current || last.current.element.isConnected || document.activeElement !== document.body) return
    const { section } = last.current
    const place = section?.isConnected ? section : box.current
    place?.querySelector<HTMLElement>('h1, h2')?.focus({ preventScroll: true })
  })
}
