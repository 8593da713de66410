import './popover.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const EDGE_PX = 16

interface Props {
  class: string
  /** The name of the button and of what it opens. */
  label: string
  button: ComponentChildren
  /** @param close closes it and gives the focus back to its button. */
  children: (close: () => void) => ComponentChildren
}

/** A button and the panel that it opens under itself, always within the window. */
export function Popover({ class: name, label, button, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const panel = useRef<HTMLElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    box.current?.querySelector('button')?.focus({ preventScroll: true })
  }

  useLayoutEffect(() => {
    if (!isOpen) return
    const place = () => panel.current && placeUnder(box.current!, panel.current)
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    const pressed = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    const pressedKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close()
    }
    addEventListener('pointerdown', pressed)
    addEventListener('keydown', pressedKey)
    return () => {
      removeEventListener('pointerdown', pressed)
      removeEventListener('keydown', pressedKey)
    }
  }, [isOpen])

  return (
    <div
      class={`popover ${name}`}
      ref={box}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !box.current?.contains(relatedTarget)) setOpen(false)
      }}
    >
      <button
        type="button"
        class="popover-button"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard
        <section class="popover-panel" ref={panel} aria-label={label} tabIndex={0}>
          {children(close)}
        </section>
      )}
    </div>
  )
}

/** Aligns the right edges, unless the panel would leave the window. */
function placeUnder(box: HTMLElement, panel: HTMLElement): void {
  const { left, right } = box.getBoundingClientRect()
  const room = document.documentElement.clientWidth - EDGE_PX
  const wanted = Math.min(right, room) - panel.offsetWidth
  panel.style.left = `${Math.max(EDGE_PX, wanted) - left}px`
}
