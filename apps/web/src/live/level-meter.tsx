import { useEffect, useRef } from 'preact/hooks'
import type { Level, Microphone } from './microphone.ts'

/** What is quieter than this is shown as silence, dB below full scale. */
const FLOOR_DB = -60
/** How long the highest peak stays marked. */
const HOLD_MS = 1_200

/** The own level: the bar is the loudness, the mark the highest peak of the last moment. */
export function LevelMeter({ microphone, label }: { microphone: Microphone; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let [held, heldAtMs] = [0, 0]
    // Thirty times a second: only two properties are written, nothing is drawn again.
    const draw = ({ peak, rms }: Level) => {
      const nowMs = performance.now()
      if (peak >= held || nowMs - heldAtMs > HOLD_MS) [held, heldAtMs] = [peak, nowMs]
      box.current?.style.setProperty('--rms', share(rms).toFixed(3))
      box.current?.style.setProperty('--peak', share(held).toFixed(3))
      box.current?.setAttribute('aria-valuenow', String(Math.round(share(rms) * 100)))
    }
    draw(microphone.level.value)
    return microphone.level.subscribe(draw)
  }, [microphone])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a browser's own meter has no mark for the peak
    <div
      class="meter"
      ref={box}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    >
      <span class="meter-rms" />
      <span class="meter-peak" />
    </div>
  )
}

/** A level as a part of the meter: decibels are even steps to the ear. */
function share(level: number): number {
  const db = level > 0 ? 20 * Math.log10(level) : FLOOR_DB
  return Math.max(0, Math.min(1, 1 - db / FLOOR_DB))
}
