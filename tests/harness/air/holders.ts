import { apply, type Command, type PlayoutState } from '@solstice/playout'
import {
  type AirLease,
  Failure,
  type FrameChunk,
  type OutboxEntry,
  sleep,
  type WallClock,
} from '@solstice/station'
import { pino } from 'pino'
import { openRedisBus } from '../../../packages/adapters/src/air/bus.ts'
import { readConfig } from '../../../packages/adapters/src/config/config.ts'
import { openRedis } from '../../../packages/adapters/src/redis/connection.ts'
import type { Teardown } from '../processes/processes.ts'
import type { RedisPair } from '../servers/redis-pair.ts'
import { NOON, track } from './programme.ts'
import { add, ask, queueStation } from './queue-station.ts'

const log = pino({ level: 'silent' })
const CHUNK_FRAMES = 19
const CHUNK_EVERY_MS = 40

/** A process on a pair of Redis servers, by the clock of the test. */
export async function openProcess(t: Teardown, pair: RedisPair, clock: WallClock) {
  const link = await pair.openLink(t)
  const { config } = readConfig({ JWT_SECRET: '-', ...link.env })
  const redis = await openRedis(config.redis, log, true)
  const bus = openRedisBus(redis, clock, log)
  const life = new AbortController()
  const kill = async () => {
    life.abort()
    await bus.close()
    redis.disconnect()
  }
  t.teardown(kill)
  return { bus, redis, link, life: life.signal, kill }
}

export type StationProcess = Awaited<ReturnType<typeof openProcess>>

/** Promises of holders of the lease, and faults found when it was acquired. */
export interface Promises {
  holders: number
  /** Authors of the chunks that were acknowledged, by frame. */
  chunks: Map<number, string>
  /** Names of commands that were acknowledged. */
  kept: Set<string>
  problems: string[]
}

/** Takes the lease again and again, as a worker does: continues state and frames, obeys commands and publishes sound. */
export async function work({ bus, life }: StationProcess, promises: Promises): Promise<void> {
  while (!life.aborted) {
    const lease = await bus.acquireLease(life).catch(() => null)
    // A connection that breaks while it subscribes is no reason to give up.
    if (!lease) {
      await sleep(CHUNK_EVERY_MS)
      continue
    }
    const leave = () => void lease.release()
    life.addEventListener('abort', leave, { once: true })
    // A worker that meets an error leaves the air.
    await hold(lease, life, promises).catch(() => {})
    life.removeEventListener('abort', leave)
    if (!life.aborted) await lease.release()
  }
}

async function hold(lease: AirLease, life: AbortSignal, promises: Promises) {
  const { chunks, kept, problems } = promises
  const before = [...kept]
  const author = `holder ${++promises.holders}`
  const saved = await lease.resume()
  const lost = before.filter((name) => countOf(saved?.state, name) !== 1)
  if (lost.length > 0) problems.push(`a new holder does not know ${lost}`)
  const last = await lease.lastChunk()
  let state = saved?.state ?? queueStation({})
  let frame = last ? last.frame + last.frames : 0
  const isOver = () => lease.lost.aborted || life.aborted
  /** Answers are saved with the state, until they are given. */
  const owed = new Set<OutboxEntry>()
  const give = async (entry: OutboxEntry & { type: 'answer' }) => {
    owed.add(entry)
    await lease.save(state, [...owed])
    await lease.answer(entry.asker, entry.outcome)
    owed.delete(entry)
  }
  for (const entry of saved?.outbox ?? []) if (entry.type === 'answer') await give(entry)
  const obey = async () => {
    for await (const { id, asker, command } of lease.commands(state.appliedThrough, life)) {
      const step = apply(state, command, NOON)
      state = { ...step.state, appliedThrough: id }
      await give({ type: 'answer', asker, outcome: step.outcome })
    }
  }
  const sound = async () => {
    while (!isOver()) {
      const about = { frame, frames: CHUNK_FRAMES, atMs: frame, byte: frame, markers: [] }
      await lease.publish({ ...about, audio: Buffer.from(author) } satisfies FrameChunk)
      chunks.set(frame, author)
      frame += CHUNK_FRAMES
      await sleep(CHUNK_EVERY_MS)
    }
  }
  await Promise.all([obey(), sound()])
}

/** A command by its name: an order, which is obeyed however late it is read, or a listener's request. */
export function commandOf(name: string): Command {
  const song = track(name)
  return name.startsWith('order') ? add(song, 'donated', { orderId: name, tier: 1 }) : ask(name, song)
}

/** How often a command was applied. */
export function countOf(state: PlayoutState | undefined, name: string): number {
  if (!state) return 0
  const waiting = state.playlist.entries.filter(({ orderId }) => orderId === name)
  return waiting.length + state.trackRequests.filter(({ uid }) => uid === name).length
}

/** Sends a command. @returns its outcome; 'refused' when it will not be carried out, 'unknown' when it may be. */
export async function send({ bus }: StationProcess, name: string): Promise<'kept' | 'refused' | 'unknown'> {
  try {
    const { ok } = await bus.send(commandOf(name))
    return ok ? 'kept' : 'refused'
  } catch (error) {
    const isUnavailable = error instanceof Failure && error.code === 'AIR_UNAVAILABLE'
    return isUnavailable && !name.startsWith('order') ? 'refused' : 'unknown'
  }
}
