import { useWatchTexts } from './texts.ts'

/** Older and newer of a list that is shown by pages. */
export function Pages(props: {
  offset: number
  /** Entries of a page. */
  page: number
  shown: number
  total: number
  onTurn: (offset: number) => void
}) {
  const { offset, page, shown, total, onTurn } = props
  const t = useWatchTexts()
  if (total <= page && offset === 0) return null
  const isLast = offset + shown >= total
  return (
    <nav class="watch-pages" aria-label={t.pages}>
      <button
        type="button"
        class="button"
        aria-disabled={offset === 0}
        onClick={() => offset > 0 && onTurn(Math.max(0, offset - page))}
      >
        {t.later}
      </button>
      <span>{t.pageOf(Math.min(offset + 1, total), offset + shown, total)}</span>
      <button
        type="button"
        class="button"
        aria-disabled={isLast}
        onClick={() => !isLast && onTurn(offset + page)}
      >
        {t.earlier}
      </button>
    </nav>
  )
}
