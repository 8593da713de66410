import type { AdminTexts } from '../texts.ts'

/** A sentence instead of the panel, with what can be done about it. */
export function Opening(props: { t: AdminTexts; text: string; action?: { label: string; run: () => void } }) {
  const { t, text, action } = props
  return (
    <main class="opening">
      <h1>{t.panel}</h1>
      <p role="status">{text}</p>
      {action && (
        <button type="button" class="button" onClick={action.run}>
          {action.label}
        </button>
      )}
    </main>
  )
}
