import { useStore } from '../../ui/store.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import { accent } from './preferences.ts'

/** The station's own accent; day and night each make it legible. */
const SUGGESTED = '#8a4b08'

/** The colour of the light, the rings and the marks. */
export function AccentField() {
  const p = useSheetTexts().preferences.accent
  const colour = useStore(accent)
  return (
    <fieldset class="choice" aria-describedby="accent-hint">
      <legend>{p.title}</legend>
      <div class="accent">
        <input
          type="color"
          aria-label={p.title}
          value={colour || SUGGESTED}
          onChange={(event) => accent.set(event.currentTarget.value)}
        />
        {colour && (
          <button type="button" class="text-button" onClick={() => accent.set('')}>
            {p.reset}
          </button>
        )}
      </div>
      <p class="nothing" id="accent-hint">
        {p.hint}
      </p>
    </fieldset>
  )
}
