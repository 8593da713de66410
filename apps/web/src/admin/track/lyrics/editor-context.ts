import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { activeLine } from '../../../listener/sheets/lyrics/lyrics.ts'
import { useAdmin } from '../../data/panel.ts'
import type { Player } from '../player.ts'
import type { EditedLyrics } from './text/lines.ts'
import { type LyricsTexts, lyricsTexts } from './texts.ts'

/** The state that the parts of the editor share. */
export interface LyricsEditor {
  readonly lyrics: EditedLyrics
  /** Seconds added to each line. */
  readonly offset: number
  readonly player: Player
  /** The line that keys act on; null while there is none. */
  readonly currentId: number | null
  setCurrent(id: number | null): void
  /** Each change can be undone. */
  change(next: EditedLyrics): void
  setOffset(offset: number): void
  undo: (() => void) | null
}

const EditorContext = createContext<LyricsEditor | null>(null)
export const EditorProvider = EditorContext.Provider

export function useEditor(): LyricsEditor {
  const editor = useContext(EditorContext)
  if (!editor) throw new Error('Not within an EditorProvider')
  return editor
}

export const useLyricsTexts = (): LyricsTexts => lyricsTexts[useAdmin().locale]

/** The place of the line that listeners would see at the playhead; −1 before the first and for plain lyrics. */
export function useSungLine(): number {
  const { lyrics, offset, player } = useEditor()
  const sungAt = (positionS: number) =>
    lyrics.isSynced ? activeLine({ lines: [...lyrics.lines], offset }, positionS) : -1
  const [sung, setSung] = useState(() => sungAt(player.positionS.value))
  useEffect(() => {
    setSung(sungAt(player.positionS.value))
    return player.positionS.subscribe((positionS) => setSung(sungAt(positionS)))
  }, [lyrics, offset, player])
  return sung
}
