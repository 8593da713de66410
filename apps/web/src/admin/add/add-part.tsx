import './add.css'
import { useState } from 'preact/hooks'
import { readStored, writeStored } from '../../ui/browser-storage.ts'
import { useStore } from '../../ui/store.ts'
import { useKeys } from '../data/keys.ts'
import { useUrlState } from '../data/location.ts'
import { useDroppedFiles } from '../intake/use-dropped-files.ts'
import { FileDrop } from '../ui/fields/file-drop.tsx'
import { Tabs } from '../ui/fields/tabs.tsx'
import { useAddFiles, useAddTexts, useUploadQueue } from './add-context.ts'
import { LinkSource } from './link-source.tsx'
import { TrackRows } from './track-rows.tsx'
import { type Review, reviews, type UploadItem } from './upload-item.ts'

const MODE = 'admin_add_mode'

/** New tracks: files or video links on the left, their way into the library on the right. */
export function AddPart() {
  const t = useAddTexts()
  const queue = useUploadQueue()
  const [tab, setTab] = useUrlState('from', 'files')
  const [mode, setMode] = useState<UploadItem['mode']>(readStored(MODE) === 'night' ? 'night' : 'day')
  const addFiles = useAddFiles(mode)
  useDroppedFiles(t.dropAnywhere, (files) => addFiles(files))
  useKeys(t.title, [
    {
      key: 'f',
      label: t.keyChoose,
      run: () => document.querySelector<HTMLElement>('.add-part input[type=file]')?.click(),
    },
  ])
  const chosen = tab === 'links' ? 'links' : 'files'
  const tabs = [
    { id: 'files', title: t.files },
    { id: 'links', title: t.links },
  ]
  return (
    <div class="add-part">
      <h1 class="unseen">{t.title}</h1>
      <div class="add-sources">
        <Tabs label={t.sources} tabs={tabs} chosen={chosen} onChoose={(id) => setTab(id, { replace: true })}>
          {chosen === 'files' ? (
            <FileDrop label={t.drop} hint={t.dropHint} accept="audio/mpeg,.mp3" multiple onFiles={addFiles} />
          ) : (
            <LinkSource onLinks={(sources) => queue.add(sources, mode)} />
          )}
        </Tabs>
        <Choices
          mode={mode}
          onMode={(next) => {
            writeStored(MODE, next)
            setMode(next)
          }}
        />
      </div>
      <TrackRows />
    </div>
  )
}

/** Choices for the tracks that are added next. */
function Choices({ mode, onMode }: { mode: UploadItem['mode']; onMode: (mode: UploadItem['mode']) => void }) {
  const t = useAddTexts()
  const queue = useUploadQueue()
  const review = useStore(queue.review)
  return (
    <div class="add-choices">
      <fieldset class="choices">
        <legend>{t.mode}</legend>
        {(['day', 'night'] as const).map((name) => (
          <label key={name}>
            <input type="radio" name="mode" checked={mode === name} onChange={() => onMode(name)} />
            {t[name]}
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>{t.review}</span>
        <select
          value={review}
          onChange={({ currentTarget }) => queue.review.set(currentTarget.value as Review)}
        >
          {reviews.map((name) => (
            <option key={name} value={name}>
              {t.reviews[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
