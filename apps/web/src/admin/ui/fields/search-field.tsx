import './fields.css'
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { isPressed } from '../../data/keys.ts'
import { useTexts } from '../../data/panel.ts'
import { Icon } from '../icon.tsx'

/** A search that filters while one types; Escape empties it. */
export function SearchField(props: {
  label: string
  value: string
  onValue: (value: string) => void
  /** Reached from elsewhere, such as by the key `/`. */
  field?: RefObject<HTMLInputElement | null>
  placeholder?: string
}) {
  const { label, value, onValue, field, placeholder = label } = props
  const t = useTexts()
  /** Emptied with Escape: the key that reaches the field means that again, and is no text yet. */
  const isEmptied = useRef(false)
  return (
    <span class="search-field">
      <Icon name="search" size={18} />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          isEmptied.current = false
          onValue(event.currentTarget.value)
        }}
        onKeyDown={(event) => {
          const isEmpty = !event.currentTarget.value
          if (isEmptied.current && isEmpty && field && isPressed(event, '/')) event.preventDefault()
          if (event.key !== 'Escape') return
          isEmptied.current = true
          if (value) event.stopPropagation()
          onValue('')
        }}
      />
      {value && (
        <button type="button" class="tool" onClick={() => onValue('')}>
          <Icon name="close" size={16} />
          <span class="unseen">{t.clear}</span>
        </button>
      )}
    </span>
  )
}
