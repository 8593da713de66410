import type { PlayoutState } from '@solstice/playout'
import { sleep, type Unsubscribe } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Subscriptions } from '../redis/channels/subscriptions.ts'
import { answered } from '../redis/connection.ts'
import { createStateReader } from './state/reader.ts'
import { compareIds, keys, readWhole, splitMessage } from './wire.ts'

const RETRY_MS = 500

interface StateSource {
  redis: Redis
  log: Logger
  subscriptions: Subscriptions<string>
  /** Ends all following. */
  closing: AbortSignal
}

/** Calls with the saved state now, if there is one, and with each new one, in order. */
export async function followState(
  source: StateSource,
  onState: (state: PlayoutState) => void,
): Promise<Unsubscribe> {
  const { subscriptions } = source
  let isUnfollowed = false
  const isOver = () => isUnfollowed || source.closing.aborted
  const queue = createStateQueue(source, isOver, onState)
  const unlearn = await subscriptions.subscribe(keys.blocks, (message) =>
    queue.learn(...splitMessage(message)),
  )
  const onHead = (message: string) => queue.receive(...splitMessage(message))
  const unsubscribe = await subscriptions.subscribe(keys.air, onHead).catch((error) => {
    unlearn()
    throw error
  })
  const forget = subscriptions.onRestored([keys.blocks, keys.air], queue.readRegister)
  await queue.readRegister()
  return () => {
    isUnfollowed = true
    forget()
    unlearn()
    unsubscribe()
  }
}

/** Turns heads into states, one after the other; blocks that were not published are read from Redis. */
function createStateQueue(
  { redis, log }: StateSource,
  isOver: () => boolean,
  onState: (state: PlayoutState) => void,
) {
  const reader = createStateReader()
  const waiting: { id: string; head: string }[] = []
  let latest = '0-0'
  let isDraining = false
  let drained = Promise.resolve()

  const push = (id: string, head: string) => {
    latest = id
    waiting.push({ id, head })
    if (!isDraining) drained = drain()
  }
  const drain = async () => {
    isDraining = true
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { state, missing } = reader.read(next.head)
        // Not awaited when nothing is missing: an answer that arrives next has to find this state followed.
        const whole = missing.length === 0 ? state : await readMissing(next.id, next.head)
        if (isOver()) return
        if (whole) onState(whole)
      }
    } finally {
      isDraining = false
    }
  }
  /** null: another state came in between, and the blocks of this one are gone. */
  const readMissing = async (id: string, head: string): Promise<PlayoutState | null> => {
    for (let attempt = 1; !isOver(); attempt++) {
      try {
        const { state, isWhole } = await readWhole(redis, reader, head)
        if (!isWhole && latest === id) await askRegister()
        return isWhole || latest === id ? state : null
      } catch (error) {
        if (attempt === 1) log.warn({ err: error }, 'state could not be read, retrying')
        await sleep(RETRY_MS)
      }
    }
    return null
  }
  const askRegister = async () => {
    const before = latest
    const [entry] = await answered(redis, redis.xrevrange(keys.air, '+', '-', 'COUNT', 1))
    // A lower id that came while nothing else did: Redis was emptied and its clock set back.
    if (entry && entry[0] !== before && (latest === before || compareIds(entry[0], latest) > 0))
      push(entry[0], entry[1][1]!)
  }

  return {
    learn: reader.learn,
    receive(id: string, head: string) {
      if (compareIds(id, latest) > 0) push(id, head)
      else if (id !== latest) askRegister().catch(() => {})
    },
    /** Resolves when the latest state was followed. */
    async readRegister() {
      await askRegister()
      await drained
    },
  }
}
