import { Sheet, SheetHead } from '../../ui/sheet/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import type { Texts } from '../texts/texts.ts'
import { Choice, PreferenceSection } from './choice.tsx'
import { InstallSection } from './install-section.tsx'
import { ColourChoices, ShownSection, SoundSection } from './more-sections.tsx'
import { preferences } from './preferences.ts'

/** What the listener prefers on this device, in sections. */
export function PreferencesSheet({ onClose }: { onClose: () => void }) {
  const { t } = useRadio()
  const p = useSheetTexts().preferences
  return (
    <Sheet class="side preferences" label={p.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={p.title} close={t.close} />
        <PreferenceSection title={p.look}>
          <Choice name="text-size" title={p.textSize} of={preferences.textSize} labels={percentages} />
          <Choice name="motion" title={p.motion.title} of={preferences.motion} labels={p.motion} />
          <Choice name="art" title={p.art.title} of={preferences.isArtHidden} labels={p.art} />
          <ColourChoices />
        </PreferenceSection>
        <SoundSection />
        <ShownSection />
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
        <InstallSection />
        <p class="nothing">{p.stored}</p>
      </div>
    </Sheet>
  )
}

const percentages = { '100': '100 %', '125': '125 %', '150': '150 %', '200': '200 %' }

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
