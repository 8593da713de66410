import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useEditor, useLyricsTexts, useSungLine } from './editor-context.ts'
import { LineRow } from './line-row.tsx'
import { addAfter, outOfOrder, sortByTime } from './text/lines.ts'

/** All lines. The list itself takes the keys; a line's text is a field. */
export function LineList({ list }: { list: RefObject<HTMLOListElement | null> }) {
  const { lyrics, currentId, change, setCurrent } = useEditor()
  const t = useLyricsTexts()
  const sung = useSungLine()
  const early = outOfOrder(lyrics)
  /** Whose text gets the focus once it is there. */
  const wanted = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (wanted.current === null) return
    list.current?.querySelector<HTMLElement>(`[data-line="${wanted.current}"] .line-text`)?.focus()
    wanted.current = null
  })
  useEffect(() => {
    list.current?.querySelector('[data-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [currentId])
  const focusLine = (id: number | null) => {
    wanted.current = id
    setCurrent(id)
  }
  const add = () => {
    const added = addAfter(lyrics, lyrics.lines.at(-1)?.id ?? null)
    change(added.lyrics)
    focusLine(added.id)
  }
  return (
    <div class="lyrics-lines">
      {early.size > 0 && (
        <p class="lyrics-unsorted" role="status">
          {t.unsorted(early.size)}{' '}
          <button type="button" class="text-button" onClick={() => change(sortByTime(lyrics))}>
            {t.sort}
          </button>
        </p>
      )}
      {lyrics.lines.length === 0 && <p class="hint">{t.empty}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list takes the keys of the editor */}
      <ol ref={list} class="lyric-list" aria-label={t.lines} tabIndex={0}>
        {lyrics.lines.map((line, i) => (
          <LineRow
            key={line.id}
            line={line}
            at={i}
            isCurrent={line.id === currentId}
            isSung={i === sung}
            isEarly={early.has(line.id)}
            focusLine={focusLine}
            leave={() => list.current?.focus()}
          />
        ))}
      </ol>
      <button type="button" class="text-button" onClick={add}>
        {t.addLine}
      </button>
    </div>
  )
}
