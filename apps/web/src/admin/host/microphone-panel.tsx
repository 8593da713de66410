import { useId } from 'preact/hooks'
import { ClipWarning } from '../../live/clip-warning.tsx'
import { guestTexts } from '../../live/guest/texts.ts'
import { LevelMeter } from '../../live/level-meter.tsx'
import { MicButton } from '../../live/mic-button.tsx'
import { useStore } from '../../ui/store.ts'
import { PanelSection } from './panel-section.tsx'
import { useStudio } from './studio-context.ts'

const MIN_GAIN = 2
const MAX_GAIN = 7

export function MicrophonePanel() {
  const { host, state, connection, microphone, locale, t } = useStudio()
  const microphoneState = useStore(microphone.state)
  const isMicOn = useStore(host.isMicOn)
  const gainId = useId()
  const ownId = connection.id()
  const isMuted = state.people.some(({ id, muted }) => muted && id === ownId)
  const level = (state.gain - MIN_GAIN) / (MAX_GAIN - MIN_GAIN)
  return (
    <PanelSection title={t.microphone}>
      <p class="trouble" role="alert">
        {guestTexts[locale].microphone[microphoneState] || (isMuted && t.mutedByModerator)}
      </p>
      <MicButton isOn={isMicOn} isMuted={isMuted} texts={t} onToggle={host.toggleMic} />
      <LevelMeter microphone={microphone} label={t.level} />
      <ClipWarning microphone={microphone} text={t.clips} />
      <div class="gain">
        <label for={gainId}>{t.gain}</label>
        <input
          id={gainId}
          type="range"
          min={MIN_GAIN}
          max={MAX_GAIN}
          step={0.5}
          value={state.gain}
          style={{ '--level': level }}
          onInput={(event) => host.setGain(event.currentTarget.valueAsNumber)}
        />
        <output for={gainId}>×{state.gain.toLocaleString(locale)}</output>
      </div>
    </PanelSection>
  )
}
