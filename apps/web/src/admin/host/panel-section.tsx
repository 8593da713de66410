import type { ComponentChildren } from 'preact'

export function PanelSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  )
}
