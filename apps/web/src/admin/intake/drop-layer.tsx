import './intake.css'
import { useEffect, useState } from 'preact/hooks'
import { useStore } from '../../ui/store.ts'
import { hrefOf, navigate } from '../data/location.ts'
import { useAdmin, usePanel, useTexts } from '../data/panel.ts'
import { parts } from '../parts.ts'
import { Icon } from '../ui/icon.tsx'

/** Takes files that are dropped anywhere, for the part that is shown or else for Add music. */
export function DropLayer() {
  const { intake } = usePanel()
  const { may } = useAdmin()
  const t = useTexts()
  const taker = useStore(intake.taker)
  const [isOver, setOver] = useState(false)
  const add = parts.find(({ id }) => id === 'add')
  const mayAdd = Boolean(add && may(add.access))
  useEffect(() => {
    const take = (files: File[]) => {
      if (taker) return taker.take(files)
      intake.waiting.set(files)
      navigate(hrefOf('add'))
    }
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || !(taker || mayAdd) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      setOver(true)
    }
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const dropped = (event: DragEvent) => {
      setOver(false)
      // A field of the part has taken them, or they are no files.
      if (event.defaultPrevented || !hasFiles(event) || !(taker || mayAdd)) return
      event.preventDefault()
      take([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', left)
    addEventListener('drop', dropped)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', left)
      removeEventListener('drop', dropped)
    }
  }, [intake, taker, mayAdd])
  if (!isOver) return null
  return (
    <div class="drop-layer" aria-hidden="true">
      <p>
        <Icon name="upload" size={28} />
        {taker?.label ?? t.dropToAdd}
      </p>
    </div>
  )
}

/** How many of the files being added are through, for the rail; nothing while there are none. */
export function IntakeCount() {
  const { intake } = usePanel()
  const t = useTexts()
  const progress = useStore(intake.progress)
  if (!progress) return null
  const { finished, total } = progress
  return (
    <em class="rail-count" title={t.adding(finished, total)}>
      <span class="unseen">{t.adding(finished, total)}</span>
      <span aria-hidden="true">
        {finished}/{total}
      </span>
    </em>
  )
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
