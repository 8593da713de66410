import { useStore } from '../../ui/store.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import { accent } from './preferences.ts'

/** The station's own accent; day and night each make it legible. */
const SUGGESTED = '#8a4b08'

const kinds = ['station', 'cover', 'own'] as const
const colours = { station: '', cover: 'cover', own: SUGGESTED }

/** The colour of the light, the rings and the marks. */
export function AccentField() {
  const p = useSheetTexts().preferences.accent
  const colour = useStore(accent)
  const chosen = colour === '' ? 'station' : colour === 'cover' ? 'cover' : 'own'
  return (
    <fieldset class="choice" aria-describedby="accent-hint">
      <legend>{p.title}</legend>
      <div class="choice-options">
        {kinds.map((kind) => (
          <label key={kind}>
            <input
              type="radio"
              name="accent"
              checked={kind === chosen}
              onChange={() => accent.set(colours[kind])}
            />
            <span>{p[kind]}</span>
          </label>
        ))}
        {chosen === 'own' && (
          <input
            class="accent"
            type="color"
            aria-label={p.title}
            value={colour}
            onChange={(event) => accent.set(event.currentTarget.value)}
          />
        )}
      </div>
      <p class="nothing" id="accent-hint">
        {p.hint}
      </p>
    </fieldset>
  )
}
