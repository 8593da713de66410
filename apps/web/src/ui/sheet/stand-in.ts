/** Opens a dialog over the page in browsers that know none: with the focus in it, closed by Escape. */
export function standIn(dialog: HTMLDialogElement): void {
  dialog.setAttribute('open', '')
  dialog.setAttribute('role', 'dialog')
  dialog.setAttribute('aria-modal', 'true')
  dialog.classList.add('stand-in')
  dialog.close = () => {
    dialog.removeAttribute('open')
    dialog.dispatchEvent(new Event('close'))
  }
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') dialog.close()
  })
  const first = dialog.querySelector<HTMLElement>('[autofocus]') ?? dialog.querySelector('h2, button')
  if (first instanceof HTMLElement) first.focus()
}
