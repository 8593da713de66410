import './speakers.css'
import { useEffect, useRef } from 'preact/hooks'
import { dbOf, FLOOR_DB, shareOf } from '../level-meter.tsx'
import { followLevel, type Speakers } from './speakers.ts'

/** How loud somebody is on air: a line as long as they are loud. */
export function SpeakerMeter({ speakers, id, label }: { speakers: Speakers; id: string; label: string }) {
  const line = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      followLevel(speakers, id, ({ rms }) => {
        const db = Math.max(FLOOR_DB, Math.round(dbOf(rms)))
        line.current?.style.setProperty('--rms', shareOf(db).toFixed(3))
        line.current?.setAttribute('aria-valuenow', String(db))
      }),
    [speakers, id],
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a browser's own meter can't be as thin as a line
    <div
      class="speaker-meter"
      ref={line}
      role="meter"
      aria-label={label}
      aria-valuemin={FLOOR_DB}
      aria-valuemax={0}
      aria-valuenow={FLOOR_DB}
    />
  )
}
