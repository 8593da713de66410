import type { LibraryRow, Mode } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { apiUrl } from '../../../api.ts'
import type { AccessRule } from '../../data/access.ts'
import { useAdmin, useDenial } from '../../data/panel.ts'
import { BulkBar } from '../../ui/table/bulk-bar.tsx'
import { isWhole, type TrackFilter } from '../filter.ts'
import { useLibraryTexts } from '../library-context.ts'
import type { ChosenTracks } from '../use-chosen-tracks.ts'
import { AddToGroup } from './add-to-group.tsx'
import { DeleteTracks } from './delete-tracks.tsx'
import { LyricsBatch } from './lyrics-batch.tsx'
import { Results } from './results.tsx'
import { useTrackBatch } from './use-track-batch.ts'

const MOST_DOWNLOADS = 20
/** Browsers drop downloads that begin at once. */
const BETWEEN_DOWNLOADS_MS = 400

const rules = {
  move: { allOf: ['editor_meta'], capabilities: ['moveTrackMode'] },
  lyrics: { allOf: ['editor_lyrics'] },
  group: { allOf: ['settings_groups'] },
  download: { allOf: ['editor_meta'] },
  delete: { allOf: ['editor_meta'], capabilities: ['deleteTracks'] },
} as const satisfies Record<string, AccessRule>

interface Props {
  chosen: ChosenTracks
  filter: TrackFilter
  /** Rows that match the filter. */
  total: number
  rows: readonly (LibraryRow | undefined)[]
}

/** Actions on the chosen tracks. */
export function BulkActions({ chosen, filter, total, rows }: Props) {
  const t = useLibraryTexts().bulk
  const [layer, setLayer] = useState<'delete' | 'lyrics' | 'group' | null>(null)
  const batch = useTrackBatch(chosen)
  const ids = [...chosen.ids]
  const mode = modeOf(ids)
  const close = () => setLayer(null)
  const target = mode === 'day' ? 'night' : 'day'
  const isEverything = isWhole(filter) && ids.length > 0 && ids.length >= total
  return (
    <>
      <BulkBar selection={chosen}>
        {chosen.isAsking ? (
          <span role="status">{t.asking}</span>
        ) : batch.state.is === 'running' ? (
          <Running {...batch.state} onStop={batch.stop} />
        ) : (
          <>
            <Action
              rule={rules.move}
              label={mode ? t.moveTo[target] : t.move}
              why={mode ? null : t.oneMode}
              run={() => batch.move(ids, target)}
            />
            <Action rule={rules.lyrics} label={t.lyrics} run={() => setLayer('lyrics')} />
            <Action
              rule={rules.group}
              label={t.group}
              why={mode ? null : t.oneMode}
              run={() => setLayer('group')}
            />
            <Action
              rule={rules.download}
              label={t.download}
              why={ids.length > MOST_DOWNLOADS ? t.tooMany(MOST_DOWNLOADS) : null}
              run={() => download(ids)}
            />
            <Action rule={rules.delete} label={t.delete} run={() => setLayer('delete')} />
            {ids.length < total && (
              <button type="button" class="text-button" onClick={chosen.chooseAll}>
                {t.all(total)}
              </button>
            )}
          </>
        )}
      </BulkBar>
      {layer === 'delete' && (
        <DeleteTracks {...{ ids, rows, isEverything }} onClose={close} onDelete={() => batch.delete(ids)} />
      )}
      {layer === 'lyrics' && <LyricsBatch ids={ids} rows={rows} onClose={close} />}
      {layer === 'group' && mode && (
        <AddToGroup ids={ids} mode={mode} onClose={close} onAdded={chosen.clear} />
      )}
      {batch.failed && (
        <Results title={t.notDoneTitle} items={batch.failed} rows={rows} onClose={batch.forget} />
      )}
    </>
  )
}

interface ActionProps {
  rule: AccessRule
  label: string
  /** Why it can't be done with what is chosen. */
  why?: string | null
  run: () => void
}

/** Greyed with its reason where it can't be used, absent where the station doesn't have it. */
function Action({ rule, label, why = null, run }: ActionProps) {
  const { verdict } = useAdmin()
  const denialOf = useDenial()
  const found = verdict(rule)
  if (found.is === 'hidden') return null
  const reason = found.is === 'denied' ? denialOf(found) : why
  return (
    <button
      type="button"
      class="button"
      aria-disabled={reason !== null}
      title={reason ?? undefined}
      onClick={() => reason === null && run()}
    >
      {label}
    </button>
  )
}

function Running(props: { action: 'move' | 'delete'; done: number; total: number; onStop: () => void }) {
  const { action, done, total, onStop } = props
  const t = useLibraryTexts()
  return (
    <>
      <progress max={total} value={done} aria-label={t.bulk.working[action]} />
      <span role="status">
        {t.bulk.working[action]} {t.number(done)} / {t.number(total)}
      </span>
      <button type="button" class="text-button" onClick={onStop}>
        {t.bulk.stop}
      </button>
    </>
  )
}

/** The mode of all tracks, which their ids begin with; null when they are of both. */
function modeOf(ids: readonly string[]): Mode | null {
  const has = (mode: Mode) => ids.some((id) => id.startsWith(`${mode}/`))
  return has('day') ? (has('night') ? null : 'day') : has('night') ? 'night' : null
}

async function download(ids: readonly string[]): Promise<void> {
  for (const songId of ids) {
    const link = document.createElement('a')
    link.href = apiUrl('/api/admin/song-editor/download', { songId })
    link.download = ''
    link.click()
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS_MS))
  }
}
