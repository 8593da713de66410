import './state.css'
import { useEffect, useRef } from 'preact/hooks'

export interface Marker {
  atS: number
  label: string
}

/**
 * The shape of a sound with its playhead and markers. The canvas is decorative: give `onSeek` to make it a slider that the
 * arrows move by `stepS`, and by ten times as much with Shift.
 */
export function Waveform(props: {
  /** Loudness from 0 to 1, in equal steps; empty while it isn't known. */
  peaks: readonly number[]
  durationS: number
  positionS: number
  markers?: readonly Marker[]
  /** Without a label it is decoration. */
  label?: string
  height?: number
  /** Seconds, one without it. */
  stepS?: number
  onSeek?: (toS: number) => void
}) {
  const { peaks, durationS, positionS, markers = [], label, height = 40, stepS = 1, onSeek } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const part = durationS > 0 ? Math.min(1, positionS / durationS) : 0
  const draw = useRef(() => {})
  draw.current = () => canvas.current && drawPeaks(canvas.current, peaks, part)
  useEffect(() => draw.current(), [peaks, part])
  useEffect(() => {
    const observer = new ResizeObserver(() => draw.current())
    observer.observe(canvas.current!)
    const themes = new MutationObserver(() => draw.current())
    themes.observe(document.documentElement, { attributeFilter: ['data-mode'] })
    return () => {
      observer.disconnect()
      themes.disconnect()
    }
  }, [])
  const seek = (toS: number) => onSeek?.(Math.min(durationS, Math.max(0, toS)))
  const slider = onSeek && {
    role: 'slider' as const,
    tabIndex: 0,
    'aria-valuemin': 0,
    'aria-valuemax': Math.round(durationS),
    'aria-valuenow': Math.round(positionS),
    onKeyDown: (event: KeyboardEvent) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
      if (!step) return
      event.preventDefault()
      seek(positionS + step * stepS * (event.shiftKey ? 10 : 1))
    },
    onPointerDown: (event: PointerEvent) => {
      const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
      seek(((event.clientX - box.left) / box.width) * durationS)
    },
  }
  const image = label ? { role: 'img' as const } : { 'aria-hidden': true }
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a slider or an image, both of which have a name
    <div class="waveform" aria-label={label} style={{ height: `${height}px` }} {...(slider ?? image)}>
      <canvas ref={canvas} />
      {markers.map(({ atS, label: name }) => (
        <i
          key={name + atS}
          class="waveform-marker"
          title={name}
          style={{ left: `${(atS / durationS) * 100}%` }}
        />
      ))}
    </div>
  )
}

const BAR_PX = 3

function drawPeaks(canvas: HTMLCanvasElement, peaks: readonly number[], part: number): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (!context) return
  const style = getComputedStyle(canvas)
  const bars = Math.max(1, Math.floor(width / BAR_PX))
  const [played, unplayed] = ['--played', '--unplayed'].map((name) => style.getPropertyValue(name))
  context.scale(scale, scale)
  for (let i = 0; i < bars; i++) {
    const loud = peaks.length ? peaks[Math.floor((i / bars) * peaks.length)]! : 0.04
    const bar = Math.max(1, loud * height)
    context.fillStyle = (i / bars < part ? played : unplayed) ?? ''
    context.fillRect(i * BAR_PX, (height - bar) / 2, BAR_PX - 1, bar)
  }
}
