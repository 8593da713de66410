import { useId, useState } from 'preact/hooks'
import { useEditor, useLyricsTexts, useSungLine } from './editor-context.ts'

const REACH_S = 10
const MOST_S = 3_600
const AROUND = 2

/** The offset of all lines, and the lines as listeners would see them at the playhead. */
export function Preview() {
  const { lyrics, offset, setOffset } = useEditor()
  const t = useLyricsTexts()
  const id = useId()
  const sung = useSungLine()
  /** While somebody types: '-' is no number yet. */
  const [typed, setTyped] = useState<string | null>(null)
  if (!lyrics.isSynced) return null
  const set = (text: string) => {
    const seconds = Number(text)
    if (text !== '' && Math.abs(seconds) <= MOST_S) setOffset(Math.round(seconds * 100) / 100)
  }
  const from = Math.max(0, sung - AROUND)
  const shown = lyrics.lines.slice(from, Math.max(0, sung) + AROUND + 1)
  return (
    <aside class="lyrics-preview">
      <div class="lyrics-offset">
        <label for={id}>{t.offset}</label>
        <input
          type="range"
          min={-REACH_S}
          max={REACH_S}
          step={0.1}
          value={offset}
          aria-label={t.offset}
          style={{ '--level': (offset + REACH_S) / (2 * REACH_S) }}
          onInput={(event) => set(event.currentTarget.value)}
        />
        <input
          id={id}
          type="number"
          step={0.01}
          min={-MOST_S}
          max={MOST_S}
          value={typed ?? offset}
          onInput={({ currentTarget: { value } }) => {
            setTyped(value)
            set(value)
          }}
          onBlur={() => setTyped(null)}
        />
        <p class="hint">{t.offsetHint}</p>
      </div>
      <h3>{t.preview}</h3>
      {sung < 0 && <p class="hint">{t.previewEmpty}</p>}
      <ol class="lyrics-shown">
        {shown.map((line, i) => (
          <li key={line.id} data-sung={from + i === sung}>
            {line.text || t.before}
          </li>
        ))}
      </ol>
    </aside>
  )
}
