import './controls.css'
import { apiUrl } from '../../../api.ts'
import { isChatting } from '../../../radio/timeline.ts'
import { Icon } from '../../../ui/icons.tsx'
import { useStore } from '../../../ui/store.ts'
import { useToast } from '../../../ui/toast.tsx'
import { Heart } from '../../kept/heart.tsx'
import { useRadio } from '../../radio-context.ts'
import { PlayButton } from './play-button.tsx'
import { VolumeControl } from './volume-control.tsx'

interface Props {
  /** Null while no track with lyrics can be on air. */
  onLyrics: (() => void) | null
  onRequest: () => void
}

/** Before the sound is on, the large button on the horizon is the one that plays. */
export function Controls({ onLyrics, onRequest }: Props) {
  const { radio, t } = useRadio()
  const isOff = useStore(radio.sound).is === 'off'
  const state = useStore(radio.heard)?.state
  const track =
    state?.track && !state.isPreparing && !isChatting(state)
      ? { id: state.track, title: state.title, artist: state.artist }
      : null
  return (
    <div class="controls">
      {!isOff && <VolumeControl />}
      {!isOff && <PlayButton />}
      <div class="tools">
        {track && <Heart track={track} />}
        <button
          type="button"
          class="tool"
          aria-haspopup="dialog"
          disabled={!onLyrics}
          onClick={() => onLyrics?.()}
          title={t.lyrics}
        >
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
        <CopyLink />
      </div>
    </div>
  )
}

/** Copies the address of the public stream, or of the page where there is none. */
function CopyLink() {
  const { radio, t } = useRadio()
  const isStream = useStore(radio.config)?.streamMode ?? false
  const [toast, say] = useToast()
  const label = isStream ? t.copyStream : t.copyPage
  const copy = async () => {
    const link = isStream ? new URL(apiUrl('/api/stream/public.mp3'), location.href).href : location.href
    const isCopied = await navigator.clipboard?.writeText(link).then(
      () => true,
      () => false,
    )
    say(isCopied ? t.copied : `${t.notCopied} ${link}`)
  }
  return (
    <>
      <button type="button" class="tool" title={label} onClick={copy}>
        <Icon name="link" />
        <span class="unseen">{label}</span>
      </button>
      {toast}
    </>
  )
}
