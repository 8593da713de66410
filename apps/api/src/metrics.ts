import type { Config, Metrics, Ports } from '@solstice/adapters'
import { upcoming } from '@solstice/playout'
import { chunkEndMs, type DataStore, type JobQueue, type WallClock } from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Gateway } from './sockets/gateway.ts'
import type { FanOut } from './stream/fan-out.ts'
import type { AirMirror } from './stream/mirror.ts'

const BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 2.5, 10]
/** There may be thousands of orders, and they are counted one by one. */
const RECOUNT_MS = 60_000

interface MetricDeps {
  config: Pick<Config, 'streamMode'>
  metrics: Metrics
  mirror: AirMirror
  fanOut: FanOut
  gateway: Gateway
  clock: WallClock
  readLease: Ports['readLease']
  jobs: Pick<JobQueue, 'board'>
  data: Pick<DataStore, 'donations'>
}

/**
 * Registers the metrics of this replica, and those of the whole station (lease, jobs, orders), which every replica reports
 * alike.
 */
export function registerMetrics(app: FastifyInstance, deps: MetricDeps): void {
  registerStreamMetrics(deps)
  registerLeaseMetrics(deps)
  registerWorkMetrics(deps)
  registerRequestMetrics(app, deps)
}

function registerStreamMetrics(deps: MetricDeps): void {
  const { metrics, mirror, fanOut, gateway, clock } = deps
  metrics.gauge(
    { name: 'solstice_stream_listeners', help: 'Listeners of the stream' },
    () => fanOut.listeners,
  )
  metrics.gauge({ name: 'solstice_sockets', help: 'Connected socket.io clients' }, () => gateway.sockets)
  metrics.counter(
    { name: 'solstice_stream_bytes_total', help: 'Bytes of the stream handed to connections' },
    () => fanOut.totals.bytes,
  )
  metrics.counter(
    {
      name: 'solstice_stream_skips_total',
      help: 'Listeners carried to the live edge because they were late',
    },
    () => fanOut.totals.skips,
  )
  metrics.counter(
    { name: 'solstice_stream_closed_total', help: 'Listeners closed because they were late' },
    () => fanOut.totals.closed,
  )
  metrics.gauge(
    {
      name: 'solstice_stream_listener_lag_seconds',
      help: 'How far the latest listener is behind this replica',
    },
    () => fanOut.lagMs / 1000,
  )
  metrics.gauge(
    {
      name: 'solstice_stream_edge_age_seconds',
      help: 'How long ago the newest sound ended; nothing before the first',
    },
    () => mirror.newestChunk && (clock.nowMs() - chunkEndMs(mirror.newestChunk)) / 1000,
  )
  metrics.gauge({ name: 'solstice_stream_fresh', help: '1 while sound comes; nothing in sync mode' }, () =>
    deps.config.streamMode ? Number(mirror.isFresh(clock.nowMs())) : null,
  )
  metrics.gauge(
    { name: 'solstice_queue_entries', help: 'Entries that come after the one on air' },
    () => mirror.state && upcoming(mirror.state).length,
  )
}

function registerLeaseMetrics(deps: MetricDeps): void {
  const { metrics, clock } = deps
  let lease: ReturnType<Ports['readLease']> | null = null
  const leaseNow = () => {
    lease ??= deps.readLease().finally(() => {
      lease = null
    })
    return lease
  }
  metrics.gauge(
    { name: 'solstice_desk_epoch', help: 'Rises whenever a worker acquires the lease' },
    async () => {
      return (await leaseNow()).fencingToken
    },
  )
  metrics.gauge(
    {
      name: 'solstice_clock_correction_seconds',
      help: "By how much the station's clock is ahead of the wall clock, which was set meanwhile",
    },
    () => clock.aheadMs() / 1000,
  )
  metrics.gauge({ name: 'solstice_desk_held', help: '1 while a worker holds the lease' }, async () => {
    return (await leaseNow()).isHeld ? 1 : 0
  })
}

/** Jobs and orders. */
function registerWorkMetrics(deps: MetricDeps): void {
  const { metrics } = deps
  metrics.gauge(
    { name: 'solstice_jobs', help: 'Jobs by queue and state', labels: ['queue', 'state'] },
    async () => {
      const queues = await deps.jobs.board({ offset: 0, limit: 1 })
      return queues.flatMap(({ name: queue, counts }) =>
        Object.entries(counts).map(([state, value]) => ({ labels: { queue, state }, value })),
      )
    },
  )

  const orders = cachedFor(RECOUNT_MS, async () => {
    const counts = new Map<string, number>()
    for (const { status } of await deps.data.donations.find())
      counts.set(status, (counts.get(status) ?? 0) + 1)
    return [...counts].map(([state, value]) => ({ labels: { state }, value }))
  })
  metrics.gauge(
    { name: 'solstice_donations', help: 'Kept orders by state, counted once a minute', labels: ['state'] },
    orders,
  )
}

function registerRequestMetrics(app: FastifyInstance, { metrics }: MetricDeps): void {
  const observe = metrics.durations(
    {
      name: 'solstice_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer; streams are not counted',
      labels: ['route', 'method', 'status'],
    },
    BUCKETS_S,
  )
  metrics.counter(
    {
      name: 'solstice_refusals_total',
      help: 'Requests refused for reasons of our own: a store that is away, a full disk, faults',
      labels: ['code', 'reason'],
    },
    () =>
      [...app.refusals].map(([label, value]) => {
        const [code = '', reason = ''] = label.split(' ')
        return { labels: { code, reason }, value }
      }),
  )
  app.addHook('onResponse', async (request, reply) => {
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    observe({ route: patternOf(request), method: request.method, status }, reply.elapsedTime / 1000)
  })
}

/** The pattern of the route, never the requested path: the number of label values must stay bounded. */
function patternOf({ routeOptions, is404 }: FastifyRequest): string {
  return is404 ? 'none' : (routeOptions.url ?? 'none')
}

/** Caches an answer for `ms`; a failure is not cached. */
function cachedFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  let askedAtMs = 0
  return () => {
    if (answer && performance.now() - askedAtMs < ms) return answer
    askedAtMs = performance.now()
    answer = ask()
    answer.catch(() => {
      answer = null
    })
    return answer
  }
}
