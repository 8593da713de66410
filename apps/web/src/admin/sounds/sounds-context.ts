import type { ClipFamily, Mode } from '@solstice/contracts'
import { call, upload } from '../data/client.ts'
import { useAdmin, usePanel, useToasts } from '../data/panel.ts'
import type { Intake } from '../intake/intake.ts'
import { leftOut, pickFiles } from '../intake/pick-files.ts'
import { type ClipUploads, createClipUploads } from './clip-uploads.ts'
import { families } from './family.ts'
import { readShape } from './sound-shape.ts'
import { type SoundsTexts, soundsTexts } from './texts.ts'

export const useSoundsTexts = (): SoundsTexts => soundsTexts[useAdmin().locale]

/** Uploads go on while another part is shown, for as long as the panel is open. */
const opened = new WeakMap<Intake, ClipUploads>()

export function useClipUploads(): ClipUploads {
  const { intake } = usePanel()
  const measure = async (bytes: Blob) => (await readShape(bytes))?.durationS ?? null
  const known = opened.get(intake) ?? createClipUploads({ call, upload, measure, closing: intake.closing })
  opened.set(intake, known)
  return known
}

const MAX_FILES = 30

/** Adds files as far as they fit, and says which were left out. */
export function useAddClips(
  family: ClipFamily,
  mode: Mode,
  isTrimmed: boolean,
): (files: readonly File[]) => void {
  const uploads = useClipUploads()
  const toasts = useToasts()
  const t = useSoundsTexts()
  return (files) => {
    const busy = uploads.items.value.filter(
      ({ stage }) => !['done', 'duplicate', 'failed'].includes(stage.is),
    )
    const room = MAX_FILES - busy.length
    const picked = pickFiles(files, room, families[family].maxBytes)
    const left = leftOut(picked, t)
    if (left) toasts.show({ is: 'failed', text: left })
    uploads.add(family, mode, picked.taken, isTrimmed)
  }
}
