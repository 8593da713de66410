import './state.css'
import type { ComponentChildren } from 'preact'

/** A short mark beside a name. `light` for what was asked for or paid, `live` only for a microphone on air. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'light' | 'live' | 'warning'
  children: ComponentChildren
}) {
  return (
    <span class="mark" data-tone={tone}>
      {children}
    </span>
  )
}
