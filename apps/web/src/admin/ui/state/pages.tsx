import './state.css'
import { useTexts } from '../../data/panel.ts'

/** Newer and older of a list that is shown by pages, the newest first; nothing where one page is enough. */
export function Pages(props: {
  offset: number
  /** Entries of a page. */
  page: number
  shown: number
  total: number
  onTurn: (offset: number) => void
}) {
  const { offset, page, shown, total, onTurn } = props
  const t = useTexts()
  if (total <= page && offset === 0) return null
  const isLast = offset + shown >= total
  return (
    <nav class="pages" aria-label={t.pages}>
      <button
        type="button"
        class="button"
        aria-disabled={offset === 0}
        onClick={() => offset > 0 && onTurn(Math.max(0, offset - page))}
      >
        {t.newer}
      </button>
      <span>{t.pageOf(Math.min(offset + 1, total), offset + shown, total)}</span>
      <button
        type="button"
        class="button"
        aria-disabled={isLast}
        onClick={() => !isLast && onTurn(offset + page)}
      >
        {t.older}
      </button>
    </nav>
  )
}
