import { Icon } from '../../../ui/icons.tsx'
import { useStore } from '../../../ui/store.ts'
import { useRadio } from '../../radio-context.ts'

/** Plays or pauses. */
export function PlayButton() {
  const { radio, t } = useRadio()
  const sound = useStore(radio.sound)
  const isOn = sound.is === 'playing' || sound.is === 'starting' || sound.is === 'retrying'
  return (
    <button
      type="button"
      class="play"
      aria-label={isOn ? t.pause : t.play}
      title={isOn ? t.pause : t.play}
      data-sound={sound.is}
      onClick={() => radio.toggle()}
    >
      <Icon name={isOn ? 'pause' : 'play'} size={28} />
    </button>
  )
}
