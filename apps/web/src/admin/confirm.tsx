import './confirm.css'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A button that asks for confirmation in its own place. Escape, or moving the focus away, means no. */
export function Confirm(props: {
  label: string
  /** The person or thing concerned, for screen readers. */
  about?: string
  sure: string
  yes: string
  no: string
  onYes: () => void
}) {
  const { label, about, sure, yes, no, onYes } = props
  const [isAsked, setAsked] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const refusal = useRef<HTMLButtonElement>(null)
  const goesBack = useRef(false)
  useLayoutEffect(() => {
    if (isAsked) refusal.current?.focus()
    else if (goesBack.current) opener.current?.focus()
    goesBack.current = false
  }, [isAsked])
  const refuse = () => {
    goesBack.current = true
    setAsked(false)
  }
  const name = about ? `${label}: ${about}` : label
  if (!isAsked)
    return (
      <button type="button" class="plain" ref={opener} aria-label={name} onClick={() => setAsked(true)}>
        {label}
      </button>
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <span
      class="confirm"
      role="group"
      aria-label={about ? `${about}. ${sure}` : sure}
      onKeyDown={(event) => event.key === 'Escape' && refuse()}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        // In some browsers a press moves the focus nowhere; that is no answer.
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setAsked(false)
      }}
    >
      <span>{sure}</span>
      <button
        type="button"
        class="button"
        onClick={() => {
          refuse()
          onYes()
        }}
      >
        {yes}
      </button>
      <button type="button" class="plain" ref={refusal} onClick={refuse}>
        {no}
      </button>
    </span>
  )
}
