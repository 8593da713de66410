import './sheet.css'
import type { ComponentChildren } from 'preact'
import { useStore } from '../../ui/store.ts'
import type { StoredChoice } from './stored-choice.ts'

export function PreferenceSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="preference-section">
      <h3>{title}</h3>
      {children}
    </section>
  )
}

interface ChoiceProps<T extends string> {
  /** Of the group of radio buttons; unique within the page. */
  name: string
  title: string
  hint?: string
  of: StoredChoice<T>
  labels: Record<T, string>
}

/** A choice between a few options that stand side by side. */
export function Choice<T extends string>({ name, title, hint, of, labels }: ChoiceProps<T>) {
  const chosen = useStore(of)
  return (
    <fieldset class="choice" aria-describedby={hint && `${name}-hint`}>
      <legend>{title}</legend>
      <div class="choice-options">
        {of.choices.map((choice) => (
          <label key={choice}>
            <input type="radio" name={name} checked={choice === chosen} onChange={() => of.set(choice)} />
            <span>{labels[choice]}</span>
          </label>
        ))}
      </div>
      {hint && (
        <p class="nothing" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </fieldset>
  )
}
