import type { LibraryRow } from '@solstice/contracts'
import { useState } from 'preact/hooks'
import { useNow } from '../../../ui/use-now.ts'
import { useAdmin } from '../../data/panel.ts'
import { useQuery } from '../../data/query.ts'
import { Dialog } from '../../ui/layers/dialog.tsx'
import { useLibraryTexts } from '../library-context.ts'
import { lineOf } from './results.tsx'

/** How long one has to look at the question before everything can be deleted. */
const GUARD_MS = 15_000
const NAMED = 5

/** Asks before tracks are deleted: which, how many more may be today, and longer when they are all there are. */
export function DeleteTracks(props: {
  ids: readonly string[]
  rows: readonly (LibraryRow | undefined)[]
  isEverything: boolean
  onDelete: () => void
  onClose: () => void
}) {
  const { ids, rows, isEverything, onDelete, onClose } = props
  const t = useLibraryTexts().bulk
  const { role } = useAdmin()
  const quota = useQuery(role === 'super_admin' ? null : 'GET /api/admin/song-editor/delete-quota')
  const left = quota.is === 'ready' ? quota.data.quota : null
  const isOver = left !== null && ids.length > left.remaining
  const [openedMs] = useState(Date.now)
  const nowMs = useNow(isEverything ? 250 : null)
  const waitS = isEverything ? Math.max(0, Math.ceil((openedMs + GUARD_MS - nowMs) / 1000)) : 0
  return (
    <Dialog
      title={t.deleteTitle(ids.length)}
      yes={waitS > 0 ? t.deleteIn(waitS) : t.delete}
      isYesDisabled={waitS > 0 || isOver}
      onYes={onDelete}
      onClose={onClose}
    >
      {isEverything && (
        <p class="lib-warning" role="alert">
          {t.deleteAll}
        </p>
      )}
      <ul class="lib-names">
        {ids.slice(0, NAMED).map((id) => (
          <li key={id}>{lineOf(id, rows)}</li>
        ))}
        {ids.length > NAMED && <li class="lib-note">{t.andMore(ids.length - NAMED)}</li>}
      </ul>
      <p class="lib-note">{t.deleteHint}</p>
      {left && (
        <p class={isOver ? 'lib-warning' : 'lib-note'}>
          {t.quota(left.remaining, left.limit)} {isOver && t.quotaOver}
        </p>
      )}
    </Dialog>
  )
}
