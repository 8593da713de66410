import './lyrics.css'
import { useRef, useState } from 'preact/hooks'
import { useToasts } from '../../data/panel.ts'
import { Guarded } from '../../ui/layers/guarded.tsx'
import { type Editing, undo, withLyrics } from '../draft/draft.ts'
import { usePlayer } from '../player.ts'
import { useTrack } from '../use-track.ts'
import { EditorProvider, type LyricsEditor, useLyricsTexts } from './editor-context.ts'
import { LineList } from './line-list.tsx'
import { Preview } from './preview.tsx'
import { remove, stamp } from './text/lines.ts'
import { Tools } from './tools.tsx'
import { Transport } from './transport.tsx'

const EDIT = { anyOf: ['editor_lyrics', 'editor_meta'], capabilities: ['editTrackMetadata'] } as const
const STEP_S = 0.1

/** The lyrics editor: lines with their times, the sound, and what listeners would see. */
export function LyricsTab(props: {
  editing: Editing
  change: (next: (editing: Editing) => Editing) => void
}) {
  const { editing, change } = props
  const { lyrics, offset } = editing.draft
  const player = usePlayer(useTrack())
  const t = useLyricsTexts()
  const [currentId, setCurrent] = useState<number | null>(lyrics.lines[0]?.id ?? null)
  const [markerS, setMarker] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const editor: LyricsEditor = {
    lyrics,
    offset,
    player,
    currentId,
    setCurrent,
    change: (next) => change((now) => withLyrics(now, next)),
    setOffset: (next) => change((now) => ({ ...now, draft: { ...now.draft, offset: next } })),
    undo: editing.past.length ? () => change(undo) : null,
  }
  /** Moves the marker; while nothing plays, the playhead goes with it. */
  const move = (byS: number) => {
    const toS = Math.max(0, (markerS ?? player.positionS.value) + byS)
    setMarker(toS)
    if (player.state.value.is !== 'playing') player.seek(toS)
  }
  const onSeek = (toS: number) => {
    setMarker(toS)
    player.seek(toS)
  }
  const toMarker = () => markerS !== null && player.seek(markerS)
  const stampLine = useStamp(editor)
  return (
    <EditorProvider value={editor}>
      <Guarded rule={EDIT}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
        <div
          class="lyrics-editor"
          role="group"
          aria-label={t.editor}
          onKeyDown={(event) => runKey(event, editor, { move, toMarker, stampLine, list: list.current })}
        >
          <Transport
            markerS={markerS}
            onSeek={onSeek}
            onMove={move}
            onMarker={toMarker}
            onStamp={stampLine}
          />
          <Tools />
          <div class="lyrics-columns">
            <LineList list={list} />
            <Preview />
          </div>
          <p class="hint lyrics-keys">{t.hint}</p>
        </div>
      </Guarded>
    </EditorProvider>
  )
}

/** Gives the current line the time of the playhead, and goes on to the next. */
function useStamp({ lyrics, player, currentId, change, setCurrent }: LyricsEditor): () => void {
  const toasts = useToasts()
  const t = useLyricsTexts()
  return () => {
    if (!lyrics.isSynced) return void toasts.show({ is: 'note', text: t.syncFirst })
    const at = lyrics.lines.findIndex(({ id }) => id === currentId)
    if (at < 0) return
    change(stamp(lyrics, lyrics.lines[at]!.id, player.positionS.value))
    setCurrent(lyrics.lines[at + 1]?.id ?? lyrics.lines[at]!.id)
  }
}

interface Actions {
  move: (byS: number) => void
  toMarker: () => void
  stampLine: () => void
  list: HTMLElement | null
}

/** Keys of the editor, where they are not wanted by a field or a button. Letters by their place on the keyboard. */
function runKey(event: KeyboardEvent, editor: LyricsEditor, actions: Actions): void {
  const on = event.target as HTMLElement
  if (event.defaultPrevented || on.closest('input, textarea, select, [role=tab]')) return
  const isPress = event.key === ' ' || event.key === 'Enter'
  if (isPress && on.closest('button, a, label')) return
  const { lyrics, currentId, player } = editor
  const at = lyrics.lines.findIndex(({ id }) => id === currentId)
  const go = (to: number) => editor.setCurrent(lyrics.lines[to]?.id ?? currentId)
  const step = STEP_S * (event.shiftKey ? 10 : 1)
  const isCommand = event.ctrlKey || event.metaKey
  const run: Record<string, () => void> = isCommand
    ? { KeyZ: () => editor.undo?.() }
    : {
        KeyT: actions.stampLine,
        KeyM: actions.toMarker,
        Space: player.toggle,
        ArrowLeft: () => actions.move(-step),
        ArrowRight: () => actions.move(step),
        ArrowUp: () => go(Math.max(0, at - 1)),
        ArrowDown: () => go(at + 1),
        Enter: () => actions.list?.querySelector<HTMLElement>('[data-current=true] .line-text')?.focus(),
        Delete: () => {
          if (at < 0) return
          editor.change(remove(lyrics, lyrics.lines[at]!.id))
          editor.setCurrent((lyrics.lines[at + 1] ?? lyrics.lines[at - 1])?.id ?? null)
        },
      }
  const found = event.altKey ? undefined : run[event.code]
  if (!found) return
  event.preventDefault()
  found()
}
