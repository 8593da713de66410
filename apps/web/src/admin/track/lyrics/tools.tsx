import { useId, useState } from 'preact/hooks'
import { useTexts, useToasts } from '../../data/panel.ts'
import { useTrack } from '../use-track.ts'
import { useEditor, useLyricsTexts } from './editor-context.ts'
import { Lookup } from './lookup.tsx'
import { spreadBySecond, stripTimes, toEdited, toEntry } from './text/lines.ts'
import { lrcName, type ReadLyrics, readLrc, writeLrc } from './text/lrc.ts'

/** A file of lyrics is some kilobytes. */
const MAX_FILE_BYTES = 512 * 1024

/** Synced or plain, lyrics as text, files. */
export function Tools() {
  const { lyrics, undo } = useEditor()
  const t = useLyricsTexts()
  const [isText, setText] = useState(false)
  return (
    <>
      <div class="lyrics-tools">
        <SyncedSwitch />
        <button type="button" class="text-button" aria-expanded={isText} onClick={() => setText(!isText)}>
          {t.asText}
        </button>
        <Import />
        {lyrics.lines.length > 0 && <Export />}
        <Lookup />
        {undo && (
          <button type="button" class="text-button" onClick={undo}>
            {t.undo}
          </button>
        )}
      </div>
      {isText && <AsText onClose={() => setText(false)} />}
    </>
  )
}

/** Off strips the times. On, over lines without times, offers one line per second. */
function SyncedSwitch() {
  const { lyrics, change } = useEditor()
  const t = useLyricsTexts()
  const { cancel, undo } = useTexts()
  const toasts = useToasts()
  const [isAsked, setAsked] = useState(false)
  const turn = (isOn: boolean) => {
    if (!isOn) {
      change(stripTimes(lyrics))
      const again = { label: undo, run: () => change(lyrics) }
      if (lyrics.lines.length) toasts.show({ is: 'note', text: t.stripped, action: again })
    } else if (lyrics.lines.length) setAsked(true)
    else change({ ...lyrics, isSynced: true })
  }
  const spread = () => {
    setAsked(false)
    change(spreadBySecond(lyrics))
  }
  return (
    <>
      <label class="switch">
        <input
          type="checkbox"
          checked={lyrics.isSynced || isAsked}
          onChange={({ currentTarget }) => (isAsked ? setAsked(false) : turn(currentTarget.checked))}
        />
        {t.timed}
      </label>
      {isAsked && (
        <div class="lyrics-question" role="alert">
          <p>{t.spread}</p>
          <button type="button" class="button" onClick={spread}>
            {t.spreadYes}
          </button>
          <button type="button" class="text-button" onClick={() => setAsked(false)}>
            {cancel}
          </button>
        </div>
      )}
    </>
  )
}

/** Puts what was read in the place of the lyrics, and says what became of it. */
function useTake(): (read: ReadLyrics) => void {
  const { change, setOffset, setCurrent } = useEditor()
  const t = useLyricsTexts()
  const toasts = useToasts()
  return ({ synced, lines, offset, untimed }) => {
    const next = toEdited({ synced, lines })
    change(next)
    setCurrent(next.lines[0]?.id ?? null)
    if (offset !== null) setOffset(offset)
    const said = [t.imported(next.lines.length), untimed.length > 0 && t.leftOut(untimed.length)]
    toasts.show({ is: 'note', text: said.filter(Boolean).join(' ') })
  }
}

/** The lyrics as one text, to paste or to correct; times are checked before it is applied. */
function AsText({ onClose }: { onClose: () => void }) {
  const { lyrics } = useEditor()
  const t = useLyricsTexts()
  const { cancel } = useTexts()
  const id = useId()
  const take = useTake()
  const about = { title: '', artist: '' }
  const [text, setText] = useState(() => writeLrc(toEntry(lyrics), about).replace(/^\[(ti|ar):\]\n/gm, ''))
  const read = readLrc(text)
  const wrong = read.untimed.length ? t.untimed(read.untimed.slice(0, 5).join(', ')) : ''
  return (
    <form
      class="lyrics-text field"
      onSubmit={(event) => {
        event.preventDefault()
        if (wrong) return
        take(read)
        onClose()
      }}
    >
      <label for={id}>{t.asTextLabel}</label>
      <textarea
        id={id}
        rows={10}
        maxLength={MAX_FILE_BYTES}
        spellcheck={false}
        value={text}
        aria-invalid={Boolean(wrong)}
        aria-describedby={`${id}-about`}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p id={`${id}-about`} class="field-about" data-wrong={Boolean(wrong)} aria-live="polite">
        {wrong || t.asTextHint}
      </p>
      <div class="lyrics-tools">
        <button type="submit" class="button primary" aria-disabled={Boolean(wrong)}>
          {t.apply}
        </button>
        <button type="button" class="text-button" onClick={onClose}>
          {cancel}
        </button>
      </div>
    </form>
  )
}

function Import() {
  const t = useLyricsTexts()
  const toasts = useToasts()
  const take = useTake()
  const id = useId()
  const read = async (file: File) => {
    const text = file.size <= MAX_FILE_BYTES ? await file.text() : ''
    const found = readLrc(text)
    if (!found.lines.length || text.includes('\0')) toasts.show({ is: 'failed', text: t.notText })
    else take(found)
  }
  return (
    <span class="lyrics-import">
      <input
        id={id}
        class="unseen"
        type="file"
        accept=".lrc,.txt,text/plain"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) void read(file)
          currentTarget.value = ''
        }}
      />
      <label class="text-button" for={id}>
        {t.importFile}
      </label>
    </span>
  )
}

function Export() {
  const { lyrics, offset } = useEditor()
  const t = useLyricsTexts()
  const track = useTrack()
  const save = () => {
    const url = URL.createObjectURL(
      new Blob([writeLrc(toEntry(lyrics), { ...track, offset })], { type: 'text/plain' }),
    )
    const download = lrcName(track, lyrics.isSynced)
    Object.assign(document.createElement('a'), { href: url, download }).click()
    URL.revokeObjectURL(url)
  }
  return (
    <button type="button" class="text-button" onClick={save}>
      {t.exportFile}
    </button>
  )
}
