import './state.css'
import { useTexts } from '../../data/panel.ts'

/** The way through a list that is shown by pages; nothing where one page is enough. */
export function Pages(props: {
  offset: number
  /** Entries of a page. */
  page: number
  shown: number
  total: number
  /** A list in another order has previous and next entries instead of newer and older ones. */
  isNewestFirst?: boolean
  onTurn: (offset: number) => void
}) {
  const { offset, page, shown, total, isNewestFirst = true, onTurn } = props
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
        {isNewestFirst ? t.newer : t.previousPage}
      </button>
      <span aria-live="polite">{t.pageOf(Math.min(offset + 1, total), offset + shown, total)}</span>
      <button
        type="button"
        class="button"
        aria-disabled={isLast}
        onClick={() => !isLast && onTurn(offset + page)}
      >
        {isNewestFirst ? t.older : t.nextPage}
      </button>
    </nav>
  )
}
