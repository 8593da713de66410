import './controls.css'
import { useState } from 'preact/hooks'
import { apiUrl } from '../../api.ts'
import { Icon } from '../../ui/icons.tsx'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'

interface Props {
  /** Null while no track with lyrics can be on air. */
  onLyrics: (() => void) | null
  onRequest: () => void
  isArtHidden: boolean
  onArt: () => void
}

export function Controls({ onLyrics, onRequest, isArtHidden, onArt }: Props) {
  const { radio, t } = useRadio()
  const sound = useStore(radio.sound)
  const isOn = sound.is === 'playing' || sound.is === 'starting' || sound.is === 'retrying'
  const artLabel = isArtHidden ? t.artOn : t.artOff
  return (
    <div class="controls">
      <button
        type="button"
        class="play"
        aria-label={isOn ? t.pause : t.play}
        data-sound={sound.is}
        onClick={() => radio.toggle()}
      >
        <Icon name={isOn ? 'pause' : 'play'} size={28} />
      </button>
      <VolumeControl />
      <div class="tools">
        <button type="button" class="tool" disabled={!onLyrics} onClick={() => onLyrics?.()} title={t.lyrics}>
          <Icon name="lyrics" />
          <span class="unseen">{t.lyrics}</span>
        </button>
        <button
          type="button"
          class="tool"
          aria-haspopup="dialog"
          title={t.request.title}
          onClick={() => onRequest()}
        >
          <Icon name="request" />
          <span class="unseen">{t.request.title}</span>
        </button>
        <button type="button" class="tool" aria-pressed={!isArtHidden} title={artLabel} onClick={onArt}>
          <Icon name="picture" />
          <span class="unseen">{artLabel}</span>
        </button>
        <CopyLink />
      </div>
    </div>
  )
}

function VolumeControl() {
  const { radio, t } = useRadio()
  const volume = useStore(radio.volume)
  const level = volume.isMuted ? 0 : volume.level
  return (
    <div class="volume">
      <button
        type="button"
        class="tool"
        aria-label={volume.isMuted ? t.unmute : t.mute}
        aria-pressed={volume.isMuted}
        onClick={() => radio.setVolume({ isMuted: !volume.isMuted })}
      >
        <Icon name={volume.isMuted ? 'muted' : 'volume'} />
      </button>
      <input
        type="range"
        min="0"
        max="1"
        step="0.01"
        value={level}
        aria-label={t.volume}
        aria-valuetext={`${Math.round(level * 100)} %`}
        style={{ '--level': level }}
        onInput={(event) => radio.setVolume({ level: Number(event.currentTarget.value), isMuted: false })}
      />
    </div>
  )
}

const TOAST_MS = 6000

/** Copies the address of the public stream, or of the page where there is none. */
function CopyLink() {
  const { radio, t } = useRadio()
  const isStream = useStore(radio.config)?.streamMode ?? false
  const [toast, setToast] = useState('')
  const label = isStream ? t.copyStream : t.copyPage
  const copy = async () => {
    const link = isStream ? new URL(apiUrl('/api/stream/public.mp3'), location.href).href : location.href
    const isCopied = await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    )
    setToast(isCopied ? t.copied : `${t.notCopied} ${link}`)
    setTimeout(() => setToast(''), TOAST_MS)
  }
  return (
    <>
      <button type="button" class="tool" title={label} onClick={copy}>
        <Icon name="link" />
        <span class="unseen">{label}</span>
      </button>
      <span class="toast" role="status" data-shown={toast !== ''}>
        {toast}
      </span>
    </>
  )
}
