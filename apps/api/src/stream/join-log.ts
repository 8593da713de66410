import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'

/** A line for each listener is enough to follow them by hand; of a crowd nobody reads them. */
const MAX_LINES_PER_S = 20
const SECOND_MS = 1_000

export interface JoinLog {
  /** Logs a listener who joins, or counts it for the line that tells of a crowd. */
  joined(request: IncomingMessage, requestId: string): void
  /** Logs those counted so far. */
  flush(): void
}

/** @param log with the serializer of requests. */
export function createJoinLog(log: FastifyBaseLogger, now: () => number = () => performance.now()): JoinLog {
  let beganMs = Number.NEGATIVE_INFINITY
  let lines = 0
  let others = 0
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    if (others > 0) log.info({ listeners: others }, 'more stream listeners joined')
    others = 0
  }

  return {
    flush,
    joined(request, requestId) {
      const nowMs = now()
      if (nowMs - beganMs >= SECOND_MS) {
        flush()
        beganMs = nowMs
        lines = 0
      }
      if (lines++ < MAX_LINES_PER_S) {
        const { method, url } = request
        log.info({ reqId: requestId, req: { method, url, raw: request } }, 'stream listener joined')
      } else if (others++ === 0) timer = setTimeout(flush, SECOND_MS).unref()
    },
  }
}
