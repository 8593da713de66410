import type { LibraryRow } from '@solstice/contracts'
import { trackLine } from '../../../listener/format.ts'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { useLibraryTexts } from '../library-context.ts'
import type { FailedTrack } from './use-track-batch.ts'

/** Tracks that could not be changed, each with its reason. */
export function Results(props: {
  title: string
  items: readonly FailedTrack[]
  rows: readonly (LibraryRow | undefined)[]
  onClose: () => void
}) {
  const { title, items, rows, onClose } = props
  const t = useLibraryTexts()
  return (
    <Drawer title={title} onClose={onClose}>
      <ul class="lib-results">
        {items.map(({ songId, error }) => (
          <li key={songId}>
            <span>{lineOf(songId, rows)}</span>
            <span class="lib-note">{t.failures[error] ?? t.otherFailure(error)}</span>
          </li>
        ))}
      </ul>
    </Drawer>
  )
}

/** Title and artist of a track, or the name of its file when its row is not loaded. */
export function lineOf(id: string, rows: readonly (LibraryRow | undefined)[]): string {
  const row = rows.find((one) => one?.id === id)
  return row ? trackLine(row) : id.replace(/^\w+\//, '').replace(/\.mp3$/i, '')
}
