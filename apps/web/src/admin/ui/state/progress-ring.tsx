import './state.css'
import type { ComponentChildren } from 'preact'

const RADIUS = 18
const LENGTH = 2 * Math.PI * RADIUS

/** A ring that is full at 1 and gone at 0, around what it is about. Decorative: say the number in words beside it. */
export function ProgressRing({
  part,
  children,
  size = 44,
}: {
  part: number
  children?: ComponentChildren
  size?: number
}) {
  const shown = Math.min(1, Math.max(0, part))
  return (
    <span class="ring" style={{ width: `${size}px`, height: `${size}px` }}>
      <svg viewBox="0 0 40 40" aria-hidden="true">
        <circle class="ring-ground" cx="20" cy="20" r={RADIUS} />
        {shown > 0 && (
          <circle
            class="ring-part"
            cx="20"
            cy="20"
            r={RADIUS}
            stroke-dasharray={`${LENGTH * shown} ${LENGTH}`}
          />
        )}
      </svg>
      <span class="ring-content">{children}</span>
    </span>
  )
}
