import { useState } from 'preact/hooks'
import { Icon } from '../../../ui/icons.tsx'
import { useStore } from '../../../ui/store.ts'
import { useRadio } from '../../radio-context.ts'

/** Mute, and the level where a page may set it: on some phones only the device's buttons do. */
export function VolumeControl() {
  const { radio, t } = useRadio()
  const { isMuted, level } = useStore(radio.volume)
  const [hasLevel] = useState(isVolumeSettable)
  const shown = isMuted ? 0 : level
  return (
    <div class="volume">
      <button
        type="button"
        class="tool"
        aria-label={t.mute}
        title={t.mute}
        aria-pressed={isMuted}
        onClick={() => radio.setVolume({ isMuted: !isMuted })}
      >
        <Icon name={isMuted ? 'muted' : 'volume'} />
      </button>
      {hasLevel && (
        <input
          type="range"
          min="0"
          max="1"
          step="0.01"
          value={shown}
          aria-label={t.volume}
          aria-valuetext={`${Math.round(shown * 100)} %`}
          style={{ '--level': shown }}
          onInput={(event) => radio.setVolume({ level: Number(event.currentTarget.value), isMuted: false })}
        />
      )}
    </div>
  )
}

/** Some systems take any volume and keep their own. */
function isVolumeSettable(): boolean {
  const probe = document.createElement('audio')
  probe.volume = 0.5
  return probe.volume === 0.5
}
