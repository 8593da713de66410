import type { AccessRule } from '../../data/access.ts'
import { followLink, hrefOf } from '../../data/location.ts'
import { useAdmin, useTexts } from '../../data/panel.ts'
import { Icon } from '../../ui/icon.tsx'
import { useOnAirTexts } from '../on-air-context.ts'
import type { OnAirTexts } from '../texts.ts'
import { type Alert, findAlerts } from './find-alerts.ts'
import { useFacts } from './use-facts.ts'

/** Matters that need a look now, each with the way to the place where it is solved; nothing when all is well. */
export function Alerts() {
  const facts = useFacts()
  const t = useOnAirTexts()
  const { retry } = useTexts()
  return (
    <div role="status" aria-label={t.alerts}>
      <ul class="alerts">
        {findAlerts(facts).map((alert) => (
          <li key={'mode' in alert ? `${alert.is} ${alert.mode}` : alert.is}>
            <Icon name="warning" size={20} />
            <span>{textOf(alert, t)}</span>
            {alert.is === 'unread' ? (
              <button type="button" class="text-button" onClick={facts.retry}>
                {retry}
              </button>
            ) : (
              <Way alert={alert} />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The way to where a matter is solved, for those who may open it. */
function Way({ alert }: { alert: Alert }) {
  const t = useOnAirTexts()
  const { may } = useAdmin()
  const place = placeOf(alert, may)
  if (!place) return null
  const href = hrefOf(...place)
  return (
    <a class="text-button" href={href} onClick={followLink(href)}>
      {t.alertWays[alert.is === 'empty' && place[0] === 'library' ? 'library' : alert.is]}
    </a>
  )
}

type Place = [part: string, query?: Record<string, string>]

const WATCH = { allOf: ['stats'] } as const
const ADD = { allOf: ['upload_songs'], capabilities: ['uploadTracks'] } as const

function placeOf(alert: Alert, may: (rule: AccessRule) => boolean): Place | null {
  switch (alert.is) {
    case 'silent':
    case 'alarms':
      return may(WATCH) ? ['watch', { tab: 'alarms' }] : null
    case 'expiring':
      return ['on-air', { view: 'inbox' }]
    case 'unqueued':
      return ['donations']
    case 'empty':
      return may(ADD) ? ['add'] : ['library']
    case 'algorithm':
      return ['programme', { view: alert.mode }]
    case 'webhooks':
      return ['watch', { tab: 'webhooks' }]
    case 'failedJobs':
      return ['station', { tab: 'jobs', state: 'failed' }]
    case 'unread':
      return null
  }
}

function textOf(alert: Alert, t: OnAirTexts): string {
  if (alert.is === 'silent') return t.silent(alert.seconds)
  if (alert.is === 'unread') return t.unread
  if ('mode' in alert) return t.noProgramme[alert.is][alert.mode]
  return t.countAlerts[alert.is](alert.count)
}
