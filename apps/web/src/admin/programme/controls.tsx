import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { Field } from '../ui/fields/field.tsx'
import { useProgrammeTexts } from './texts.ts'

export function Switch(props: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
  isDisabled?: boolean
  hint?: string | undefined
}) {
  const { label, isOn, onChange, isDisabled = false, hint } = props
  const id = useId()
  return (
    <div>
      <label class="switch">
        <input
          type="checkbox"
          checked={isOn}
          disabled={isDisabled}
          aria-describedby={hint ? id : undefined}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
      {hint && (
        <p id={id} class="hint switch-hint">
          {hint}
        </p>
      )}
    </div>
  )
}

/** A whole number within bounds. What is outside is said at once; what is no number is put back on leaving the field. */
export function NumberField(props: {
  label: string
  value: number
  min: number
  max: number
  hint?: string
  disabled?: boolean
  onValue: (value: number) => void
}) {
  const { label, value, min, max, hint, disabled = false, onValue } = props
  const t = useProgrammeTexts()
  const [text, setText] = useState(String(value))
  useEffect(() => setText(String(value)), [value])
  const about = hint ?? t.from(min, max)
  const isWrong = !/^\d+$/.test(text) || Number(text) < min || Number(text) > max
  return (
    <div class="number-field" onFocusOut={() => !/^\d+$/.test(text) && setText(String(value))}>
      <Field
        type="number"
        label={label}
        hint={about}
        error={!disabled && isWrong ? about : null}
        value={text}
        min={min}
        max={max}
        disabled={disabled}
        onValue={(next) => {
          setText(next)
          if (/^\d{1,9}$/.test(next)) onValue(Number(next))
        }}
      />
    </div>
  )
}

/** One of a few. */
export function Choices<T extends string | number>(props: {
  label: string
  options: readonly { value: T; label: ComponentChildren }[]
  chosen: T
  onChoose: (value: T) => void
  isDisabled?: boolean
}) {
  const { label, options, chosen, onChoose, isDisabled = false } = props
  const name = useId()
  return (
    <fieldset class="choices choices-row" disabled={isDisabled}>
      <legend>{label}</legend>
      {options.map(({ value, label }) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => onChoose(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
