import { apiUrl } from '../../api.ts'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { EARLY_PRESS } from './early-press.ts'

/** The large button on the horizon, which starts the sound. A link, since it is pressed before any script has run too. */
export function ListenButton({ nowPlaying }: { nowPlaying: string }) {
  const { radio, t } = useRadio()
  const isStream = useStore(radio.config)?.streamMode ?? false
  const join = (event: Event) => {
    event.preventDefault()
    radio.play()
    // This button disappears: keyboard users continue at the one that pauses.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.play')?.focus({ preventScroll: true }))
  }
  const label = nowPlaying ? `${t.listen}. ${t.onAir}: ${nowPlaying}` : t.listen
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: only a link does something before scripts run */}
      <a
        class="listen"
        role="button"
        href={EARLY_PRESS}
        aria-label={label}
        onClick={join}
        onKeyDown={(event) => event.key === ' ' && join(event)}
      >
        {t.listen}
        {/* Marks an early press; nothing is scrolled to what is hidden. */}
        <span id={EARLY_PRESS.slice(1)} hidden />
      </a>
      {import.meta.env.SSR && isStream && (
        <noscript>
          <a class="listen" href={apiUrl('/api/stream/public.mp3')} aria-label={label}>
            {t.listen}
          </a>
        </noscript>
      )}
    </>
  )
}
