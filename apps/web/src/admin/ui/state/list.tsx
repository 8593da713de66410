import './state.css'
import type { ComponentChildren, JSX } from 'preact'
import { failureText } from '../../data/client.ts'
import { usePanel, useTexts } from '../../data/panel.ts'
import type { QueryState } from '../../data/queries.ts'

/**
 * What stands where an answer will be: rows of a skeleton, the failure with a retry, the empty state with the next step, or
 * the content. What may be old is marked.
 */
export function List<T>(props: {
  state: QueryState<T> & { retry?: () => void }
  isEmpty?: (data: T) => boolean
  /** Says what to do next. */
  empty?: ComponentChildren
  /** Rows of the skeleton. */
  rows?: number
  children: (data: T) => ComponentChildren
}): JSX.Element {
  const { state, isEmpty, empty, rows = 6, children } = props
  const { locale } = usePanel()
  const t = useTexts()
  if (state.is === 'loading') return <Skeleton rows={rows} />
  if (state.is === 'failed')
    return (
      <div class="state" role="alert">
        <p>{failureText(state.error, locale)}</p>
        {state.retry && (
          <button type="button" class="button" onClick={state.retry}>
            {t.retry}
          </button>
        )}
      </div>
    )
  if (isEmpty?.(state.data)) return <div class="state">{empty}</div>
  return (
    <div class="answer" data-stale={state.isStale}>
      {state.isStale && <p class="stale">{t.stale}</p>}
      {children(state.data)}
    </div>
  )
}

/** Rows in the place of those that are being loaded. */
export function Skeleton({ rows }: { rows: number }) {
  const t = useTexts()
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{t.loading}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton-row" aria-hidden="true" style={{ '--n': i }} />
      ))}
    </div>
  )
}
