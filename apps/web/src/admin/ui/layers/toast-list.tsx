import { useEffect, useMemo } from 'preact/hooks'
import { Icon } from '../../../ui/icons.tsx'
import { createStore, useStore } from '../../../ui/store.ts'
import { usePanel, useTexts } from '../../data/panel.ts'

/** Dialogs that are open, the newest last: what is outside the newest can be neither seen nor pressed. */
const openDialogs = createStore<readonly object[]>([])

/** The messages of the page; while a dialog is open, it shows them. */
export function PageToasts() {
  return useStore(openDialogs).length === 0 ? <ToastList /> : null
}

/** The messages within a dialog, for as long as it is the newest. */
export function DialogToasts() {
  const dialogs = useStore(openDialogs)
  const own = useMemo(() => ({}), [])
  useEffect(() => {
    openDialogs.set([...openDialogs.value, own])
    return () => openDialogs.set(openDialogs.value.filter((other) => other !== own))
  }, [own])
  return dialogs.at(-1) === own ? <ToastList /> : null
}

/** Messages, the newest at the bottom; failures interrupt a screen reader, the rest waits its turn. */
function ToastList() {
  const { toasts } = usePanel()
  const shown = useStore(toasts.shown)
  const t = useTexts()
  return (
    <section class="toasts" aria-label={t.messages}>
      {shown.map(({ id, is, text, action }) => (
        <div key={id} class="message" data-is={is} role={is === 'failed' ? 'alert' : 'status'}>
          <Icon name={is === 'failed' ? 'warning' : is === 'done' ? 'check' : 'message'} size={18} />
          <p>{text}</p>
          {action && (
            <button
              type="button"
              class="text-button"
              onClick={() => {
                toasts.dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="tool" onClick={() => toasts.dismiss(id)}>
            <Icon name="close" size={16} />
            <span class="unseen">{t.dismiss}</span>
          </button>
        </div>
      ))}
    </section>
  )
}
