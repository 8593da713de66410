import type { PlayoutState } from '@solstice/playout'
import type { Bus, WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { anotherConnection, answered } from '../redis/connection.ts'
import { createSender } from './commands.ts'
import { followStream } from './follow-stream.ts'
import { acquireLease } from './lease/lease.ts'
import { createStateReader } from './state/reader.ts'
import { compareIds, decodeChunk, keys, pause, readWhole, splitMessage } from './wire.ts'

const HEARTBEAT_MS = 1_000
const RETRY_MS = 500

/** The bus over Redis: streams for what must not be lost or doubled, pub/sub for what is only news. */
export function openRedisBus(redis: Redis, clock: WallClock, log: Logger): Bus {
  const closing = new AbortController()
  const listeners = new Map<string, Set<(message: string) => void>>()
  // ioredis writes a SUBSCRIBE before the connection is ready, and then asks for INFO, which a subscribed connection may
  // not; and of subscriptions made that early it restores none, nor answers them. So this connection greets with nothing,
  // and each that follows is subscribed anew.
  const subscriber = anotherConnection(redis, { enableReadyCheck: false, autoResubscribe: false })
  subscriber.on('message', (channel: string, message: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(message)
  })
  subscriber.on('ready', () => {
    if (listeners.size > 0) subscriber.subscribe(...listeners.keys()).catch(() => {})
  })

  const subscribe = async (channel: string, listener: (message: string) => void) => {
    const set = listeners.get(channel) ?? new Set()
    listeners.set(channel, set.add(listener))
    const unsubscribe = () => {
      set.delete(listener)
      if (set.size > 0) return
      listeners.delete(channel)
      subscriber.unsubscribe(channel).catch(() => {})
    }
    try {
      await subscriber.subscribe(channel)
    } catch (error) {
      unsubscribe()
      throw error
    }
    return unsubscribe
  }

  let lastAnswerMs = performance.now()
  const heartbeat = setInterval(() => {
    for (const connection of [redis, subscriber]) {
      // What is asked of one that is away would wait for it, more and more of it.
      if (connection.status !== 'ready') continue
      answered(connection, connection.ping()).then(
        () => {
          if (connection === redis) lastAnswerMs = performance.now()
        },
        () => {},
      )
    }
  }, HEARTBEAT_MS)
  heartbeat.unref()

  return {
    send: createSender({ redis, clock, log, subscribe }),

    async follow(onState) {
      const reader = createStateReader()
      const waiting: { id: string; head: string }[] = []
      let latest = '0-0'
      let isOver = false
      let isTelling = false
      let telling = Promise.resolve()
      const tell = (id: string, head: string) => {
        latest = id
        waiting.push({ id, head })
        if (!isTelling) telling = tellAll()
      }
      const tellAll = async () => {
        isTelling = true
        try {
          for (let next = waiting.shift(); next; next = waiting.shift()) {
            const { state, missing } = reader.read(next.head)
            // In the same moment, so that an answer that comes next finds it told.
            const told = missing.length === 0 ? state : await fetched(next.id, next.head)
            if (isOver || closing.signal.aborted) return
            if (told) onState(told)
          }
        } finally {
          isTelling = false
        }
      }
      /** null: another state came in between, and the blocks of this one have left. */
      const fetched = async (id: string, head: string): Promise<PlayoutState | null> => {
        for (let attempt = 1; !isOver && !closing.signal.aborted; attempt++) {
          try {
            const { state, isWhole } = await readWhole(redis, reader, head)
            if (!isWhole && latest === id) await askRegister()
            return isWhole || latest === id ? state : null
          } catch (error) {
            if (attempt === 1) log.warn({ err: error }, 'a state could not be read; trying again')
            await pause(RETRY_MS)
          }
        }
        return null
      }
      const askRegister = async () => {
        const before = latest
        const [entry] = await answered(redis, redis.xrevrange(keys.air, '+', '-', 'COUNT', 1))
        // What is below the latest and came while nothing else did began anew: Redis was emptied, and its clock set back.
        if (entry && entry[0] !== before && (latest === before || compareIds(entry[0], latest) > 0))
          tell(entry[0], entry[1][1]!)
      }
      const readRegister = async () => {
        await askRegister()
        await telling
      }
      const unlearn = await subscribe(keys.blocks, (message) => reader.learn(...splitMessage(message)))
      const hear = (id: string, head: string) => {
        if (compareIds(id, latest) > 0) tell(id, head)
        else if (id !== latest) askRegister().catch(() => {})
      }
      const untell = await subscribe(keys.air, (message) => hear(...splitMessage(message))).catch((error) => {
        unlearn()
        throw error
      })
      // News may have been missed while the connection was away: the register has the latest, once news comes again.
      const catchUp = () =>
        subscriber
          .subscribe(keys.blocks, keys.air)
          .then(readRegister)
          .catch(() => {})
      subscriber.on('ready', catchUp)
      await readRegister()
      return () => {
        isOver = true
        subscriber.off('ready', catchUp)
        unlearn()
        untell()
      }
    },

    async *frames(signal) {
      const stop = AbortSignal.any([signal, closing.signal])
      for await (const [, fields] of followStream(redis, keys.frames, '0-0', 64, stop)) {
        const chunk = decodeChunk(fields)
        if (chunk) yield chunk
      }
    },

    acquireLease: (signal) =>
      acquireLease({ redis, clock, log, subscribe }, AbortSignal.any([signal, closing.signal])),

    isConnected: () => redis.status === 'ready' && performance.now() - lastAnswerMs < 3_000,

    async close() {
      closing.abort()
      clearInterval(heartbeat)
      subscriber.disconnect()
    },
  }
}
