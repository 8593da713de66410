import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

const TOAST_MS = 6000

/** A sentence that is shown and told for some seconds; put the element where it belongs. */
export function useToast(): [toast: ComponentChildren, say: (text: string) => void] {
  const [text, setText] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const say = (next: string) => {
    clearTimeout(timer.current)
    setText(next)
    timer.current = setTimeout(() => setText(''), TOAST_MS)
  }
  const toast = (
    <span key="toast" class="toast" role="status" data-shown={text !== ''}>
      {text}
    </span>
  )
  return [toast, say]
}
