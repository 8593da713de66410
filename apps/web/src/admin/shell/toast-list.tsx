import { Icon } from '../../ui/icons.tsx'
import { useStore } from '../../ui/store.ts'
import { usePanel, useTexts } from '../data/panel.ts'

/** Messages, the newest at the bottom; failures interrupt a screen reader, the rest waits its turn. */
export function ToastList() {
  const { toasts } = usePanel()
  const shown = useStore(toasts.shown)
  const t = useTexts()
  return (
    <section class="toasts" aria-label={t.messages}>
      {shown.map(({ id, is, text, action }) => (
        <div key={id} class="toast" data-is={is} role={is === 'failed' ? 'alert' : 'status'}>
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
