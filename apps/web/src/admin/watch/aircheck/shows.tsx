import { apiUrl } from '../../../api.ts'
import { timeIn } from '../../../listener/sheets/history/moments.ts'
import { useWatchTexts } from '../texts.ts'
import type { Day } from './day.ts'

/** The live shows that began on a day, each to take away as one file. Nothing when there was none. */
export function Shows({ shows, timeZone }: Pick<Day, 'shows' | 'timeZone'>) {
  const t = useWatchTexts()
  if (shows.length === 0) return null
  return (
    <ul class="aircheck-shows" aria-label={t.shows}>
      {shows.map(({ from, to, speakers, url }) => {
        const time = `${timeIn(from, timeZone)}–${timeIn(to, timeZone)}`
        return (
          <li key={from}>
            <time dateTime={new Date(from).toISOString()}>{time}</time>
            <span>{speakers.join(', ') || t.kinds.live}</span>
            <a class="text-button" href={apiUrl(url)} download="" aria-label={t.downloadShow(time)}>
              {t.download}
            </a>
          </li>
        )
      })}
    </ul>
  )
}
