import { createStore, type Store } from '../../ui/store.ts'

/** One message, with what can be done about it. */
export interface Toast {
  id: number
  is: 'done' | 'failed' | 'note'
  text: string
  /** The next step, or the way back. */
  action?: { label: string; run: () => void }
}

export interface Toasts {
  readonly shown: Store<readonly Toast[]>
  /** Shows a message; failures stay longer. Returns the function that takes it away. */
  show(toast: Omit<Toast, 'id'>, ms?: number): () => void
  /**
   * Does something in 5 s unless it is undone, for what the station can't undo. The panel's closing does it at once.
   */
  soon(text: string, undoLabel: string, run: () => void, undone?: () => void): void
  dismiss(id: number): void
  /** Presses the button of the newest message that has one. */
  act(): void
}

const SHOWN_MS = 5_000
const FAILED_MS = 10_000
const MOST = 4

export function createToasts(): Toasts {
  const shown = createStore<readonly Toast[]>([])
  let last = 0
  const dismiss = (id: number) => shown.set(shown.value.filter((toast) => toast.id !== id))
  const show: Toasts['show'] = (toast, ms = toast.is === 'failed' ? FAILED_MS : SHOWN_MS) => {
    const id = ++last
    // The same message again replaces the former.
    const others = shown.value.filter(({ text, is }) => text !== toast.text || is !== toast.is)
    shown.set([...others, { ...toast, id }].slice(-MOST))
    const timer = setTimeout(() => dismiss(id), ms)
    return () => {
      clearTimeout(timer)
      dismiss(id)
    }
  }
  return {
    shown,
    show,
    dismiss,
    act() {
      const newest = shown.value.findLast(({ action }) => action)
      if (!newest) return
      dismiss(newest.id)
      newest.action?.run()
    },
    soon(text, undoLabel, run, undone = () => {}) {
      let hide = () => {}
      const settle = (next: () => void) => {
        clearTimeout(timer)
        removeEventListener('pagehide', now)
        hide()
        next()
      }
      const now = () => settle(run)
      const timer = setTimeout(now, SHOWN_MS)
      addEventListener('pagehide', now)
      const action = { label: undoLabel, run: () => settle(undone) }
      hide = show({ is: 'note', text, action }, SHOWN_MS + 500)
    },
  }
}
