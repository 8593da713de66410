import type { ComponentChildren } from 'preact'
import { trackLine } from '../../listener/format.ts'
import { failureText } from '../data/client.ts'
import { hrefOf, navigate } from '../data/location.ts'
import { useAdmin } from '../data/panel.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Badge } from '../ui/state/badge.tsx'
import { ProgressRing } from '../ui/state/progress-ring.tsx'
import type { Selection } from '../ui/table/selection.ts'
import { useAddTexts, useUploadQueue } from './add-context.ts'
import { TagForm } from './tag-form.tsx'
import { isFinished, isRunning, nameOf, type UploadItem } from './upload-item.ts'

/** One track on its way: what it is, how far it is, and what can be done with it. */
export function TrackRow({ item, selection }: { item: UploadItem; selection: Selection }) {
  const t = useAddTexts()
  const { stage } = item
  const known = stage.is === 'done' ? stage.track : (item.tags ?? item.uploaded)
  const name = known ? trackLine(known) : nameOf(item)
  return (
    <li class="add-row" data-stage={stage.is}>
      <span class="add-mark">
        {stage.is === 'done' ? (
          <label>
            <input
              type="checkbox"
              aria-label={t.choose(name)}
              checked={selection.ids.has(item.id)}
              onChange={() => selection.choose(item.id, { more: true })}
            />
          </label>
        ) : (
          <Mark item={item} />
        )}
      </span>
      <span class="add-name">
        <b>{known?.title || nameOf(item)}</b>
        {known?.artist && <span>{known.artist}</span>}
      </span>
      <Where item={item} />
      <ModeChoice item={item} name={name} />
      <span class="add-actions">
        <Actions item={item} name={name} />
      </span>
      {stage.is === 'ready' && <TagForm item={item} name={name} />}
    </li>
  )
}

/** In words: the stage, and why something failed. */
function Where({ item }: { item: UploadItem }) {
  const t = useAddTexts()
  const { locale } = useAdmin()
  const { stage, source } = item
  const isDownload = source.is === 'link' && stage.is === 'uploading'
  const percent = stage.is === 'uploading' && stage.part !== null ? ` ${Math.round(stage.part * 100)} %` : ''
  return (
    <span class="add-where">
      <span>
        {stage.is === 'failed'
          ? failureText(stage.error, locale)
          : (isDownload ? t.downloading : t.stages[stage.is]) + percent}
      </span>
      {stage.is === 'done' && (
        <Badge tone={stage.lyrics === 'none' ? 'plain' : 'light'}>{t.lyricsFound[stage.lyrics]}</Badge>
      )}
    </span>
  )
}

const icons: Record<UploadItem['stage']['is'], IconName> = {
  queued: 'more',
  checking: 'search',
  uploading: 'upload',
  waiting: 'warning',
  ready: 'edit',
  lyrics: 'lyrics',
  saving: 'library',
  done: 'check',
  duplicate: 'library',
  failed: 'warning',
  cancelled: 'close',
}

/** A ring that fills on the way, around what is being done. */
function Mark({ item: { stage } }: { item: UploadItem }) {
  const parts = { queued: 0, checking: 0.05, ready: 0.8, lyrics: 0.85, saving: 0.95, done: 1 }
  const part =
    stage.is === 'uploading' ? 0.05 + 0.75 * (stage.part ?? 0) : (parts as Record<string, number>)[stage.is]
  return (
    <ProgressRing part={part ?? 0} size={36}>
      <Icon name={icons[stage.is]} size={16} />
    </ProgressRing>
  )
}

/** Day or night; what is added already is moved with the bar below. */
function ModeChoice({ item, name }: { item: UploadItem; name: string }) {
  const t = useAddTexts()
  const queue = useUploadQueue()
  const isFixed = isRunning(item) || item.stage.is === 'done'
  const mode = item.stage.is === 'done' ? item.stage.track.mode : item.mode
  const content = (
    <>
      <Icon name={mode === 'day' ? 'sun' : 'moon'} size={16} />
      {t[mode]}
    </>
  )
  if (isFixed) return <span class="add-mode">{content}</span>
  return (
    <button
      type="button"
      class="add-mode"
      aria-label={t.modeOf(name, t[mode])}
      onClick={() => queue.setMode(item.id, mode === 'day' ? 'night' : 'day')}
    >
      {content}
    </button>
  )
}

function Actions({ item, name }: { item: UploadItem; name: string }): ComponentChildren {
  const t = useAddTexts()
  const queue = useUploadQueue()
  const { stage, id, check } = item
  if (stage.is === 'done') {
    const href = hrefOf('library', { sel: stage.track.id })
    return (
      <a
        class="tool"
        href={href}
        title={t.edit}
        aria-label={t.editSong(name)}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          navigate(href)
        }}
      >
        <Icon name="edit" size={18} />
      </a>
    )
  }
  if (isFinished(item))
    return (
      <button
        type="button"
        class="text-button"
        aria-label={t.againSong(name)}
        onClick={() => queue.retry(id)}
      >
        {t.again}
      </button>
    )
  const canHold = stage.is === 'queued' || stage.is === 'checking' || stage.is === 'uploading'
  return (
    <>
      {canHold && check !== 'approved' && (
        <button
          type="button"
          class="tool"
          title={t.hold}
          aria-label={t.holdSong(name)}
          aria-pressed={check === 'held'}
          onClick={() => queue.hold(id, check !== 'held')}
        >
          <Icon name="edit" size={18} />
        </button>
      )}
      <button type="button" class="tool" aria-label={t.cancelSong(name)} onClick={() => queue.cancel(id)}>
        <Icon name="close" size={18} />
      </button>
    </>
  )
}
