import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  class: string
  label: string
  onClose: () => void
  children: ComponentChildren
}

/** A modal sheet: Escape and a press outside close it, and the focus goes back to where it was. */
export function Sheet({ class: name, label, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
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
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      {children}
    </dialog>
  )
}

/** Closes the sheet in which something was pressed. */
export const closeSheet = (event: Event): void =>
  (event.currentTarget as HTMLElement).closest('dialog')?.close()
