import './fields.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useTexts, useToasts } from '../../data/panel.ts'

const HOLD_MS = 600

/**
 * A button that acts after it was held for 0.6 s with the pointer, Space or Enter, so that no slip does it. Assistive
 * technology, which can only press, acts at once.
 */
export function HoldButton(props: {
  class?: string
  label: string
  disabled?: boolean
  onHeld: () => void
  children: ComponentChildren
}) {
  const { label, disabled = false, onHeld, children } = props
  const t = useTexts()
  const toasts = useToasts()
  const [isHeld, setHeld] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** A press that was released too soon still becomes a click. */
  const wasPressed = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const press = () => {
    if (disabled || isHeld) return
    wasPressed.current = true
    setHeld(true)
    timer.current = setTimeout(() => {
      timer.current = undefined
      setHeld(false)
      onHeld()
    }, HOLD_MS)
  }
  const release = () => {
    setHeld(false)
    if (timer.current === undefined) return
    clearTimeout(timer.current)
    timer.current = undefined
    toasts.show({ is: 'note', text: t.hold })
  }
  return (
    <button
      type="button"
      class={`hold ${props.class ?? ''}`}
      aria-label={label}
      title={`${label} · ${t.hold}`}
      aria-disabled={disabled}
      data-held={isHeld}
      onPointerDown={(event) => event.button === 0 && press()}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => isHeld && event.preventDefault()}
      onKeyDown={(event) => (event.key === ' ' || event.key === 'Enter') && !event.repeat && press()}
      onKeyUp={(event) => (event.key === ' ' || event.key === 'Enter') && release()}
      onClick={() => {
        if (!wasPressed.current && !disabled) onHeld()
        wasPressed.current = false
      }}
    >
      {children}
    </button>
  )
}
