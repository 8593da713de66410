import type { Mode } from '@solstice/contracts'
import { useStore } from '../../ui/store.ts'
import { Confirm } from '../confirm.tsx'
import { useCommand } from '../data/commands.ts'
import { useAdmin, useToasts } from '../data/panel.ts'
import type { ReplyOf } from '../data/routes.ts'
import { BulkBar } from '../ui/table/bulk-bar.tsx'
import type { Selection } from '../ui/table/selection.ts'
import { useAddTexts, useUploadQueue } from './add-context.ts'

type Outcome = ReplyOf<'POST /api/admin/upload-batch-move'>

/** Actions on chosen tracks that were just added. */
export function AddedBar({ selection }: { selection: Selection }) {
  const t = useAddTexts()
  const { may } = useAdmin()
  const queue = useUploadQueue()
  const items = useStore(queue.items)
  const say = useOutcome()
  const moving = useCommand('POST /api/admin/upload-batch-move', { success: '' })
  const deleting = useCommand('POST /api/admin/upload-batch-delete', { success: '' })
  const chosen = items.flatMap(({ id, stage }) =>
    stage.is === 'done' && selection.ids.has(id) ? [{ id, track: stage.track }] : [],
  )
  const move = async (targetMode: Mode) => {
    const there = chosen.filter(({ track }) => track.mode !== targetMode)
    const reply = await moving.run({ body: { songIds: there.map(({ track }) => track.id), targetMode } })
    if (!reply) return
    for (const { songId, ok, track } of reply.results) {
      const moved = there.find((one) => one.track.id === songId)
      if (!ok || !track || !moved) continue
      queue.change(moved.id, (item) =>
        item.stage.is === 'done' ? { ...item, stage: { ...item.stage, track } } : item,
      )
    }
    say(reply, t.moved)
  }
  const remove = async () => {
    const reply = await deleting.run({ body: { songIds: chosen.map(({ track }) => track.id) } })
    if (!reply) return
    const gone = new Set(reply.results.filter(({ ok }) => ok).map(({ songId }) => songId))
    queue.forget(chosen.filter(({ track }) => gone.has(track.id)).map(({ id }) => id))
    say(reply, t.deleted)
  }
  const isBusy = moving.isBusy || deleting.isBusy
  return (
    <BulkBar selection={selection}>
      {may({ capabilities: ['moveTrackMode'] }) &&
        (['day', 'night'] as const).map(
          (mode) =>
            chosen.some(({ track }) => track.mode !== mode) && (
              <button
                key={mode}
                type="button"
                class="button"
                aria-disabled={isBusy}
                onClick={() => void move(mode)}
              >
                {t.moveTo[mode]}
              </button>
            ),
        )}
      {may({ capabilities: ['deleteTracks'] }) && (
        <Confirm
          label={t.delete}
          sure={t.sureDelete(chosen.length)}
          yes={t.delete}
          no={t.no}
          onYes={() => void remove()}
        />
      )}
    </BulkBar>
  )
}

/** Says how a batch went: what was done, what was refused and why, and which artists went with it. */
function useOutcome() {
  const t = useAddTexts()
  const toasts = useToasts()
  return ({ results, removedArtists }: Outcome, done: (count: number) => string) => {
    const count = (codes: readonly string[]) =>
      results.filter(({ ok, error }) => !ok && codes.includes(error ?? '')).length
    const fine = results.filter(({ ok }) => ok).length
    const locked = count(['TRACK_LOCKED'])
    const taken = count(['FILENAME_EXISTS'])
    const other = results.length - fine - locked - taken
    const parts = [
      fine && done(fine),
      locked && t.refusedLocked(locked),
      taken && t.refusedTaken(taken),
      other && t.refusedOther(other),
    ].filter(Boolean)
    toasts.show({ is: fine === results.length ? 'done' : 'failed', text: parts.join(' · ') })
    const names = removedArtists.map(({ artist }) => artist).join(', ')
    if (names) toasts.show({ is: 'note', text: t.artistsRemoved(names) })
  }
}
