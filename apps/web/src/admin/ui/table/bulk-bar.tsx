import './table.css'
import type { ComponentChildren } from 'preact'
import { useTexts } from '../../data/panel.ts'
import type { Selection } from './selection.ts'

/** Actions on the chosen rows, at the bottom of the page; nothing while none is chosen. */
export function BulkBar({ selection, children }: { selection: Selection; children: ComponentChildren }) {
  const t = useTexts()
  if (!selection.ids.size) return null
  return (
    <section class="bulk-bar" aria-label={t.chosen(selection.ids.size)}>
      <b role="status">{t.chosen(selection.ids.size)}</b>
      <span class="bulk-actions">{children}</span>
      <button type="button" class="text-button" onClick={selection.clear}>
        {t.clear}
      </button>
    </section>
  )
}
