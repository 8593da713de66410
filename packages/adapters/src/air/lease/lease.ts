import { randomUUID } from 'node:crypto'
import type { PlayoutState } from '@solstice/playout'
import type { AirLease, FrameChunk, OutboxEntry } from '@solstice/station'
import { anchorOf, clockKeys, moveExpiries } from '../../redis/clock/station-clock.ts'
import { anotherConnection, answered } from '../../redis/connection.ts'
import { answer, readCommand, takeUp } from '../commands.ts'
import { followStream, lastId } from '../follow-stream.ts'
import { createStateReader } from '../state/reader.ts'
import { createStateWriter, type WrittenState } from '../state/writer.ts'
import { type BusLines, decodeChunk, encodeChunk, keys, pause, readWhole } from '../wire.ts'
import { IS_HELD, LEASE_MS } from './status.ts'

const RENEW_EVERY_MS = 1_000
/** Without a renewal for so long the holder stops by itself, before Redis lets the lease run out. */
const GIVE_UP_MS = 3_000
const TRY_EVERY_MS = 500
/** About 30 s of chunks. */
const KEPT_CHUNKS = 64
/** What keeps a write from Redis for now: the connection, or a Redis that takes none, as while its disk is full. */
const PASSING =
  /Connection|closed|ECONN|EPIPE|LOADING|timed out|in time|MISCONF|OOM|READONLY|NOREPLICAS|BUSY /i

/**
 * Takes the lease if it is free or its holder has not been seen for so long, or was taken for this token by an attempt whose
 * answer got lost. The fencing token is the first half of every stream id that this holder will write, so Redis itself refuses a worker that lost the lease; both streams are claimed at once, before
 * anybody reads where they end. The fencing token is at least the time in milliseconds, so that it rises even when Redis was emptied,
 * and above all ids of both streams. Tells as well when the holder before was last seen, as the first renewal says that this
 * one is.
 */
const TAKE = `${IS_HELD}
if redis.call('GET', KEYS[1]) ~= ARGV[1] and is_held(KEYS[1], KEYS[5], ARGV[4], tonumber(ARGV[2])) then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
local fencing = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, math.floor(time[1] * 1000 + time[2] / 1000))
local saved = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
local sent = redis.call('XREVRANGE', KEYS[4], '+', '-', 'COUNT', 1)[1]
for _, last in pairs({ saved or false, sent or false }) do
  if last then fencing = math.max(fencing, tonumber(string.match(last[1], '^%d+')) + 1) end
end
redis.call('SET', KEYS[2], string.format('%.0f', fencing))
local claim = string.format('%.0f', fencing) .. '-0'
if saved then redis.call('XADD', KEYS[3], 'MAXLEN', 1, claim, unpack(saved[2])) end
redis.call('XADD', KEYS[4], 'MAXLEN', ARGV[3], claim, 'claim', ARGV[1])
return { string.format('%.0f', fencing), redis.call('GET', KEYS[5]) }`

/** Renews the lease: says that the station is alive, and by how much its clock is ahead; tells by how much it was before. */
const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local before = redis.call('GET', KEYS[3]) or '0'
redis.call('PERSIST', KEYS[1])
redis.call('SET', KEYS[2], ARGV[2])
redis.call('SET', KEYS[3], ARGV[3])
redis.call('SET', KEYS[4], ARGV[4])
return before`

const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PUBLISH', KEYS[2], '')
return redis.call('DEL', KEYS[1])`

/** Blocks of a state that is saved next; nothing needs them before. */
const LAY = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1`

/**
 * One write: the register with what is due, the blocks that the state needs more and less than the one before, and the news of
 * it, or nothing of all that. Tells how many blocks there are now.
 */
const SAVE = `
redis.call('XADD', KEYS[1], 'MAXLEN', 1, ARGV[1], 'state', ARGV[2], 'due', ARGV[3])
local added = 5 + 2 * tonumber(ARGV[5])
for i = 6, added, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
  if ARGV[4] == 'told' then redis.call('PUBLISH', KEYS[2], ARGV[i] .. ' ' .. ARGV[i + 1]) end
end
for i = added + 1, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
redis.call('PUBLISH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
return redis.call('HLEN', KEYS[2])`

/** Blocks that are written at a time, in characters: a list that is made anew shall not keep Redis from the sound. */
const LAID_AT_A_TIME = 1_000_000
/** New blocks that are told with a state, in characters, so that nobody has to ask for them; more of them are asked for. */
const MOST_TOLD = 64 * 1024

/** Waits for the lease and takes it. @throws the signal's reason when it is aborted first. */
export async function acquireLease(lines: BusLines, signal: AbortSignal): Promise<AirLease> {
  const token = randomUUID()
  let wake = () => {}
  const unsubscribe = await lines.subscribe(keys.leaseFree, () => wake())
  try {
    for (;;) {
      signal.throwIfAborted()
      const take = lines.redis.eval(
        TAKE,
        5,
        keys.lease,
        keys.fencingToken,
        keys.air,
        keys.frames,
        clockKeys.alive,
        token,
        LEASE_MS,
        KEPT_CHUNKS,
        lines.clock.nowMs(),
      )
      const taken = (await answered(lines.redis, take).catch(() => null)) as [string, string | null] | null
      if (taken) return holdLease(lines, token, taken[0], Number(taken[1] ?? 0))
      await Promise.race([
        pause(TRY_EVERY_MS),
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      ])
    }
  } finally {
    unsubscribe()
  }
}

function holdLease(
  { redis, clock, log }: BusLines,
  token: string,
  fencingToken: string,
  aliveAtMs: number,
): AirLease {
  const lost = new AbortController()
  const line = anotherConnection(redis)
  let count = 0
  let renewedMs = performance.now()

  const lose = (why: string) => {
    if (lost.signal.aborted) return
    log.warn({ about: 'lease', fencingToken }, `lease lost: ${why}`)
    release()
  }
  const release = () => {
    clearInterval(renewing)
    lost.abort(new Error('the lease is lost'))
    line.disconnect()
  }

  const renew = async () => {
    const { alive, ahead, anchor } = clockKeys
    const [nowMs, aheadMs] = [clock.nowMs(), clock.aheadMs()]
    const kept = [keys.lease, alive, ahead, anchor]
    const renewal = redis.eval(RENEW, kept.length, ...kept, token, nowMs, aheadMs, anchorOf(nowMs))
    try {
      const beforeMs = await answered(redis, renewal)
      if (beforeMs === null) return lose('held by another worker')
      renewedMs = performance.now()
      await moveExpiries(redis, Number(beforeMs) - aheadMs)
    } catch {
      // The check below decides.
    }
  }
  const renewing = setInterval(() => {
    if (performance.now() - renewedMs > GIVE_UP_MS) lose('the lease could not be renewed')
    else void renew()
  }, RENEW_EVERY_MS)

  let writer = createStateWriter()
  /** Nothing but the blocks of the last state is in Redis, as far as is known. */
  let isTidy = false

  /** Asks until there is an answer, for as long as the lease is held. */
  const repeated = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      lost.signal.throwIfAborted()
      if (performance.now() - renewedMs > GIVE_UP_MS + RENEW_EVERY_MS) lose('this process was asleep')
      lost.signal.throwIfAborted()
      try {
        return await ask()
      } catch (error) {
        if (!PASSING.test(String(error))) throw error
        await pause(100)
      }
    }
  }

  /** Writes one entry with our next id; a write whose answer was lost is found again by that id, and answers null. */
  const write = <T>(key: string, send: (id: string) => Promise<T>): Promise<T | null> => {
    const id = `${fencingToken}-${++count}`
    return repeated(async () => {
      try {
        return await send(id)
      } catch (error) {
        if (!/equal or smaller/.test(String(error))) throw error
        const [last] = await redis.xrevrange(key, '+', '-', 'COUNT', 1)
        if (last?.[0] !== id) lose('another worker has written')
        lost.signal.throwIfAborted()
        return null
      }
    })
  }

  /** Blocks beforehand that are too much for one write: gives those that are left for it. */
  const layBeforehand = async (added: WrittenState['added']): Promise<string[]> => {
    let piece: string[] = []
    let size = 0
    const lay = async () => {
      const laid = line.eval(LAY, 2, keys.lease, keys.blocks, token, ...piece)
      if ((await answered(line, laid, GIVE_UP_MS)) === null) lose('held by another worker')
      lost.signal.throwIfAborted()
    }
    for (const block of added) {
      if (size > LAID_AT_A_TIME) {
        await repeated(lay)
        piece = []
        size = 0
      }
      piece.push(...block)
      size += block[1].length
    }
    return piece
  }

  /** @returns whether all blocks that the state needs are there, and no others. */
  const saveOnce = async (state: PlayoutState, due: readonly OutboxEntry[]): Promise<boolean> => {
    const { head, added, removed, keys: needed } = writer.write(state)
    const present = isTidy ? [] : await repeated(() => answered(redis, redis.hkeys(keys.blocks)))
    const strays = present.filter((key) => !needed.has(key))
    const blocks = await layBeforehand(added)
    const size = [...added.values()].reduce((sum, text) => sum + text.length, 0)
    const how = size <= MOST_TOLD ? 'told' : 'untold'
    const args = [head, JSON.stringify(due), how, blocks.length / 2, ...blocks, ...removed, ...strays]
    const blockCount = await write(keys.air, (id) =>
      answered(line, line.eval(SAVE, 2, keys.air, keys.blocks, id, ...args), GIVE_UP_MS),
    )
    return blockCount === null || blockCount === needed.size
  }

  void renew()
  log.info({ about: 'lease', fencingToken }, 'lease acquired')

  return {
    lost: lost.signal,

    async resume() {
      const [entry] = await redis.xrevrange(keys.air, '+', '-', 'COUNT', 1)
      if (!entry) return null
      const [, head, , due = '[]'] = entry[1]
      const consequences = JSON.parse(due) as OutboxEntry[]
      const reader = createStateReader()
      const { state, isWhole } = await readWhole(redis, reader, head!)
      if (isWhole) writer = createStateWriter(reader.known)
      else log.warn({ fencingToken }, 'lists lost: they are made anew')
      return { state, outbox: consequences, aliveAtMs }
    },

    async lastChunk() {
      const entries = await redis.xrevrangeBuffer(keys.frames, '+', '-', 'COUNT', KEPT_CHUNKS)
      for (const [, fields] of entries) {
        const chunk = decodeChunk(fields)
        if (chunk) return chunk
      }
      return null
    },

    async *commands(after, stopping = lost.signal) {
      const stop = AbortSignal.any([lost.signal, stopping])
      for await (const [id, fields] of followStream(redis, keys.commands, after, 100, stop)) {
        // What is left is for whoever acquires the lease next.
        if (stop.aborted) return
        const sent = readCommand(fields)
        const lease = { token, lost: stop }
        if (sent && (await takeUp({ redis, clock, log }, lease, id, sent)))
          yield { id, asker: sent.asker, command: sent.command }
      }
    },

    lastCommand: () => lastId(redis, keys.commands),

    async save(state, due = []) {
      try {
        isTidy = await saveOnce(state, due)
      } catch (error) {
        isTidy = false
        writer = createStateWriter()
        throw error
      }
      if (isTidy) return
      log.warn({ fencingToken }, 'lists lost: they are written again')
      writer = createStateWriter()
      isTidy = await saveOnce(state, due)
    },

    answer: (asker, outcome) => answer({ redis }, asker, outcome),

    async publish(chunk: FrameChunk) {
      await write(keys.frames, (id) =>
        answered(
          line,
          line.xadd(keys.frames, 'MAXLEN', '=', KEPT_CHUNKS, id, ...encodeChunk(chunk)),
          GIVE_UP_MS,
        ),
      )
    },

    async release() {
      if (lost.signal.aborted) return
      await answered(redis, redis.eval(RELEASE, 2, keys.lease, keys.leaseFree, token)).catch(() => {})
      release()
    },
  }
}
