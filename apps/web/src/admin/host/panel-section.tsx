import type { ComponentChildren } from 'preact'
import { localizedText } from '../../ui/language/localized-text.ts'
import { useStudio } from './studio-context.ts'

export function PanelSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  )
}

/** Why a command was refused, or why the host is off air. */
export function Notice() {
  const { state, t, locale } = useStudio()
  const { notice } = state
  const text = () => {
    if (!notice) return null
    if (notice.is === 'message') return localizedText(notice.text, locale)
    if (notice.is === 'denied' || notice.is === 'unanswered') return t[notice.is]
    return notice.is === 'live-elsewhere' ? t.liveElsewhere : t.ended[notice.is]
  }
  return (
    <p class="refusal" role="alert">
      {text()}
    </p>
  )
}
