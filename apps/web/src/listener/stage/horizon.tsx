import './horizon.css'
import { useEffect, useRef } from 'preact/hooks'
import { isChatting } from '../../radio/timeline.ts'
import { useStore } from '../../ui/store.ts'
import { formatDuration } from '../format.ts'
import { useRadio } from '../radio-context.ts'

const DRAW_INTERVAL_MS = 200

/**
 * The arc from edge to edge, in a box that is stretched to its place. A quadratic curve with its middle point half
 * way: x is then the progress itself, and y = 1 − 4 · p · (1 − p), which the style sheet repeats for the light.
 */
function Arc() {
  return (
    <>
      <svg class="arc" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="arc-ground" d="M0 100Q50-100 100 100V102H0z" />
        <path class="arc-line" d="M0 100Q50-100 100 100" vector-effect="non-scaling-stroke" />
      </svg>
      <svg class="arc arc-past" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="arc-line" d="M0 100Q50-100 100 100" vector-effect="non-scaling-stroke" />
      </svg>
    </>
  )
}

/** Sun and moon; the style sheet shows the one of the mode. */
function Light() {
  return (
    <div class="light" aria-hidden="true">
      <span class="sun" />
      <span class="moon" />
    </div>
  )
}

/** A few fixed stars; the style sheet shows them at night. */
export function Stars() {
  const places = [
    [6, 30],
    [14, 62],
    [19, 18],
    [27, 44],
    [33, 12],
    [41, 34],
    [52, 14],
    [58, 46],
    [66, 22],
    [73, 52],
    [79, 14],
    [86, 38],
    [93, 20],
  ] as const
  return (
    <svg class="stars" aria-hidden="true" width="100%" height="100%">
      {places.map(([x, y], i) => (
        <circle key={x} cx={`${x}%`} cy={`${y}%`} r={i % 3 === 0 ? 1.6 : 1} />
      ))}
    </svg>
  )
}

/** The horizon of a page without a track: the light stands where `progress` (0 to 1) says. */
export function StillHorizon(props: { sound: 'off' | 'paused' | 'playing'; progress?: number }) {
  const { sound, progress } = props
  return (
    <div
      class="horizon"
      data-sound={sound}
      style={progress === undefined ? undefined : { '--p': progress.toFixed(4) }}
    >
      <Arc />
      <Light />
    </div>
  )
}

/**
 * The arc, the light that travels on it with the track, and the time at its feet.
 *
 * @param isLost what is on air can't be heard now: the light waits where it was, and no time is told.
 */
export function Horizon({ isLost }: { isLost: boolean }) {
  const { radio, t } = useRadio()
  const box = useRef<HTMLDivElement>(null)
  const elapsed = useRef<HTMLSpanElement>(null)
  const remaining = useRef<HTMLSpanElement>(null)
  const heard = useStore(radio.heard)
  const sound = useStore(radio.sound)
  const duration = isLost || !heard || heard.state.isPreparing ? 0 : heard.state.duration
  const isOff = sound.is === 'off'
  const isChat = heard !== null && isChatting(heard.state)

  // Written straight into the document: rendering five times a second would cost too much.
  useEffect(() => {
    let shown: string | null = null
    const draw = () => {
      const position = radio.position()
      const progress = duration > 0 ? position / duration : 0
      if (!isLost) box.current?.style.setProperty('--p', (isOff || isChat ? 0.5 : progress).toFixed(4))
      const now = duration > 0 ? formatDuration(position) : ''
      if (now === shown || !box.current) return
      shown = now
      elapsed.current!.textContent = now
      remaining.current!.textContent = now && `−${formatDuration(Math.max(0, duration - position))}`
      box.current.dataset.second = now && String(Math.floor(position))
      if (now) box.current.setAttribute('aria-label', t.songTime(now, formatDuration(duration)))
      else box.current.removeAttribute('aria-label')
    }
    draw()
    const timer = setInterval(draw, DRAW_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [radio, duration, isOff, isChat, isLost, t])

  return (
    // A picture with a text, not a progress bar: screen readers would speak of each second.
    <div
      class="horizon"
      ref={box}
      role={duration > 0 ? 'img' : 'presentation'}
      data-sound={sound.is}
      data-chat={isChat}
      data-lost={isLost}
    >
      <Arc />
      <Light />
      <span class="time elapsed" ref={elapsed} aria-hidden="true" />
      <span class="time remaining" ref={remaining} aria-hidden="true" />
    </div>
  )
}
