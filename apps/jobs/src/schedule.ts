import type { Config, Recurrence } from '@solstice/adapters'
import type { JobName } from '@solstice/station'

/** What is done at every start, once however many processes start together. */
export function jobsAtStart(config: Config): JobName[] {
  return [
    'reconcile-media',
    'measure-loudness',
    ...(config.lyricsPrefetch ? (['prefetch-lyrics'] as const) : []),
  ]
}

/** What comes again and again. */
export function recurrences({ logPurgeHour, timeZone }: Config): Recurrence[] {
  return [
    { name: 'purge-expired', pattern: `0 ${logPurgeHour} * * *`, timeZone },
    { name: 'purge-accounts', pattern: '0 * * * *', timeZone },
  ]
}
