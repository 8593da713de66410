import { useState } from 'preact/hooks'
import { apiUrl } from '../api.ts'
import type { Radio } from '../radio/radio.ts'
import type { Texts } from '../texts.ts'
import { Icon } from '../ui/icons.tsx'
import { useStore } from '../ui/store.ts'

interface Props {
  radio: Radio
  t: Texts
  isStream: boolean
  /** Null while there is nothing to show words of. */
  onLyrics: (() => void) | null
  onRequest: () => void
  isArtHidden: boolean
  onArt: () => void
}

export function Controls({ radio, t, isStream, onLyrics, onRequest, isArtHidden, onArt }: Props) {
  const sound = useStore(radio.sound)
  const volume = useStore(radio.volume)
  const isOn = sound.is === 'playing' || sound.is === 'starting' || sound.is === 'retrying'
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
          value={volume.isMuted ? 0 : volume.level}
          aria-label={t.volume}
          aria-valuetext={`${Math.round((volume.isMuted ? 0 : volume.level) * 100)} %`}
          style={{ '--level': volume.isMuted ? 0 : volume.level }}
          onInput={(event) => radio.setVolume({ level: Number(event.currentTarget.value), isMuted: false })}
        />
      </div>
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
        <button
          type="button"
          class="tool"
          aria-pressed={!isArtHidden}
          title={isArtHidden ? t.artOn : t.artOff}
          onClick={onArt}
        >
          <Icon name="picture" />
          <span class="unseen">{isArtHidden ? t.artOn : t.artOff}</span>
        </button>
        <CopyLink t={t} isStream={isStream} />
      </div>
    </div>
  )
}

function CopyLink({ t, isStream }: { t: Texts; isStream: boolean }) {
  const [said, setSaid] = useState('')
  const label = isStream ? t.copyStream : t.copyPage
  const copy = async () => {
    const link = isStream ? new URL(apiUrl('/api/stream/public.mp3'), location.href).href : location.href
    const result = await navigator.clipboard?.writeText(link).then(
      () => t.copied,
      () => null,
    )
    setSaid(result ?? `${t.notCopied} ${link}`)
    setTimeout(() => setSaid(''), 6000)
  }
  return (
    <>
      <button type="button" class="tool" title={label} onClick={copy}>
        <Icon name="link" />
        <span class="unseen">{label}</span>
      </button>
      <span class="toast" role="status" data-shown={said !== ''}>
        {said}
      </span>
    </>
  )
}
