import { playableStreams } from '../../radio/players/stream/quality.ts'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
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

/** How the station sounds, where it has more than one stream that this browser plays. */
export function SoundSection() {
  const p = useSheetTexts().preferences
  const config = useStore(useRadio().radio.config)
  if (playableStreams(config).length < 2) return null
  return (
    <PreferenceSection title={p.sound}>
      <Choice
        name="quality"
        title={p.quality.title}
        hint={p.quality.hint}
        of={preferences.quality}
        labels={p.quality}
      />
    </PreferenceSection>
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
