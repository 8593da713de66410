import { useToasts } from '../../data/panel.ts'

/** Copies a text. Where the browser doesn't let it, the text can be selected by hand. */
export function CopyButton(props: {
  text: string
  about?: string | undefined
  words: { copy: string; copied: string; notCopied: string }
}) {
  const { text, about, words } = props
  const toasts = useToasts()
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => toasts.show({ is: 'done', text: words.copied }),
      () => toasts.show({ is: 'failed', text: words.notCopied }),
    )
  return (
    <button
      type="button"
      class="button"
      aria-label={about ? `${words.copy}: ${about}` : undefined}
      onClick={() =>
        void (navigator.clipboard ? copy() : toasts.show({ is: 'failed', text: words.notCopied }))
      }
    >
      {words.copy}
    </button>
  )
}
