import { useSheetTexts } from '../sheets/texts.ts'
import { AccentField } from './accent-field.tsx'
import { Choice, PreferenceSection } from './choice.tsx'
import { preferences } from './preferences.ts'

/** Colours of the page. */
export function ColourChoices() {
  const p = useSheetTexts().preferences
  return (
    <>
      <Choice name="sky" title={p.sky.title} of={preferences.sky} labels={p.sky} />
      <AccentField />
    </>
  )
}

/** The parts of the page that a listener may do without. */
export function ShownSection() {
  const p = useSheetTexts().preferences
  return (
    <PreferenceSection title={p.shown}>
      <Choice name="next" title={p.next.title} of={preferences.next} labels={p.next} />
      <Choice name="earlier" title={p.earlier} of={preferences.earlier} labels={p.show} />
      <Choice name="library" title={p.library} of={preferences.library} labels={p.show} />
      <Choice name="lyrics" title={p.lyrics} of={preferences.lyrics} labels={p.show} />
    </PreferenceSection>
  )
}
