import './level-meter.css'
import { useEffect, useRef } from 'preact/hooks'
import type { Microphone } from './microphone.ts'
import type { Level } from './voice-capture.ts'

/** What is quieter than this is shown as silence, dB below full scale. */
const FLOOR_DB = -60
const MARKS_DB = [-40, -20, -10, 0]
/** How fast the bar falls back: between two words it does not have to be found again. */
const FALL_DB_PER_S = 30
/** How long the highest peak stays marked. */
const HOLD_MS = 1_200

/** The own level: the bar is the loudness, the mark the highest peak of the last moment. */
export function LevelMeter({ microphone, label }: { microphone: Microphone; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let [held, heldAtMs] = [0, 0]
    let [barDb, atMs] = [-Infinity, 0]
    // Thirty times a second: only two properties are written, nothing is drawn again.
    const draw = ({ peak, rms }: Level) => {
      const nowMs = performance.now()
      if (peak >= held || nowMs - heldAtMs > HOLD_MS) [held, heldAtMs] = [peak, nowMs]
      barDb = Math.max(dbOf(rms), barDb - (FALL_DB_PER_S * (nowMs - atMs)) / 1000)
      atMs = nowMs
      box.current?.style.setProperty('--rms', shareOf(barDb).toFixed(3))
      box.current?.style.setProperty('--peak', shareOf(dbOf(held)).toFixed(3))
      box.current?.setAttribute('aria-valuenow', String(Math.max(FLOOR_DB, Math.round(barDb))))
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
      aria-valuemin={FLOOR_DB}
      aria-valuemax={0}
      aria-valuenow={FLOOR_DB}
    >
      <span class="meter-rms" />
      <span class="meter-peak" />
      {MARKS_DB.map((db) => (
        <span key={db} class="meter-mark" aria-hidden="true" style={{ '--at': shareOf(db) }}>
          {db < 0 ? `−${-db}` : db}
        </span>
      ))}
    </div>
  )
}

const dbOf = (level: number): number => (level > 0 ? 20 * Math.log10(level) : -Infinity)

/** A level as a part of the meter: decibels are even steps to the ear. */
const shareOf = (db: number): number => Math.max(0, Math.min(1, 1 - db / FLOOR_DB))
