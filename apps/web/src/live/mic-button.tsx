import './mic-button.css'
import { Icon } from '../ui/icons.tsx'

/** The large switch of the speaker's microphone; red while it is on. */
export function MicButton(props: {
  isOn: boolean
  /** By a host or a moderator. */
  isMuted: boolean
  texts: { micOn: string; micOff: string }
  onToggle: () => void
}) {
  const { isOn, isMuted, texts, onToggle } = props
  return (
    <button type="button" class="mic" data-on={isOn} data-muted={isMuted} onClick={onToggle}>
      <Icon name={isOn && !isMuted ? 'microphone' : 'microphoneOff'} size={28} />
      {isOn ? texts.micOff : texts.micOn}
    </button>
  )
}
