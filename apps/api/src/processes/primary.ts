import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { Stop } from '@solstice/adapters'
import { sleep } from '@solstice/station'
import type { Logger } from 'pino'
import { makeFolder } from './folder.ts'
import { passMessages } from './messages.ts'
import { argumentsOf, type Place } from './place.ts'

const MIN_DELAY_MS = 500
const MAX_DELAY_MS = 30_000
const HEALTHY_AFTER_MS = 60_000

interface Running {
  worker: Worker
  ended: Promise<{ code: number | null; signal: string | null }>
}

/**
 * Runs a replica of several processes, which share its port: connections are handed to them in turn. The first one starts alone,
 * so that whatever is done once at a start is done by it. A process that dies is replaced after a delay, which doubles from 0.5 s
 * up to 30 s and is reset once it ran for a minute.
 *
 * @returns stops all of them; each drains as a replica does.
 * @throws when the first process ends before it listens.
 */
export async function startProcesses(count: number, log: Logger): Promise<Stop> {
  const folder = await makeFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const stopping = new AbortController()
  cluster.schedulingPolicy = cluster.SCHED_RR

  const first = start({ number: 1, folder })
  const failed = first.ended.then(({ code, signal }) => {
    throw new Error(`the first process ended with ${signal ?? `status ${code}`} before it listened`)
  })
  await Promise.race([once(first.worker, 'listening'), failed])

  const keepRunning = async (number: number, begun?: Running): Promise<void> => {
    let delayMs = MIN_DELAY_MS
    let running = begun ?? start({ number, folder })
    let sinceMs = performance.now()
    for (;;) {
      const { code, signal } = await running.ended
      if (stopping.signal.aborted) return
      if (performance.now() - sinceMs >= HEALTHY_AFTER_MS) delayMs = MIN_DELAY_MS
      log.error({ process: number, code, signal, restartInMs: delayMs }, 'process ended; starting another')
      await sleep(delayMs, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
      running = start({ number, folder })
      sinceMs = performance.now()
    }
  }
  const all = [keepRunning(1, first), ...others(count).map((number) => keepRunning(number))]
  log.info({ processes: count }, 'processes share the port')

  return async () => {
    stopping.abort()
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    await Promise.all(all)
  }
}

const others = (count: number) => Array.from({ length: count - 1 }, (_, i) => i + 2)

function start(place: Place): Running {
  cluster.setupPrimary({ args: argumentsOf(place) })
  const worker = cluster.fork()
  closeWhenLost(worker)
  passMessages(worker, place.number)
  const ended = new Promise<Awaited<Running['ended']>>((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal }))
    worker.on('error', () => {
      // It could not be started at all, for want of memory or handles; of others the end is told.
      if (worker.process.pid === undefined) resolve({ code: null, signal: null })
    })
  })
  return { worker, ended }
}

/** A connection on its way to a process that dies would stay open here, and nobody would ever answer it. */
function closeWhenLost(worker: Worker): void {
  let latest: { close?(): void } | undefined
  const send = worker.process.send.bind(worker.process) as (...given: unknown[]) => boolean
  // Node waits for each connection to be taken before it sends the next one; to close it twice does no harm.
  worker.process.send = (message: unknown, handle?: unknown, ...more: unknown[]) => {
    if (handle && typeof handle === 'object') latest = handle
    return send(message, handle, ...more)
  }
  worker.once('exit', () => latest?.close?.())
}
