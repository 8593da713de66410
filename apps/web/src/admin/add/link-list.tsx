import { useState } from 'preact/hooks'
import type { ReplyOf } from '../data/routes.ts'
import { useAddTexts } from './add-context.ts'
import type { Source } from './upload-item.ts'

/** The tracks of a playlist, of which some are taken. */
export function LinkList(props: {
  playlist: ReplyOf<'POST /api/admin/video-track-info'>
  onAdd: (sources: Source[]) => void
}) {
  const { tracks, total, truncated } = props.playlist
  const t = useAddTexts()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(tracks.map(({ url }) => url)))
  const toggle = (url: string) => {
    const next = new Set(chosen)
    if (!next.delete(url)) next.add(url)
    setChosen(next)
  }
  const add = () =>
    props.onAdd(
      tracks.filter(({ url }) => chosen.has(url)).map(({ url, title }) => ({ is: 'link', url, title })),
    )
  return (
    <div class="add-list">
      <p role="status">{t.found(tracks.length, total)}</p>
      {truncated && <p class="hint">{t.truncated(tracks.length)}</p>}
      <div class="add-buttons">
        <button
          type="button"
          class="text-button"
          onClick={() => setChosen(new Set(tracks.map(({ url }) => url)))}
        >
          {t.all}
        </button>
        <button type="button" class="text-button" onClick={() => setChosen(new Set())}>
          {t.none}
        </button>
      </div>
      <ul>
        {tracks.map(({ url, title }) => (
          <li key={url}>
            <label class="switch">
              <input type="checkbox" checked={chosen.has(url)} onChange={() => toggle(url)} />
              <span>{title}</span>
            </label>
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="button primary"
        aria-disabled={!chosen.size}
        onClick={() => chosen.size && add()}
      >
        {t.addChosen(chosen.size)}
      </button>
    </div>
  )
}
