import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../../../ui/store.ts'
import { formatDuration } from '../../format.ts'
import { useRadio } from '../../radio-context.ts'
import { PlayButton } from '../../stage/controls/play-button.tsx'
import { VolumeControl } from '../../stage/controls/volume-control.tsx'

const DRAW_INTERVAL_MS = 500

/** The controls of the sound under the lyrics, and how far the track is. */
export function LyricsBar() {
  const { radio } = useRadio()
  const duration = useStore(radio.heard)?.state.duration ?? 0
  const bar = useRef<HTMLDivElement>(null)
  const time = useRef<HTMLSpanElement>(null)

  useEffect(() => {
    const draw = () => {
      const position = radio.position()
      bar.current?.style.setProperty('--p', duration > 0 ? (position / duration).toFixed(4) : '0')
      if (time.current)
        time.current.textContent =
          duration > 0 ? `${formatDuration(position)} / ${formatDuration(duration)}` : ''
    }
    draw()
    const timer = setInterval(draw, DRAW_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [radio, duration])

  return (
    <div class="lyrics-bar" ref={bar}>
      <span class="lyrics-progress" aria-hidden="true" />
      <PlayButton />
      <span class="lyrics-time" ref={time} />
      <VolumeControl />
    </div>
  )
}
