import { randomUUID } from 'node:crypto'
import { type Command, type Outcome, readState } from '@solstice/playout'
import type { AirDesk, Asker, Consequence, FrameChunk } from '@solstice/station'
import { type BusLines, decodeChunk, encodeChunk, entriesOf, keys, pause } from './bus-wire.ts'
import { anotherConnection, answered } from './redis.ts'
import { CORRECTION_KEY } from './station-clock.ts'

const LEASE_MS = 4_000
const RENEW_EVERY_MS = 1_000
/** Without a renewal for so long the holder stops by itself, before Redis lets the lease run out. */
const GIVE_UP_MS = 3_000
const TRY_EVERY_MS = 500
/** About 30 s of chunks. */
const KEPT_CHUNKS = 64
const BLOCK_MS = 1_000
const CLOCK_STEP_MS = 500
/** What keeps a write from Redis for now: the connection, or a Redis that takes none, as while its disk is full. */
const PASSING =
  /Connection|closed|ECONN|EPIPE|LOADING|timed out|in time|MISCONF|OOM|READONLY|NOREPLICAS|BUSY /i

/**
 * Takes the lease if it is free, or was taken for this token by an attempt whose answer got lost. The epoch is the first half of every stream id that this holder will write, so Redis
 * itself refuses a worker that lost the lease; both streams are claimed at once, before anybody reads where they end.
 * The epoch is at least the time in milliseconds: it rises even when Redis was emptied. Tells as well when the holder
 * before was last seen, as the first renewal says that this one is.
 */
const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
local epoch = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, math.floor(time[1] * 1000 + time[2] / 1000))
redis.call('SET', KEYS[2], string.format('%.0f', epoch))
local claim = string.format('%.0f', epoch) .. '-0'
local saved = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
if saved then redis.call('XADD', KEYS[3], 'MAXLEN', 1, claim, unpack(saved[2])) end
redis.call('XADD', KEYS[4], 'MAXLEN', ARGV[3], claim, 'claim', ARGV[1])
return { string.format('%.0f', epoch), redis.call('GET', KEYS[5]) }`

/** Renews the lease and says that the station is alive; keeps the clock steady when Redis's own was set. */
const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
local time = redis.call('TIME')
local correction = tonumber(redis.call('GET', KEYS[3]) or '0')
local differs = tonumber(ARGV[3]) - (time[1] * 1000 + time[2] / 1000 + correction)
if math.abs(differs) > tonumber(ARGV[4]) then
  redis.call('SET', KEYS[3], string.format('%.3f', correction + differs))
end
return 1`

const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PUBLISH', KEYS[2], '')
return redis.call('DEL', KEYS[1])`

/** One write: the register with what is due, and the news of the state, or nothing of it. */
const SAVE = `
redis.call('XADD', KEYS[1], 'MAXLEN', 1, ARGV[1], 'state', ARGV[2], 'due', ARGV[3])
return redis.call('PUBLISH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])`

/** Waits for the lease and takes it. @throws the signal's reason when it is aborted first. */
export async function takeDesk(lines: BusLines, signal: AbortSignal): Promise<AirDesk> {
  const token = randomUUID()
  let wake = () => {}
  const unsubscribe = await lines.subscribe(keys.deskFree, () => wake())
  try {
    for (;;) {
      signal.throwIfAborted()
      const take = lines.redis.eval(
        TAKE,
        5,
        keys.lease,
        keys.epoch,
        keys.air,
        keys.frames,
        keys.alive,
        token,
        LEASE_MS,
        KEPT_CHUNKS,
      )
      const taken = (await answered(lines.redis, take).catch(() => null)) as [string, string | null] | null
      if (taken) return holdDesk(lines, token, taken[0], Number(taken[1] ?? 0))
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

function holdDesk({ redis, clock, log }: BusLines, token: string, epoch: string, aliveAtMs: number): AirDesk {
  const lost = new AbortController()
  const line = anotherConnection(redis)
  let count = 0
  let renewedMs = performance.now()

  const loseDesk = (why: string) => {
    if (lost.signal.aborted) return
    log.warn({ epoch }, `desk lost: ${why}`)
    release()
  }
  const release = () => {
    clearInterval(renewing)
    lost.abort(new Error('The desk is lost'))
    line.disconnect()
  }

  const renew = async () => {
    const args = [token, LEASE_MS, clock.nowMs(), CLOCK_STEP_MS]
    const renewal = redis.eval(RENEW, 3, keys.lease, keys.alive, CORRECTION_KEY, ...args)
    try {
      if ((await answered(redis, renewal)) === null) loseDesk('somebody else has the lease')
      else renewedMs = performance.now()
    } catch {
      // The check below decides.
    }
  }
  const renewing = setInterval(() => {
    if (performance.now() - renewedMs > GIVE_UP_MS) loseDesk('the lease could not be renewed')
    else void renew()
  }, RENEW_EVERY_MS)

  /** Writes one entry with our next id; a write whose answer was lost is found again by that id. */
  const write = async (key: string, send: (id: string) => Promise<unknown>) => {
    const id = `${epoch}-${++count}`
    for (;;) {
      lost.signal.throwIfAborted()
      if (performance.now() - renewedMs > GIVE_UP_MS + RENEW_EVERY_MS) loseDesk('this process was asleep')
      lost.signal.throwIfAborted()
      try {
        await send(id)
        return
      } catch (error) {
        if (/equal or smaller/.test(String(error))) {
          const [last] = await redis.xrevrange(key, '+', '-', 'COUNT', 1)
          if (last?.[0] === id) return
          loseDesk('another worker has written')
        } else if (PASSING.test(String(error))) {
          await pause(100)
        } else {
          throw error
        }
      }
    }
  }

  void renew()
  log.info({ epoch }, 'desk taken')

  return {
    lost: lost.signal,

    async resume() {
      const [entry] = await redis.xrevrange(keys.air, '+', '-', 'COUNT', 1)
      if (!entry) return null
      const [, state, , due = '[]'] = entry[1]
      const consequences = JSON.parse(due) as Consequence[]
      return { state: readState(state!), due: consequences, aliveAtMs }
    },

    async lastChunk() {
      const entries = await redis.xrevrangeBuffer(keys.frames, '+', '-', 'COUNT', KEPT_CHUNKS)
      for (const [, fields] of entries) {
        const chunk = decodeChunk(fields)
        if (chunk) return chunk
      }
      return null
    },

    async *commands(after) {
      const reader = anotherConnection(redis)
      lost.signal.addEventListener('abort', () => reader.disconnect())
      while (!lost.signal.aborted) {
        const read = reader.xreadBuffer('COUNT', 100, 'BLOCK', BLOCK_MS, 'STREAMS', keys.commands, after)
        const reply = await answered(reader, read, BLOCK_MS + 3_000).catch(() => undefined)
        if (lost.signal.aborted) return
        if (reply === undefined) await pause(200)
        for (const [rawId, fields] of entriesOf(reply)) {
          after = rawId.toString()
          const command = readCommand(fields)
          if (command) yield { id: after, ...command }
        }
      }
    },

    save: (state, due = []) =>
      write(keys.air, (id) =>
        answered(
          line,
          line.eval(SAVE, 1, keys.air, id, JSON.stringify(state), JSON.stringify(due)),
          GIVE_UP_MS,
        ),
      ),

    async answer({ bus, token }: Asker, outcome: Outcome) {
      await answered(redis, redis.publish(keys.outcomes(bus), JSON.stringify({ token, outcome })))
    },

    publish: (chunk: FrameChunk) =>
      write(keys.frames, (id) =>
        answered(
          line,
          line.xadd(keys.frames, 'MAXLEN', '=', KEPT_CHUNKS, id, ...encodeChunk(chunk)),
          GIVE_UP_MS,
        ),
      ),

    async handOver() {
      if (lost.signal.aborted) return
      await answered(redis, redis.eval(RELEASE, 2, keys.lease, keys.deskFree, token)).catch(() => {})
      release()
    },
  }
}

function readCommand(fields: Buffer[]): { asker: Asker; command: Command } | null {
  const texts = fields.map((field) => field.toString())
  try {
    const command = JSON.parse(texts[5]!) as Command
    return { asker: { bus: texts[1]!, token: texts[3]! }, command }
  } catch {
    return null
  }
}
