import { useEffect } from 'preact/hooks'
import { call, failureText, upload } from '../data/client.ts'
import { type Panel, useAdmin, usePanel, useToasts } from '../data/panel.ts'
import type { Intake } from '../intake/intake.ts'
import { leftOut, pickFiles } from '../intake/pick-files.ts'
import { type AddTexts, addTexts } from './texts.ts'
import { isFinished, MAX_BYTES, MAX_ITEMS, type Source, type UploadItem } from './upload-item.ts'
import { createUploadQueue, type UploadQueue } from './upload-queue.ts'

export const useAddTexts = (): AddTexts => addTexts[useAdmin().locale]

const RETRY_MS = 5_000

/** One queue for as long as the panel is open, and the language in which it speaks. */
const opened = new WeakMap<Intake, { queue: UploadQueue; locale: Panel['locale'] }>()

export function useUploadQueue(): UploadQueue {
  const panel = usePanel()
  const { intake, locale } = panel
  const known = opened.get(intake) ?? { queue: openQueue(panel), locale }
  opened.set(intake, known)
  known.locale = locale
  return known.queue
}

function openQueue({ intake, toasts, connection }: Panel): UploadQueue {
  const localeNow = () => opened.get(intake)?.locale ?? 'uk'
  const queue = createUploadQueue({
    call,
    upload,
    progress: intake.progress,
    isOnline: () => connection.link.value === 'online',
    retryMs: RETRY_MS,
    closing: intake.closing,
    failed: (error) => toasts.show({ is: 'failed', text: failureText(error, localeNow()) }),
    artistsRemoved(artists) {
      const names = artists.map(({ artist }) => artist).join(', ')
      if (names) toasts.show({ is: 'note', text: addTexts[localeNow()].artistsRemoved(names) })
    },
  })
  connection.onConnect(queue.resume)
  connection.on('job_progress', ({ name, state, done, total }) => {
    if (name === 'import-video' && state === 'running' && total > 0) queue.downloaded(done / total)
  })
  return queue
}

/** Adds files as far as they fit, and says which were left out. */
export function useAddFiles(mode: UploadItem['mode']): (files: readonly File[]) => void {
  const { intake } = usePanel()
  const toasts = useToasts()
  const queue = useUploadQueue()
  const t = useAddTexts()
  const add = (files: readonly File[]) => {
    const unfinished = queue.items.value.filter((item) => item.source.is === 'file' && !isFinished(item))
    const room = MAX_ITEMS - unfinished.length
    const picked = pickFiles(files, room, MAX_BYTES)
    const left = leftOut(picked, t)
    if (left) toasts.show({ is: 'failed', text: left })
    queue.add(
      picked.taken.map((file): Source => ({ is: 'file', file })),
      mode,
    )
  }
  useEffect(() => {
    const { value } = intake.waiting
    intake.waiting.set([])
    if (value.length) add(value)
  }, [])
  return add
}
