import './layers.css'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { closeSheet, Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useTexts } from '../../data/panel.ts'
import { DialogToasts } from './toast-list.tsx'

/** A question with its answers. For one press beside a button, `Confirm` is lighter; never open it above a drawer. */
export function Dialog(props: {
  title: string
  yes: string
  isYesDisabled?: boolean
  onYes: () => void
  onClose: () => void
  children: ComponentChildren
}) {
  const { title, yes, isYesDisabled = false, onYes, onClose, children } = props
  const t = useTexts()
  const form = useRef<HTMLFormElement>(null)
  return (
    <Sheet class="question" label={title} onClose={onClose}>
      <SheetHead title={title} close={t.close} />
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isYesDisabled) return
          onYes()
          form.current?.closest('dialog')?.close()
        }}
      >
        <div class="question-body">{children}</div>
        <div class="drawer-actions">
          <button type="submit" class="button primary" aria-disabled={isYesDisabled}>
            {yes}
          </button>
          <button type="button" class="text-button" onClick={closeSheet}>
            {t.cancel}
          </button>
        </div>
      </form>
      <DialogToasts />
    </Sheet>
  )
}
