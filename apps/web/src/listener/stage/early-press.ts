/** Where a press on Listen leads while the page has no scripts yet: it stays in the address until they run. */
export const EARLY_PRESS = '#listen'

/** Starts the sound when Listen was pressed before the page could answer. */
export function honourEarlyPress(play: () => void): void {
  const honour = () => {
    if (location.hash !== EARLY_PRESS) return
    history.replaceState(history.state, '', location.pathname + location.search)
    // An address that was opened like this is no press.
    if (navigator.userActivation?.hasBeenActive ?? true) play()
  }
  addEventListener('hashchange', honour)
  honour()
}
