import { useId } from 'preact/hooks'
import { timeIn } from '../../../listener/sheets/history/moments.ts'
import { useWatchTexts } from '../texts.ts'
import type { Hour } from './day.ts'

/** The hours of a day, how much of each is recorded, and in which somebody was live. */
export function Hours(props: {
  hours: readonly Hour[]
  chosen: Hour
  timeZone: string
  onChoose: (hour: Hour) => void
}) {
  const { hours, chosen, timeZone, onChoose } = props
  const t = useWatchTexts()
  const name = useId()
  return (
    <fieldset class="aircheck-hours">
      <legend class="unseen">{t.hoursOfDay}</legend>
      {hours.map((hour) => {
        const percent = Math.round(hour.recorded * 100)
        return (
          <label key={hour.fromMs} data-show={hour.hasShow} data-empty={percent === 0}>
            <input
              class="unseen"
              type="radio"
              name={name}
              checked={hour.fromMs === chosen.fromMs}
              onChange={() => onChoose(hour)}
            />
            <span class="aircheck-hour">{timeIn(hour.fromMs, timeZone).slice(0, 2)}</span>
            <span class="unseen">
              {t.recorded(percent)}
              {hour.hasShow && `, ${t.withShow}`}
            </span>
            <span class="aircheck-part" aria-hidden="true">
              <i style={{ width: `${percent}%` }} />
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
