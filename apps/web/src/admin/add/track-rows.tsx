import { useStore } from '../../ui/store.ts'
import { Confirm } from '../confirm.tsx'
import { useSelection } from '../ui/table/selection.ts'
import { useAddTexts, useUploadQueue } from './add-context.ts'
import { AddedBar } from './added-bar.tsx'
import { TrackRow } from './track-row.tsx'
import { isFinished, type UploadItem } from './upload-item.ts'

/** The tracks of this window, each with where it is on its way. */
export function TrackRows() {
  const t = useAddTexts()
  const queue = useUploadQueue()
  const items = useStore(queue.items)
  const added = items.filter(({ stage }) => stage.is === 'done').map(({ id }) => id)
  const selection = useSelection(added)
  if (!items.length)
    return (
      <section class="add-queue state">
        <p>
          <b>{t.emptyTitle}</b>
        </p>
        <p>{t.empty}</p>
      </section>
    )
  return (
    <section class="add-queue">
      <Head items={items} onChooseAll={added.length > 1 ? selection.chooseAll : null} />
      <ul class="add-rows">
        {items.map((item) => (
          <TrackRow key={item.id} item={item} selection={selection} />
        ))}
      </ul>
      <AddedBar selection={selection} />
    </section>
  )
}

function Head({ items, onChooseAll }: { items: readonly UploadItem[]; onChooseAll: (() => void) | null }) {
  const t = useAddTexts()
  const queue = useUploadQueue()
  const finished = items.filter(isFinished).length
  const ready = items.filter(({ stage }) => stage.is === 'ready')
  const isBusy = finished < items.length
  return (
    <>
      <div class="add-head">
        <h2>{t.queue}</h2>
        <p role="status">{t.finishedOf(finished, items.length)}</p>
        {ready.length > 1 && (
          <button
            type="button"
            class="button primary"
            onClick={() => {
              for (const { id } of ready) queue.approve(id)
            }}
          >
            {t.saveAll(ready.length)}
          </button>
        )}
        {onChooseAll && (
          <button type="button" class="text-button" onClick={onChooseAll}>
            {t.chooseAll}
          </button>
        )}
        {finished > 0 && (
          <button type="button" class="text-button" onClick={queue.clear}>
            {t.clear}
          </button>
        )}
        {isBusy && <Confirm label={t.stop} sure={t.sureStop} yes={t.yesStop} no={t.no} onYes={queue.stop} />}
      </div>
      <progress class="add-progress" value={finished} max={items.length} aria-label={t.queue} />
    </>
  )
}
