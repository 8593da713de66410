import './sheet.css'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'

interface Props {
  class: string
  label: string
  onClose: () => void
  children: ComponentChildren
}

/** A modal sheet: Escape and a press that begins and ends outside close it, and the focus returns to where it was. */
export function Sheet({ class: name, label, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Marking a text may begin in a field and end outside, which is a click on the dialog.
  const beganOutside = useRef(false)
  // A sheet that is seen before it is modal would leave the keys to the page.
  useLayoutEffect(() => {
    const opener = document.activeElement
    // Typed as if every browser had it.
    if ('showModal' in dialog.current!) dialog.current.showModal()
    else void import('./stand-in.ts').then(({ standIn }) => dialog.current && standIn(dialog.current))
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press outside closes; the keyboard has Escape and the button
    <dialog
      ref={dialog}
      class={`sheet ${name}`}
      aria-label={label}
      onClose={onClose}
      onPointerDown={(event) => {
        beganOutside.current = isOutside(event)
      }}
      onClick={(event) => beganOutside.current && isOutside(event) && event.currentTarget.close()}
    >
      {children}
    </dialog>
  )
}

/** True for an event on what lies behind the dialog that listens. */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = (currentTarget as HTMLElement).getBoundingClientRect()
  const isWithin = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom
  return target === currentTarget && !isWithin
}

/** The title of a sheet and the button that closes it. */
export function SheetHead({ title, close }: { title: string; close: string }) {
  return (
    <div class="sheet-head">
      <h2 tabIndex={-1}>{title}</h2>
      <button type="button" class="tool" onClick={closeSheet}>
        <Icon name="close" />
        <span class="unseen">{close}</span>
      </button>
    </div>
  )
}

/** Closes the sheet that the event comes from. */
export const closeSheet = (event: Event): void =>
  (event.currentTarget as HTMLElement).closest('dialog')?.close()
