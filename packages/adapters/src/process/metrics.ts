import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { areSame } from '../auth/equal-secrets.ts'
import type { Config } from '../config/config.ts'

/** A name that Prometheus knows it by, what it says, and what its values are told apart by. */
export interface Figure<Label extends string = string> {
  name: string
  help: string
  /** Values of labels come from small sets of our own, never from what somebody sent. */
  labels?: readonly Label[]
}

/** One value, or one by labels; null when it is not known now. */
export type Reading = number | null | readonly { labels: Record<string, string>; value: number }[]

/** What a process tells about itself, in the text format of Prometheus; of each figure what was registered last. */
export interface Metrics {
  /** A figure that goes up and down, read when somebody asks. What cannot be read in 2 s is left out. */
  gauge(figure: Figure, read: () => Reading | Promise<Reading>): void
  /** A figure that only rises while the process lives. */
  counter(figure: Figure, read: () => number | Exclude<Reading, number | null>): void
  /** Durations in seconds, counted by buckets. */
  durations<Label extends string>(
    figure: Required<Figure<Label>>,
    bucketsS: readonly number[],
  ): (labels: Record<Label, string>, seconds: number) => void
  /** All of it, with what Node knows of the process. */
  report(): Promise<Uint8Array>
}

/** The content type of a report. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

const READING_LIMIT_MS = 2_000
/** How exactly lateness of the event loop is measured. */
const LATENESS_MS = 50

export function createMetrics(): Metrics {
  const registry = new Registry()
  // Watching the process costs a little all the time, and most processes are never asked.
  let isWatching = false

  const metricOf = <Label extends string>({ name, help, labels = [] }: Figure<Label>) => {
    registry.removeSingleMetric(name)
    return { name, help, labelNames: [...labels], registers: [registry] }
  }

  return {
    gauge(figure, read) {
      const gauge: Gauge = new Gauge({
        ...metricOf(figure),
        async collect() {
          const reading = await withinLimit(read)
          gauge.reset()
          if (typeof reading === 'number') gauge.set(reading)
          else if (reading !== null) for (const { labels, value } of reading) gauge.set(labels, value)
          // A reset says zero where there are no labels.
          else if (!figure.labels) gauge.remove()
        },
      })
    },
    counter(figure, read) {
      const counter: Counter = new Counter({
        ...metricOf(figure),
        collect() {
          counter.reset()
          const reading = read()
          if (typeof reading === 'number') counter.inc(reading)
          else for (const { labels, value } of reading) counter.inc(labels, value)
        },
      })
    },
    durations(figure, bucketsS) {
      const histogram = new Histogram({ ...metricOf(figure), buckets: [...bucketsS] })
      return (labels, seconds) => histogram.observe(labels, seconds)
    },
    async report() {
      if (!isWatching)
        collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LATENESS_MS })
      isWatching = true
      return Buffer.from(await registry.metrics())
    },
  }
}

/**
 * Whether a request may be told what only operators need: with a token, whoever brings it as a bearer; without one,
 * programs of this machine, unless a proxy asks for somebody: it says so, or for which public name.
 */
export function isOfOperator({ socket, headers }: IncomingMessage, token: string): boolean {
  if (token) {
    const brought = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    return brought !== undefined && areSame(brought, token)
  }
  const isForwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => name in headers)
  const isForUs = /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.host ?? '')
  return isForUs && !isForwarded && /^(::1|(::ffff:)?127\.[\d.]+)$/.test(socket.remoteAddress ?? '')
}

/**
 * Serves what a process without HTTP of its own tells, at `METRICS_PORT`: `/metrics` to operators, and `/healthz`. An
 * address that cannot be listened on is told to the log and costs nothing else.
 *
 * @returns what ends it.
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
    // Whoever asks shall not end a process that others listen to.
    const report = await metrics.report().catch((error) => log.error({ err: error }, 'no report of metrics'))
    if (report) answer(200, METRICS_TYPE, report)
    else answer(500)
  })
  try {
    await once(server.listen(metricsPort, metricsHost), 'listening')
    const { address, port } = server.address() as AddressInfo
    log.info({ address, port }, 'metrics are served')
  } catch (error) {
    log.error({ err: error }, 'metrics cannot be served (METRICS_PORT, METRICS_HOST)')
  }
  return () => {
    server.close()
    server.closeAllConnections()
  }
}

/** What could be read in time; null otherwise. */
async function withinLimit(read: () => Reading | Promise<Reading>): Promise<Reading> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, READING_LIMIT_MS, null)
  })
  try {
    return await Promise.race([read(), tooLate])
  } catch {
    return null
  } finally {
    clearTimeout(timer)
  }
}
