import { type Answer, type AnswerLimits, fetchBounded } from './bounded-fetch.ts'

/** A single failure may be chance. */
const FAILURES_IN_A_ROW = 5
/** After the first of them; doubled at each failure from then on, up to the maximum. */
const MIN_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 60_000

/** The requests of this process to one service of others: while it is down, nobody waits for it. */
export interface Circuit {
  readonly service: string
  /** Until the service is asked again, ms; 0 = it is asked. */
  readonly pauseMs: number
  /**
   * Sends a request, as `fetchBounded` does. After five failures in a row the service is left alone for a while; then one
   * request tries it, and while that is under way, others are refused as before. A failure is no answer in time, or a status from 500 on.
   *
   * @throws Error at once while the service is left alone; as `fetchBounded`.
   */
  fetch(url: string, request: Parameters<typeof fetchBounded>[2], limits: AnswerLimits): Promise<Answer>
}

/** By the monotonic clock, and without a queue behind the request that tries: libraries for this have neither. */
export function createCircuit(service: string, now = () => performance.now()): Circuit {
  let failures = 0
  let againMs = 0
  let isTrying = false

  const isBroken = () => failures >= FAILURES_IN_A_ROW
  const failed = () => {
    failures++
    const doublings = failures - FAILURES_IN_A_ROW
    if (doublings >= 0) againMs = now() + Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** doublings)
  }
  const ask = async (...[url, request, limits]: Parameters<Circuit['fetch']>): Promise<Answer> => {
    const answer = await fetchBounded(service, url, request, limits)
    if (answer.status !== 200) return answer
    // A body that doesn't come is a failure as well.
    const text = await answer.text()
    return { ...answer, text: async () => text, discard: async () => {} }
  }
  return {
    service,
    get pauseMs() {
      return isBroken() ? Math.max(isTrying ? 1 : 0, againMs - now()) : 0
    },
    async fetch(...asked) {
      if (isBroken() && (isTrying || now() < againMs))
        throw new Error(`${service} does not answer; it is asked again later`)
      const isTrial = isBroken()
      if (isTrial) isTrying = true
      try {
        const answer = await ask(...asked)
        if (answer.status >= 500) failed()
        else failures = 0
        return answer
      } catch (error) {
        failed()
        throw error
      } finally {
        if (isTrial) isTrying = false
      }
    },
  }
}

/** Where the metric of circuits is registered. */
interface Gauges {
  gauge(
    spec: { name: string; help: string; labels: readonly string[] },
    read: () => { labels: Record<string, string>; value: number }[],
  ): void
}

/** Circuits of a process, with their metric. */
export function openCircuits(metrics: Gauges): { open(service: string): Circuit } {
  const circuits: Circuit[] = []
  metrics.gauge(
    {
      name: 'solstice_service_left_alone',
      help: '1 while a service of others does not answer, and is asked now and then only',
      labels: ['service'],
    },
    () => circuits.map(({ service, pauseMs }) => ({ labels: { service }, value: Number(pauseMs > 0) })),
  )
  return {
    open(service) {
      const circuit = createCircuit(service)
      circuits.push(circuit)
      return circuit
    },
  }
}
