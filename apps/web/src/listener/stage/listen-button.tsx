import { useRadio } from '../radio-context.ts'

/** The large button on the horizon, which starts the sound. */
export function ListenButton({ nowPlaying }: { nowPlaying: string }) {
  const { radio, t } = useRadio()
  const join = () => {
    radio.play()
    // This button disappears: keyboard users continue at the one that pauses.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.play')?.focus({ preventScroll: true }))
  }
  return (
    <button
      type="button"
      class="listen"
      aria-label={nowPlaying ? `${t.listen}. ${t.onAir}: ${nowPlaying}` : t.listen}
      onClick={join}
    >
      {t.listen}
    </button>
  )
}
