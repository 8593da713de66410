import './fields.css'
import { useId } from 'preact/hooks'

/** A labelled input with its hint, and with the error that screen readers hear when it appears. */
export function Field(props: {
  label: string
  hint?: string
  error?: string | null
  value: string
  onValue: (value: string) => void
  type?: 'text' | 'password' | 'number' | 'time' | 'date' | 'url' | 'email'
  autocomplete?: string
  placeholder?: string
  required?: boolean
  disabled?: boolean
  readOnly?: boolean
  min?: number | string
  max?: number | string
  step?: number | string
  maxLength?: number
}) {
  const { label, hint, error, value, onValue, type = 'text', ...input } = props
  const id = useId()
  return (
    <div class="field" data-wrong={Boolean(error)}>
      <label for={id}>{label}</label>
      <input
        {...input}
        type={type as 'text'}
        id={id}
        value={value}
        aria-invalid={Boolean(error)}
        aria-describedby={`${id}-about`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <p id={`${id}-about`} class="field-about" data-wrong={Boolean(error)} aria-live="polite">
        {error || hint}
      </p>
    </div>
  )
}
