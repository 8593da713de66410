import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useToasts } from '../../data/panel.ts'
import { Icon } from '../../ui/icon.tsx'
import { useEditor, useLyricsTexts } from './editor-context.ts'
import { addAfter, type EditedLine, remove, replaceWith, setText, setTime } from './text/lines.ts'
import { formatTime, readTime } from './text/lrc.ts'

/** One line: its time, its text, and what can be done with it. */
export function LineRow(props: {
  line: EditedLine
  at: number
  isCurrent: boolean
  isSung: boolean
  isEarly: boolean
  focusLine: (id: number | null) => void
  /** Gives the focus back to the list. */
  leave: () => void
}) {
  const { line, at, isCurrent, isSung, isEarly, focusLine, leave } = props
  const { lyrics, change, setCurrent, player } = useEditor()
  const t = useLyricsTexts()
  const keyed = useLineKeys(line, at, focusLine, leave)
  const takeOut = () => {
    change(remove(lyrics, line.id))
    setCurrent((lyrics.lines[at + 1] ?? lyrics.lines[at - 1])?.id ?? null)
    leave()
  }
  const tab = isCurrent ? 0 : -1
  return (
    <li
      class="lyric"
      data-line={line.id}
      data-current={isCurrent}
      data-sung={isSung}
      aria-current={isCurrent}
      onFocusIn={() => setCurrent(line.id)}
    >
      {lyrics.isSynced && <TimeChip line={line} at={at} isEarly={isEarly} tab={tab} leave={leave} />}
      <input
        class="line-text"
        type="text"
        value={line.text}
        maxLength={2000}
        tabIndex={tab}
        aria-label={t.line(at + 1)}
        onInput={(event) => change(setText(lyrics, line.id, event.currentTarget.value))}
        {...keyed}
      />
      {lyrics.isSynced && (
        <button
          type="button"
          class="tool"
          tabIndex={tab}
          aria-label={t.playLine(at + 1)}
          title={t.playLine(at + 1)}
          onClick={() => {
            player.seek(line.time)
            if (player.state.value.is !== 'playing') player.toggle()
          }}
        >
          <Icon name="play" size={16} />
        </button>
      )}
      <button
        type="button"
        class="tool"
        tabIndex={tab}
        aria-label={t.removeLine(at + 1)}
        title={t.removeLine(at + 1)}
        onClick={takeOut}
      >
        <Icon name="trash" size={16} />
      </button>
    </li>
  )
}

/** Keys and pastes of a line's text. */
function useLineKeys(
  line: EditedLine,
  at: number,
  focusLine: (id: number | null) => void,
  leave: () => void,
) {
  const { lyrics, change } = useEditor()
  const onKeyDown = (event: KeyboardEvent) => {
    const near = { ArrowUp: lyrics.lines[at - 1], ArrowDown: lyrics.lines[at + 1] }[event.key]
    if (near) focusLine(near.id)
    else if (event.key === 'Escape') leave()
    else if (event.key === 'Enter' && !event.isComposing) {
      const added = addAfter(lyrics, line.id)
      change(added.lyrics)
      focusLine(added.id)
    } else if (event.key === 'Backspace' && line.text === '' && lyrics.lines.length > 1) {
      change(remove(lyrics, line.id))
      focusLine((lyrics.lines[at - 1] ?? lyrics.lines[at + 1])?.id ?? null)
    } else return
    event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent) => {
    const texts = (event.clipboardData?.getData('text/plain') ?? '').split(/\r?\n/).map((text) => text.trim())
    const kept = texts.filter(Boolean)
    if (kept.length < 2) return
    event.preventDefault()
    const field = event.currentTarget as HTMLInputElement
    const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0]
    const ends = [line.text.slice(0, from) + kept[0], ...kept.slice(1)]
    ends.push(`${ends.pop()}${line.text.slice(to)}`)
    const pasted = replaceWith(lyrics, line.id, ends)
    change(pasted.lyrics)
    focusLine(pasted.lastId)
  }
  return { onKeyDown, onPaste }
}

/** The time of a line; pressed, it becomes a field: Enter applies, Escape cancels. */
function TimeChip(props: { line: EditedLine; at: number; isEarly: boolean; tab: number; leave: () => void }) {
  const { line, at, isEarly, tab, leave } = props
  const { lyrics, change } = useEditor()
  const t = useLyricsTexts()
  const toasts = useToasts()
  const [typed, setTyped] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  /** Taking the field away takes its focus as well, which is no answer. */
  const isAnswered = useRef(false)
  useLayoutEffect(() => {
    isAnswered.current = false
    field.current?.focus()
    field.current?.select()
  }, [typed === null])
  if (typed === null)
    return (
      <button
        type="button"
        class="line-time"
        tabIndex={tab}
        data-early={isEarly}
        title={isEarly ? t.tooEarly : undefined}
        aria-label={`${t.timeOf(at + 1)}: ${formatTime(line.time)}${isEarly ? `, ${t.tooEarly}` : ''}`}
        onClick={() => setTyped(formatTime(line.time))}
      >
        {formatTime(line.time)}
      </button>
    )
  const answer = (atS: number | null) => {
    isAnswered.current = true
    if (atS !== null && atS !== line.time) change(setTime(lyrics, line.id, atS))
    setTyped(null)
  }
  return (
    <input
      ref={field}
      class="line-time"
      type="text"
      inputMode="numeric"
      maxLength={10}
      value={typed}
      aria-label={t.timeOf(at + 1)}
      aria-invalid={readTime(typed) === null}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onBlur={() => isAnswered.current || answer(readTime(typed))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        event.preventDefault()
        const atS = readTime(typed)
        if (event.key === 'Enter' && atS === null) return void toasts.show({ is: 'failed', text: t.badTime })
        answer(event.key === 'Enter' ? atS : null)
        leave()
      }}
    />
  )
}
