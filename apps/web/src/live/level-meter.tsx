import './level-meter.css'
import { useEffect, useRef } from 'preact/hooks'
import type { Microphone } from './microphone.ts'
import type { Level } from './voice-capture.ts'

/** The lower end of the scale, dB below full scale. */
export const FLOOR_DB = -60
const MARKS_DB = [-40, -20, -10, 0]
/** Slow enough that the bar doesn't drop between two words. */
const FALL_DB_PER_S = 30
const PEAK_HOLD_MS = 1_200

/** The speaker's own level: the bar shows loudness, the mark the latest peak. */
export function LevelMeter({ microphone, label }: { microphone: Microphone; label: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let [held, heldAtMs] = [0, 0]
    let [barDb, atMs] = [-Infinity, 0]
    // Written straight into the document: rendering thirty times a second would cost too much.
    const draw = ({ peak, rms }: Level) => {
      const nowMs = performance.now()
      if (peak >= held || nowMs - heldAtMs > PEAK_HOLD_MS) [held, heldAtMs] = [peak, nowMs]
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

export const dbOf = (level: number): number => (level > 0 ? 20 * Math.log10(level) : -Infinity)

/** A level as a share of the meter's width, which is even in decibels. */
export const shareOf = (db: number): number => Math.max(0, Math.min(1, 1 - db / FLOOR_DB))
