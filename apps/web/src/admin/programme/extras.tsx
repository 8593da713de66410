import { useAdmin } from '../data/panel.ts'
import { Choices, NumberField, Switch } from './controls.tsx'
import { useDraft } from './draft/use-draft.ts'
import { Section } from './section.tsx'
import { useProgrammeTexts } from './texts.ts'

const GUEST_MINUTES = { min: 1, max: 240 }

/** How long guests speak, and whether artists are seen. */
export function Extras() {
  const t = useProgrammeTexts()
  const { config } = useAdmin()
  const { settings, set } = useDraft()
  const { guestMaxDurationMinutes, specialGuestMaxDurationMinutes, backgroundMusicMode } = settings.radioHosts
  const { dayEnabled, nightEnabled } = settings.artistArts
  return (
    <div class="rules-pair">
      <Section title={t.guests} right="radio_moderator">
        {!config.radioHostsMode && <p class="hint">{t.noHosting}</p>}
        <NumberField
          label={t.guestMinutes}
          value={guestMaxDurationMinutes}
          {...GUEST_MINUTES}
          onValue={(value) => set('radioHosts', { guestMaxDurationMinutes: value })}
        />
        <NumberField
          label={t.specialGuestMinutes}
          value={specialGuestMaxDurationMinutes}
          {...GUEST_MINUTES}
          onValue={(value) => set('radioHosts', { specialGuestMaxDurationMinutes: value })}
        />
        <Choices
          label={t.background}
          options={(['random', 'hostChoice'] as const).map((value) => ({
            value,
            label: t.backgroundModes[value],
          }))}
          chosen={backgroundMusicMode}
          onChoose={(value) => set('radioHosts', { backgroundMusicMode: value })}
        />
      </Section>
      <Section title={t.arts} right="settings_algorithm">
        <Switch
          label={t.artsOf.day}
          isOn={dayEnabled}
          onChange={(isOn) => set('artistArts', { dayEnabled: isOn })}
        />
        <Switch
          label={t.artsOf.night}
          isOn={nightEnabled}
          onChange={(isOn) => set('artistArts', { nightEnabled: isOn })}
        />
      </Section>
    </div>
  )
}
