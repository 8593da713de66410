import type { Locale, Status } from '@solstice/contracts'
import { dateLine, percent } from './format.ts'
import type { StatusTexts } from './texts.ts'

type Day = NonNullable<Status['uptime']>['days'][number]

/** Units of the picture: a day, the gap behind it, and how high a whole day is. */
const DAY = 7
const GAP = 3
const HIGH = 40
/** So that a short break is seen. */
const LEAST_LOSS = 8
const UNHEARD = 4

const kindOf = ({ share, breaks }: Day) =>
  share === null ? 'unheard' : share < 1 || breaks > 0 ? 'broken' : 'whole'

/** The days as rays behind the horizon; those with breaks are named below, for everybody. */
export function Days({ days, locale, t }: { days: Day[]; locale: Locale; t: StatusTexts }) {
  const says = ({ date, share, breaks }: Day) =>
    t.day(dateLine(date, locale), share === null ? null : percent(share, locale), breaks)
  const broken = days.filter((day) => kindOf(day) === 'broken').reverse()
  const width = days.length * (DAY + GAP) - GAP
  return (
    <>
      <svg class="status-days" viewBox={`0 0 ${width} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, i) => (
          <rect
            key={day.date}
            class={`status-${kindOf(day)}`}
            x={i * (DAY + GAP)}
            y={HIGH - heightOf(day)}
            width={DAY}
            height={heightOf(day)}
          >
            <title>{says(day)}</title>
          </rect>
        ))}
      </svg>
      <p class="status-ends soft" aria-hidden="true">
        <span>{t.first}</span>
        <span>{t.today}</span>
      </p>
      {broken.length > 0 && (
        <ul class="status-broken-days soft">
          {broken.slice(0, 5).map((day) => (
            <li key={day.date}>{says(day)}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function heightOf(day: Day): number {
  if (day.share === null) return UNHEARD
  if (kindOf(day) === 'whole') return HIGH
  return Math.min(HIGH - LEAST_LOSS, Math.max(UNHEARD, HIGH * day.share ** 40))
}
