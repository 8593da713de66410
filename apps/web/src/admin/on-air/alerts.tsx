import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { useAdmin, useAir, useStation } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { Icon } from '../ui/icon.tsx'
import { useOnAirTexts } from './on-air-context.ts'

/** The station announces the air every 2 s; after this long something is wrong. */
const SILENT_MS = 10_000
const LOOK_MS = 2_000

/** Matters that need a look now; nothing when all is well. */
export function Alerts() {
  const station = useStation()
  const air = useAir()
  const { role } = useAdmin()
  const t = useOnAirTexts()
  const link = useStore(station.link)
  const jobs = useQuery(role === 'super_admin' ? 'GET /api/admin/jobs' : null, { query: { limit: 1 } })
  useNow(LOOK_MS)
  const silentMs = air ? station.stationNowMs() - air.serverTimeMs : 0
  const failed =
    jobs.is === 'ready' ? jobs.data.queues.reduce((sum, { counts }) => sum + counts.failed, 0) : 0
  const alerts = [
    link === 'online' && silentMs > SILENT_MS && t.silent(Math.round(silentMs / 1000)),
    failed > 0 && t.failedJobs(failed),
  ].filter((text): text is string => Boolean(text))
  return (
    <div role="status" aria-label={t.alerts}>
      <ul class="alerts">
        {alerts.map((text) => (
          <li key={text}>
            <Icon name="warning" size={20} />
            {text}
          </li>
        ))}
      </ul>
    </div>
  )
}
