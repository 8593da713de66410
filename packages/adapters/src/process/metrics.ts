import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { areSecretsEqual } from '../auth/equal-secrets.ts'
import type { Config } from '../config/config.ts'

/** Prometheus metric name, help text and label names. */
export interface MetricSpec<Label extends string = string> {
  name: string
  help: string
  /** Label values come from small fixed sets, never from a request: each value is a time series of its own. */
  labels?: readonly Label[]
}

/** One value, or one per set of labels; null while it is unknown. */
export type Sample = number | null | readonly { labels: Record<string, string>; value: number }[]

/** The metrics of a process, in the text format of Prometheus. Registering a name again replaces it. */
export interface Metrics {
  /** A value that goes up and down, read at each scrape. Left out when reading fails or takes longer than 2 s. */
  gauge(spec: MetricSpec, read: () => Sample | Promise<Sample>): void
  /** A value that only rises during the life of the process. */
  counter(spec: MetricSpec, read: () => number | Exclude<Sample, number | null>): void
  /** A histogram of durations in seconds. */
  durations<Label extends string>(
    spec: Required<MetricSpec<Label>>,
    bucketsS: readonly number[],
  ): (labels: Record<Label, string>, seconds: number) => void
  /** All metrics, including Node's own metrics of the process. */
  report(): Promise<Uint8Array>
}

/** The content type of a report. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** Scrapes are a few seconds apart; one value that hangs must not cost the others. */
const READ_TIMEOUT_MS = 2_000
const EVENT_LOOP_PRECISION_MS = 50

export function createMetrics(): Metrics {
  const registry = new Registry()
  // Node's own metrics cost a little all the time, and most processes are never scraped.
  let hasDefaults = false

  const configOf = <Label extends string>({ name, help, labels = [] }: MetricSpec<Label>) => {
    registry.removeSingleMetric(name)
    return { name, help, labelNames: [...labels], registers: [registry] }
  }

  return {
    gauge(spec, read) {
      const gauge: Gauge = new Gauge({
        ...configOf(spec),
        async collect() {
          const sample = await readInTime(read)
          gauge.reset()
          if (typeof sample === 'number') gauge.set(sample)
          else if (sample !== null) for (const { labels, value } of sample) gauge.set(labels, value)
          // Without labels a reset means zero, which would be wrong for an unknown value.
          else if (!spec.labels) gauge.remove()
        },
      })
    },
    counter(spec, read) {
      const counter: Counter = new Counter({
        ...configOf(spec),
        collect() {
          counter.reset()
          const sample = read()
          if (typeof sample === 'number') counter.inc(sample)
          else for (const { labels, value } of sample) counter.inc(labels, value)
        },
      })
    },
    durations(spec, bucketsS) {
      const histogram = new Histogram({ ...configOf(spec), buckets: [...bucketsS] })
      return (labels, seconds) => histogram.observe(labels, seconds)
    },
    async report() {
      if (!hasDefaults)
        collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS })
      hasDefaults = true
      return Buffer.from(await registry.metrics())
    },
  }
}

/**
 * True when a request comes from an operator. With a token: it carries that token as a bearer. Without one: it comes from
 * this machine and not through a proxy, which shows in its forwarding headers or in a public host name.
 */
export function isOfOperator({ socket, headers }: IncomingMessage, token: string): boolean {
  if (token) {
    const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    return bearer !== undefined && areSecretsEqual(bearer, token)
  }
  const isForwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => name in headers)
  const isLocalName = /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.host ?? '')
  return isLocalName && !isForwarded && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(socket.remoteAddress ?? '')
}

/**
 * Serves `/metrics` (to operators) and `/healthz` at `METRICS_PORT`, for processes without HTTP of their own. A port that
 * cannot be opened is logged and otherwise ignored.
 *
 * @returns a function that stops serving.
 */
export async function serveMetrics(
  metrics: Metrics,
  { metricsPort, metricsHost, metricsToken }: Pick<Config, 'metricsPort' | 'metricsHost' | 'metricsToken'>,
  log: Logger,
): Promise<() => void> {
  if (metricsPort === null) return () => {}
  const server = createServer(async (request, response) => {
    const answer = (status: number, type = 'text/plain', body: Uint8Array | string = '') =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
    if (request.url === '/healthz') return answer(200, 'application/json', '{"ok":true}')
    if (request.url !== '/metrics') return answer(404)
    if (!isOfOperator(request, metricsToken)) return answer(metricsToken ? 401 : 403)
    const report = await metrics.report().catch((error) => log.error({ err: error }, 'metrics report failed'))
    if (report) answer(200, METRICS_TYPE, report)
    else answer(500)
  })
  try {
    await once(server.listen(metricsPort, metricsHost), 'listening')
    const { address, port } = server.address() as AddressInfo
    log.info({ address, port }, 'metrics served')
  } catch (error) {
    log.error({ err: error }, 'metrics cannot be served (METRICS_PORT, METRICS_HOST)')
  }
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

/** null when reading fails or takes too long. */
async function readInTime(read: () => Sample | Promise<Sample>): Promise<Sample> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, READ_TIMEOUT_MS, null)
  })
  try {
    return await Promise.race([read(), timeout])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
