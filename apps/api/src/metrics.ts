import type { Config, Metrics, Ports } from '@solstice/adapters'
import { upcoming } from '@solstice/playout'
import { chunkEndMs, type DataStore, type JobQueue, mountId, type WallClock } from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Hls } from './hls/hls.ts'
import { pathOfRefused } from './http/method-not-allowed.ts'
import type { NowPlayingEvents } from './now-playing/events.ts'
import type { Gateway } from './sockets/gateway.ts'
import { type AirMirror, mountsOf } from './stream/mirror.ts'
import type { Streams } from './stream/streams.ts'

const BUCKETS_S = [0.005, 0.025, 0.1, 0.5, 2.5, 10]
/** There may be thousands of orders, and they are counted one by one. */
const RECOUNT_MS = 60_000

interface MetricDeps {
  config: Pick<Config, 'streamMode' | 'streamBitrate'>
  metrics: Metrics
  mirror: AirMirror
  streams: Streams
  hls: Hls
  gateway: Gateway
  nowPlayingEvents: NowPlayingEvents
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
  const { metrics, mirror, streams, gateway, clock } = deps
  metrics.gauge(
    { name: 'solstice_stream_listeners', help: 'Current listeners of the stream' },
    () => streams.listeners,
  )
  metrics.gauge(
    {
      name: 'solstice_stream_mount_listeners',
      help: 'Current listeners of each mount of the stream',
      labels: ['mount'],
    },
    () => streams.audiences.map(({ mount, listeners }) => ({ labels: { mount }, value: listeners })),
  )
  metrics.gauge(
    {
      name: 'solstice_hls_listeners',
      help: 'Players that asked for an HLS playlist in the last 30 s, at all replicas together',
    },
    () => (deps.config.streamMode ? deps.hls.listeners.size : null),
  )
  metrics.gauge(
    { name: 'solstice_sockets', help: 'Currently connected socket.io clients' },
    () => gateway.sockets,
  )
  metrics.gauge(
    { name: 'solstice_now_playing_clients', help: 'Clients that follow /api/now-playing/events' },
    () => deps.nowPlayingEvents.clients,
  )
  metrics.counter(
    { name: 'solstice_stream_bytes_total', help: 'Stream bytes written to listener connections' },
    () => streams.totals.bytes,
  )
  metrics.counter(
    {
      name: 'solstice_stream_skips_total',
      help: 'Times a lagging listener was moved to the live edge',
    },
    () => streams.totals.skips,
  )
  metrics.counter(
    {
      name: 'solstice_stream_closed_total',
      help: 'Listeners disconnected because they lagged too far behind',
    },
    () => streams.totals.closed,
  )
  metrics.gauge(
    {
      name: 'solstice_stream_listener_lag_seconds',
      help: 'How far the slowest listener lags behind this replica, in seconds',
    },
    () => streams.lagMs / 1000,
  )
  metrics.gauge(
    {
      name: 'solstice_stream_edge_age_seconds',
      help: 'Age of the newest audio in seconds, absent until the first arrives',
    },
    () => mirror.newestChunk && (clock.nowMs() - chunkEndMs(mirror.newestChunk)) / 1000,
  )
  metrics.gauge(
    { name: 'solstice_stream_fresh', help: '1 while fresh audio arrives, otherwise 0; absent in sync mode' },
    () => (deps.config.streamMode ? Number(mirror.isFresh(clock.nowMs())) : null),
  )
  metrics.gauge(
    {
      name: 'solstice_stream_mount_fresh',
      help: '1 while fresh audio of a mount arrives, otherwise 0; absent in sync mode',
      labels: ['mount'],
    },
    () =>
      deps.config.streamMode
        ? mountsOf(mirror, deps.config).map(({ mount, mirror }) => ({
            labels: { mount: mountId(mount) },
            value: Number(mirror.isFresh(clock.nowMs())),
          }))
        : null,
  )
  metrics.gauge(
    { name: 'solstice_queue_entries', help: 'Queue entries after the one on air' },
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
    {
      name: 'solstice_desk_epoch',
      help: 'Fencing token of the lease, which rises whenever a worker acquires it',
    },
    async () => {
      return (await leaseNow()).fencingToken
    },
  )
  metrics.gauge(
    {
      name: 'solstice_clock_correction_seconds',
      help: 'How far the station clock is ahead of the wall clock, in seconds; not 0 after the wall clock was set',
    },
    () => clock.aheadMs() / 1000,
  )
  metrics.gauge(
    { name: 'solstice_desk_held', help: '1 while a worker holds the lease, otherwise 0' },
    async () => {
      return (await leaseNow()).isHeld ? 1 : 0
    },
  )
}

/** Jobs and orders. */
function registerWorkMetrics(deps: MetricDeps): void {
  const { metrics } = deps
  metrics.gauge(
    { name: 'solstice_jobs', help: 'Background jobs by queue and state', labels: ['queue', 'state'] },
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
    { name: 'solstice_donations', help: 'Stored orders by state, counted once a minute', labels: ['state'] },
    orders,
  )
}

function registerRequestMetrics(app: FastifyInstance, { metrics }: MetricDeps): void {
  const observe = metrics.durations(
    {
      name: 'solstice_http_request_duration_seconds',
      help: 'Duration of HTTP requests in seconds, streams not included',
      labels: ['route', 'method', 'status'],
    },
    BUCKETS_S,
  )
  metrics.counter(
    {
      name: 'solstice_refusals_total',
      help: 'Requests refused because of a server-side problem, by failure code and reason',
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
function patternOf(request: FastifyRequest): string {
  const { routeOptions, is404 } = request
  return (is404 ? pathOfRefused(request) : routeOptions.url) ?? 'none'
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
