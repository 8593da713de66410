import { randomUUID } from 'node:crypto'
import type { Ports } from '@solstice/adapters'
import type { PlayoutState } from '@solstice/playout'
import {
  createPartCutter,
  Deferred,
  dateNow,
  dateOf,
  describeSound,
  forgetHours,
  type Heard,
  joinHours,
  lastRecorded,
  type Part,
  sleep,
  withPayments,
  writePart,
} from '@solstice/station'

const RETRY_MS = 1_000
const KEEP_EVERY_MS = 300_000

export type RecorderPorts = Pick<Ports, 'bus' | 'clock' | 'config' | 'data' | 'leases' | 'log' | 'media'>

/**
 * Records the first mount until stopped. Every jobs process follows the broadcast; the one that holds the lease writes a part, and the
 * others find it written. Nothing is kept here: what isn't written yet is still in Redis when another process goes on.
 *
 * @param options.partFrames frames written at once.
 * @returns stops it; resolves when nothing is being written any more.
 */
export function recordAir(ports: RecorderPorts, options: { partFrames?: number } = {}): () => Promise<void> {
  const { bus, log } = ports
  const ending = new AbortController()
  const holder = `recorder ${randomUUID()}`
  let state: PlayoutState | null = null

  const record = async () => {
    const unfollow = await bus.follow((next) => {
      state = next
    })
    try {
      const cut = createPartCutter({
        ...options,
        last: await lastRecorded(ports.media),
        dateOf: (atMs) => dateOf(ports.clock, atMs),
        describe: (marker, speakers) => describeSound(marker, speakers, state),
      })
      for await (const chunk of bus.frames(ending.signal))
        for (const part of cut(chunk)) await write(ports, holder, await paidIn(ports, part), ending.signal)
    } finally {
      unfollow()
    }
  }

  const keep = async () => {
    const joined = await withLease(ports, 'aircheck-hours', holder, ending.signal, async () => {
      const complete = (heard: readonly Heard[]) => withPayments(ports.data, heard)
      const { length } = await joinHours(ports.media, dateNow(ports.clock), complete)
      const forgotten = await forgetHours(ports.media, ports.config.aircheckDays, dateNow(ports.clock))
      return { joined: length, forgotten }
    })
    if (joined && joined.joined + joined.forgotten > 0) log.info(joined, 'aircheck hours kept')
    await sleep(KEEP_EVERY_MS, { signal: ending.signal })
  }

  const untilStopped = async (what: string, work: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      await work().catch((error) => {
        if (!ending.signal.aborted) log.warn({ err: error }, `${what} interrupted; retrying`)
      })
      await sleep(RETRY_MS, { signal: ending.signal }).catch(() => {})
    }
  }

  const ended = Promise.all([untilStopped('aircheck', record), untilStopped('aircheck hours', keep)])
  return async () => {
    ending.abort()
    await ended
  }
}

/** The part with what was paid. Records that can't be read don't hold up the sound: the hour is completed when its parts are joined. */
async function paidIn({ data }: RecorderPorts, part: Part): Promise<Part> {
  const heard = await withPayments(data, part.heard).catch(() => part.heard)
  return { ...part, heard }
}

/** Writes a part as often as it takes: while the storage is away the broadcast waits in Redis. */
async function write(ports: RecorderPorts, holder: string, part: Part, stopping: AbortSignal): Promise<void> {
  for (let isFailing = false; !stopping.aborted; ) {
    try {
      const done = await withLease(ports, 'aircheck', holder, stopping, () => writePart(ports.media, part))
      if (done === null) continue
      if (done > 0) ports.log.debug({ frame: part.frame, frames: done }, 'aircheck part written')
      return
    } catch (error) {
      if (!isFailing && !stopping.aborted)
        ports.log.warn({ err: error }, 'aircheck part not written; retrying')
      isFailing = true
      await sleep(RETRY_MS, { signal: stopping }).catch(() => {})
    }
  }
}

/** Runs `work` under a lease; null while another process holds it. */
async function withLease<T>(
  { leases }: RecorderPorts,
  name: string,
  holder: string,
  stopping: AbortSignal,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await leases.hold(holder, [name], stopping, work)
  } catch (error) {
    if (error instanceof Deferred) return null
    throw error
  }
}
