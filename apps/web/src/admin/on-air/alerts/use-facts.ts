import type { Mode } from '@solstice/contracts'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../../../api.ts'
import { useStore } from '../../../ui/store.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useAdmin, useAir, usePanel } from '../../data/panel.ts'
import type { QueryState } from '../../data/queries.ts'
import { useQuery } from '../../data/query.ts'
import { useOutdatedByTrack } from '../../data/track-change.ts'
import { fieldsOf } from '../../programme/mode-fields.ts'
import type { Facts } from './find-alerts.ts'

const ALARMS = '/api/admin/alarms'
const JOBS = '/api/admin/jobs'
const ORDERS = '/api/admin/donations/history'
const SETTINGS = '/api/admin/settings'
const WEBHOOKS = '/api/admin/webhooks'
const LOOK_MS = 2_000
/** While something can't be read: until it can. */
const RETRY_MS = 10_000
/** The page of alarms that the monitoring shows first, so that both share one answer. */
const ALARMS_SHOWN = { limit: 30, offset: 0 }

/**
 * Facts that the station told this account. Alarms, payments, settings and switched-off addresses are announced; what is not is asked
 * for again with each track on air.
 */
export function useFacts(): Facts & { retry: () => void } {
  const { connection, log, config } = usePanel()
  const { may } = useAdmin()
  const air = useAir()
  const link = useStore(connection.link)
  const suggestions = useStore(log.suggestions)
  useNow(LOOK_MS)
  useOutdatedByTrack(ALARMS, JOBS, ORDERS, WEBHOOKS)
  const isSuper = may({ super: true })
  const mayDecide = may({ allOf: ['donations_manage'], capabilities: ['donations'] })
  const alarms = useQuery(may({ allOf: ['stats'] }) ? `GET ${ALARMS}` : null, { query: ALARMS_SHOWN })
  const orders = useQuery(mayDecide ? `GET ${ORDERS}` : null, { query: { limit: 1 } })
  const settings = useQuery(may({ allOf: ['settings_algorithm'] }) ? `GET ${SETTINGS}` : null)
  const jobs = useQuery(isSuper ? `GET ${JOBS}` : null, { query: { limit: 1 } })
  const mayTell = may({ super: true, capabilities: ['editSettings'] })
  const webhooks = useQuery(mayTell ? `GET ${WEBHOOKS}` : null)

  const isOnline = link === 'online'
  const { isAnyUnread, retry } = useRetries([alarms, orders, settings, jobs, webhooks], isOnline)
  const nowMs = connection.stationNowMs()
  const modes: Mode[] = config.nightMode ? ['day', 'night'] : ['day']
  return {
    silentMs: isOnline && air ? nowMs - air.serverTimeMs : 0,
    isUnread: isAnyUnread,
    openAlarms: dataOf(alarms)?.alarms.filter(({ endedAt }) => endedAt === null).length ?? 0,
    unqueued: dataOf(orders)?.unqueued ?? 0,
    suggestions: may({ allOf: ['queue_manage'] }) ? suggestions : [],
    answerMs: config.limits.suggestExpiryS * 1000,
    nowMs,
    programme: modes.flatMap((mode) => {
      const known = dataOf(settings)
      if (!known) return []
      const { algorithm, total, status } = fieldsOf(mode, known.settings.generation, known.bounds)
      return { mode, total, canMake: algorithm === 'simple' || status[algorithm].canUse }
    }),
    failingWebhooks:
      dataOf(webhooks)?.webhooks.filter(
        ({ isOn, failingSince, switchedOff }) => switchedOff !== null || (isOn && failingSince !== null),
      ).length ?? 0,
    failedJobs: dataOf(jobs)?.queues.reduce((sum, { counts }) => sum + counts.failed, 0) ?? 0,
    retry,
  }
}

/** Tries again and again what the station could not answer. What is being tried again counts as unread until it is answered. */
function useRetries(
  queries: readonly (QueryState<unknown> & { retry: () => void })[],
  isOnline: boolean,
): { isAnyUnread: boolean; retry: () => void } {
  const was = useRef<readonly boolean[]>([])
  const unread = queries.map(
    (query, i) => isUnread(query) || (query.is === 'loading' && was.current[i] === true),
  )
  was.current = unread
  const retry = () => {
    for (const query of queries) if (isUnread(query)) query.retry()
  }
  const again = useRef(retry)
  again.current = retry
  const isAnyUnread = isOnline && unread.includes(true)
  useEffect(() => {
    if (!isAnyUnread) return
    const timer = setInterval(() => again.current(), RETRY_MS)
    return () => clearInterval(timer)
  }, [isAnyUnread])
  return { isAnyUnread, retry }
}

const dataOf = <T>(state: QueryState<T>): T | null => (state.is === 'ready' ? state.data : null)

/** True when the station could not answer. A refusal is an answer: rights may have changed a moment ago. */
function isUnread(state: QueryState<unknown>): boolean {
  if (state.is === 'ready') return state.isStale
  return state.is === 'failed' && !(state.error instanceof ApiError && state.error.status < 500)
}
