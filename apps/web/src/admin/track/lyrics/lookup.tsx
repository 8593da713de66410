import type { LyricsEntry } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useCommand } from '../../data/commands.ts'
import { useToasts } from '../../data/panel.ts'
import { Guarded } from '../../ui/layers/guarded.tsx'
import { useTrack } from '../use-track.ts'
import { useEditor, useLyricsTexts } from './editor-context.ts'
import { compareLyrics } from './text/compare.ts'
import { areAlike, toEdited, toEntry } from './text/lines.ts'
import { formatTime } from './text/lrc.ts'

const LOOK_UP = { anyOf: ['editor_lyrics', 'upload_songs'] } as const

/** Asks the lookup service again, and shows what it found beside what is here. */
export function Lookup() {
  const { lyrics } = useEditor()
  const { title, artist, album, duration } = useTrack()
  const t = useLyricsTexts()
  const toasts = useToasts()
  const [found, setFound] = useState<LyricsEntry | null>(null)
  const { run, isBusy } = useCommand('POST /api/admin/upload-song-lyrics', { success: '' })
  const lookUp = async () => {
    const reply = await run({ body: { title, artist, album, duration } })
    if (!reply) return
    const { lyricsEntry } = reply
    if (!lyricsEntry.lines.length) toasts.show({ is: 'note', text: t.nothing })
    else if (areAlike(toEdited(lyricsEntry), lyrics)) toasts.show({ is: 'note', text: t.same })
    else setFound(lyricsEntry)
  }
  if (found) return <Compared found={found} onClose={() => setFound(null)} />
  return (
    <Guarded rule={LOOK_UP}>
      <button type="button" class="text-button" aria-disabled={isBusy} onClick={lookUp}>
        {isBusy ? t.lookingUp : t.lookUp}
      </button>
    </Guarded>
  )
}

function Compared({ found, onClose }: { found: LyricsEntry; onClose: () => void }) {
  const { lyrics, change, setCurrent } = useEditor()
  const t = useLyricsTexts()
  const here = toEntry(lyrics)
  const use = () => {
    const next = toEdited(found)
    change(next)
    setCurrent(next.lines[0]?.id ?? null)
    onClose()
  }
  const told = (line: { time: number; text: string } | null, isSynced: boolean) =>
    line && `${isSynced ? `${formatTime(line.time)} ` : ''}${line.text}`
  return (
    <section class="compared" aria-label={t.lookedUp}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.mine}</th>
            <th scope="col">{t.found}</th>
            <th scope="col">
              <span class="unseen">{t.lookedUp}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {compareLyrics(here.lines, found.lines).map(({ is, mine, found: other }, i) => (
            <tr key={i} data-is={is}>
              <td>{told(mine, here.synced)}</td>
              <td>{told(other, found.synced)}</td>
              <td class="hint">{t.pairs[is]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="lyrics-tools">
        <button type="button" class="button primary" onClick={use}>
          {t.useFound}
        </button>
        <button type="button" class="text-button" onClick={onClose}>
          {t.keepMine}
        </button>
      </div>
    </section>
  )
}
