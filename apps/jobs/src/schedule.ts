import type { Ports, Recurrence } from '@solstice/adapters'
import { capabilitiesOf, type JobName } from '@solstice/station'

const SWEEP_EVERY_MS = 60_000
/** The longest time from an event to the first attempt to tell somebody. */
const EVENTS_EVERY_MS = 5_000

/** Jobs run at start, once even if several processes start together. */
export function jobsAtStart({ config, payments }: Pick<Ports, 'config' | 'payments'>): JobName[] {
  return [
    'reconcile-media',
    'measure-loudness',
    'read-pictures',
    ...(payments.configured.size > 0 ? (['sweep-donations'] as const) : []),
    ...(config.lyricsPrefetch ? (['prefetch-lyrics'] as const) : []),
  ]
}

/** Recurring jobs. */
export function recurrences({ config, payments }: Pick<Ports, 'config' | 'payments'>): Recurrence[] {
  const { logPurgeHour, timeZone } = config
  const providers = [...payments.configured.values()]
  return [
    ...providers.flatMap((provider): Recurrence[] =>
      'pollIntervalMs' in provider ? [{ name: 'poll-donations', everyMs: provider.pollIntervalMs }] : [],
    ),
    ...(providers.length > 0 ? [{ name: 'sweep-donations', everyMs: SWEEP_EVERY_MS } as const] : []),
    ...(config.webPush ? [{ name: 'sweep-notifications', everyMs: SWEEP_EVERY_MS } as const] : []),
    ...(capabilitiesOf(config).editSettings
      ? [{ name: 'sweep-events', everyMs: EVENTS_EVERY_MS } as const]
      : []),
    { name: 'purge-expired', pattern: `0 ${logPurgeHour} * * *`, timeZone },
    { name: 'purge-accounts', pattern: '0 * * * *', timeZone },
  ]
}
