import { useToasts } from '../data/panel.ts'
import { useStationTexts } from './texts.ts'

/** Copies a text. Where the browser doesn't let it, the text can be selected by hand. */
export function CopyButton({ text, about }: { text: string; about?: string }) {
  const t = useStationTexts()
  const toasts = useToasts()
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toasts.show({ is: 'done', text: t.copied }),
      () => toasts.show({ is: 'failed', text: t.notCopied }),
    )
  return (
    <button
      type="button"
      class="button"
      aria-label={about ? `${t.copy}: ${about}` : undefined}
      onClick={() => void (navigator.clipboard ? copy() : toasts.show({ is: 'failed', text: t.notCopied }))}
    >
      {t.copy}
    </button>
  )
}
