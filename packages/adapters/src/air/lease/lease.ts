import { randomUUID } from 'node:crypto'
import { parseSaved } from '@solstice/playout'
import { type AirLease, type MountId, type OutboxEntry, type Saved, sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import { hasReplicas } from '../../redis/address.ts'
import { clockKeys } from '../../redis/clock/station-clock.ts'
import { answered } from '../../redis/connection.ts'
import { createReplicationWait } from '../../redis/replication.ts'
import { readScript } from '../../redis/script.ts'
import { answer, readCommand, takeUp } from '../commands.ts'
import { followStream, lastId } from '../follow-stream.ts'
import { createStateReader } from '../state/reader.ts'
import { createStateSaver, type StateSaver } from '../state/saver.ts'
import { type BusLines, decodeChunk, encodeChunk, keys, readWhole } from '../wire.ts'
import { createFencedLine } from './fenced-line.ts'
import { createLeaseKeeper, type LeaseKeeper } from './keeper.ts'
import { LEASE_MS } from './status.ts'

const TRY_EVERY_MS = 500
/** After a failover the holder renews its lease first: it could not do so before. */
const HOLDER_FIRST_MS = 1_000
/** About 140 s of chunks: what playlists of HLS name, and what they named while the longest of them was read. */
const KEPT_CHUNKS = 288
/** A chunk is looked for behind so many entries of workers that held the lease and wrote none. */
const SEARCHED_ENTRIES = 64
/** A mount that is taken from the list leaves nothing in Redis. A wall clock that is set forward by days expires no other. */
const OTHER_MOUNTS_EXPIRE_S = 30 * 86_400

const ACQUIRE = readScript(
  new URL('./is-held.lua', import.meta.url),
  new URL('./acquire.lua', import.meta.url),
)

/** Waits for the lease and acquires it. @throws the signal's reason when it is aborted first. */
export async function acquireLease(
  lines: BusLines,
  signal: AbortSignal,
  mounts: readonly MountId[] = [],
): Promise<AirLease> {
  const { redis, clock, log } = lines
  const replicated = createReplicationWait(log)
  // A token that a failover forgets could be given to another worker, below ids that its holder wrote.
  const isReplicated = (redis: Redis) =>
    answered(redis, replicated(redis)).then(
      () => true,
      () => false,
    )
  const holder = randomUUID()
  const others = mounts.map((mount) => keys.frames(mount))
  const { alive, ahead } = clockKeys
  const touched = [keys.lease, keys.fencingToken, keys.air, keys.frames(), alive, ahead, ...others]
  const attempt = async (): Promise<AirLease | null> => {
    const args = [holder, LEASE_MS, KEPT_CHUNKS, clock.nowMs()]
    const acquire = redis.eval(ACQUIRE, touched.length, ...touched, ...args)
    const acquired = (await answered(redis, acquire).catch(() => null)) as [string, string | null] | null
    if (!acquired || !(await isReplicated(redis))) return null
    const keeper = createLeaseKeeper(lines, holder, acquired[0])
    return openLease(lines, keeper, Number(acquired[1] ?? 0))
  }
  const holdersTurn = watchFailovers(redis)
  let wake = () => {}
  // Only hastens the next attempt: a standby that Redis does not let listen waits on.
  const unwatch = lines.subscriptions.watch(keys.leaseFree, () => wake())
  try {
    for (;;) {
      signal.throwIfAborted()
      const news = new Promise<void>((resolve) => {
        wake = resolve
      })
      const lease = holdersTurn.isNow() ? null : await attempt()
      if (lease) return lease
      await Promise.race([sleep(TRY_EVERY_MS), news])
    }
  } finally {
    holdersTurn.end()
    unwatch()
  }
}

/** Tells when a failover has just ended, or goes on; never with a Redis of its own. */
function watchFailovers(redis: Redis) {
  if (!hasReplicas(redis)) return { isNow: () => false, end() {} }
  let readyMs = Number.NEGATIVE_INFINITY
  const noteReady = () => {
    readyMs = performance.now()
  }
  redis.on('ready', noteReady)
  return {
    isNow: () => redis.status !== 'ready' || performance.now() - readyMs < HOLDER_FIRST_MS,
    end: () => redis.off('ready', noteReady),
  }
}

function openLease(lines: BusLines, keeper: LeaseKeeper, aliveAtMs: number): AirLease {
  const { redis, log } = lines
  const line = createFencedLine(redis, keeper, log)
  const saver = createStateSaver(redis, line, log)
  return {
    lost: keeper.lost,
    resume: () => line.repeat(() => readSaved(lines, saver, keeper.fencingToken, aliveAtMs)),

    async lastChunk(mount) {
      const entries = await redis.xrevrangeBuffer(keys.frames(mount), '+', '-', 'COUNT', SEARCHED_ENTRIES)
      for (const [, fields] of entries) {
        const chunk = decodeChunk(fields)
        if (chunk) return chunk
      }
      return null
    },

    async *commands(after, stopping = keeper.lost) {
      const stop = AbortSignal.any([keeper.lost, stopping])
      for await (const [id, fields] of followStream(redis, keys.commands, after, 100, stop)) {
        // The rest is for the next holder.
        if (stop.aborted) return
        const sent = readCommand(fields)
        const lease = { token: keeper.holder, lost: stop }
        if (sent && (await takeUp(lines, lease, id, sent)))
          yield { id, asker: sent.asker, command: sent.command }
      }
    },

    lastCommand: () => lastId(redis, keys.commands),
    save: (state, due = []) => saver.save(state, due),
    async answer(asker, outcome) {
      await line.settle(() => line.ask((redis) => answer(redis, asker, outcome)))
    },

    async publish(chunk, mount) {
      const key = keys.frames(mount)
      await line.write(key, (line, id) => {
        const written = line.xadd(key, 'MAXLEN', '=', KEPT_CHUNKS, id, ...encodeChunk(chunk))
        if (mount) line.expire(key, OTHER_MOUNTS_EXPIRE_S).catch(() => {})
        return written
      })
    },

    release: keeper.release,
  }
}

/** The state saved last; `saver` goes on from its blocks. */
async function readSaved(
  { redis, log }: BusLines,
  saver: StateSaver,
  fencingToken: string,
  aliveAtMs: number,
): Promise<Saved | null> {
  const [entry] = await redis.xrevrange(keys.air, '+', '-', 'COUNT', 1)
  if (!entry) return null
  const [, head, , due = '[]'] = entry[1]
  const reader = createStateReader()
  const { state, isWhole } = await readWhole(redis, reader, head!)
  if (isWhole) saver.adopt(reader.known)
  else log.warn({ fencingToken }, 'state blocks lost; lists will be regenerated')
  return { state, outbox: parseSaved<OutboxEntry[]>(due), aliveAtMs }
}
