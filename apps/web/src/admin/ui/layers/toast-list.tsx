import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { createStore, useStore } from '../../../ui/store.ts'
import { usePanel, useTexts } from '../../data/panel.ts'
import { Icon } from '../icon.tsx'

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
  const { list, entered, left } = useFocusBack(shown)
  return (
    <section class="toasts" aria-label={t.messages} ref={list} onFocusIn={entered} onFocusOut={left}>
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

/** Where the focus goes when the message that has it disappears: to where it was before, else to the dialog or the part. */
function useFocusBack(shown: readonly object[]) {
  const list = useRef<HTMLElement>(null)
  const before = useRef<Element | null>(null)
  const isInside = useRef(false)
  useLayoutEffect(() => {
    const { activeElement } = document
    if (!isInside.current || (activeElement && activeElement !== document.body)) return
    isInside.current = false
    const back = before.current?.isConnected ? before.current : null
    const around = list.current?.closest('dialog') ?? document.getElementById('part')
    ;((back ?? around) as HTMLElement | null)?.focus({ preventScroll: true })
  }, [shown])
  return {
    list,
    entered({ relatedTarget }: FocusEvent) {
      if (!isInside.current) before.current = relatedTarget as Element | null
      isInside.current = true
    },
    /** The focus of an element that is taken away goes nowhere. */
    left({ relatedTarget }: FocusEvent) {
      if (relatedTarget && !list.current?.contains(relatedTarget as Node)) isInside.current = false
    },
  }
}
