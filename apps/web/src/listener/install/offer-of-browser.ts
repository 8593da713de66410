import { createStore } from '../../ui/store.ts'

/** What a browser gives to pages that it can install. */
export interface InstallEvent extends Event {
  prompt(): Promise<unknown>
}

/** The browser's offer to install the station; null while there is none, or when it was taken. */
export const installation = createStore<InstallEvent | null>(null)

/** Keeps the browser's offer for the right moment. */
export function keepInstallation(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    installation.set(event as InstallEvent)
  })
  addEventListener('appinstalled', () => installation.set(null))
}
