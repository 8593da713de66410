import './sheet.css'
import type { ComponentChildren } from 'preact'
import type { Texts } from '../../texts.ts'
import { Sheet, SheetHead } from '../../ui/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { preferences } from './preferences.ts'
import type { StoredChoice } from './stored-choice.ts'

/** What the listener prefers on this device, in sections. */
export function PreferencesSheet({ onClose }: { onClose: () => void }) {
  const { t } = useRadio()
  const p = t.preferences
  return (
    <Sheet class="side preferences" label={p.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={p.title} close={t.close} />
        <PreferenceSection title={p.look}>
          <Choice name="text-size" title={p.textSize} of={preferences.textSize} labels={percentages} />
          <Choice name="motion" title={p.motion.title} of={preferences.motion} labels={p.motion} />
          <Choice name="art" title={p.art.title} of={preferences.isArtHidden} labels={p.art} />
        </PreferenceSection>
        <PreferenceSection title={p.keyboard}>
          <Choice
            name="letter-keys"
            title={p.letterKeys.title}
            hint={p.letterKeys.hint}
            of={preferences.letterKeys}
            labels={p.letterKeys}
          />
          <Keys t={t} />
        </PreferenceSection>
        <p class="nothing">{p.stored}</p>
      </div>
    </Sheet>
  )
}

const percentages = { '100': '100 %', '125': '125 %', '150': '150 %', '200': '200 %' }

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

/** The keys and what they do. */
function Keys({ t }: { t: Texts }) {
  const areLettersOn = useStore(preferences.letterKeys) === 'on'
  return (
    <dl class="key-list">
      {t.keys.map(({ key, does, isLetter }) => (
        <div key={key} data-off={isLetter && !areLettersOn}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}
