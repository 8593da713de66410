import { type PlayoutState, parseSaved } from '@solstice/playout'
import type { FrameChunk, MountId, WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Subscriptions } from '../redis/channels/subscriptions.ts'
import { answered, PREFIX } from '../redis/connection.ts'
import type { StateReader } from './state/reader.ts'

/** The keys and channels of the bus. */
export const keys = {
  /** The holder of the lease on the air. */
  lease: `${PREFIX}lease`,
  /** The last fencing token: rises with each holder and is the first half of every id that it writes. */
  fencingToken: `${PREFIX}epoch`,
  /** The state: a stream of one entry. Also the channel of each new state's head. */
  air: `${PREFIX}air`,
  /** The blocks of the saved state, by key: a hash. Also the channel of new blocks, when they are few. */
  blocks: `${PREFIX}air-blocks`,
  /** The last two minutes of sound, of the first mount or of another one. */
  frames: (mount?: MountId) => (mount ? `${PREFIX}frames:${mount}` : `${PREFIX}frames`),
  commands: `${PREFIX}commands`,
  /** Id of a command, for as long as it may be sent again. */
  asked: (token: string) => `${PREFIX}asked:${token}`,
  outcomes: (asker: string) => `${PREFIX}outcomes:${asker}`,
  /** The outcome of a command, for a sender that was not connected when it was published. */
  outcome: (token: string) => `${PREFIX}outcome:${token}`,
  /** There when the sender of a command gave up on it: no state is saved that would tell of it. */
  givenUp: (token: string) => `${PREFIX}given-up:${token}`,
  /** Published when the lease was released. */
  leaseFree: `${PREFIX}desk-free`,
} as const

/** The parts of the bus that the lease and the commands work with. */
export interface BusLines {
  redis: Redis
  clock: WallClock
  log: Logger
  subscriptions: Subscriptions<string>
}

type StreamEntry = [id: Buffer, fields: Buffer[]]

/** The entries of the one stream that was read. */
export function entriesOf(reply: unknown): StreamEntry[] {
  const streams = reply as [Buffer, StreamEntry[]][] | null | undefined
  return streams?.[0]?.[1] ?? []
}

/** A chunk as the fields of a stream entry: what it is, then its bytes. Markers are called cues there. */
export function encodeChunk({ audio, markers, ...about }: FrameChunk): (string | Buffer)[] {
  return ['about', JSON.stringify({ ...about, cues: markers } satisfies StoredChunk), 'audio', audio]
}

/** The chunk in a stream entry; null for the entry by which a new holder fenced the stream. */
export function decodeChunk(fields: Buffer[]): FrameChunk | null {
  if (fields[0]?.toString() !== 'about') return null
  const { cues, ...about } = parseSaved<StoredChunk>(fields[1]!.toString())
  return { ...about, audio: fields[3]!, markers: cues }
}

type StoredChunk = Omit<FrameChunk, 'audio' | 'markers'> & { cues: FrameChunk['markers'] }

/** Order of two Redis stream ids. */
export function compareIds(a: string, b: string): number {
  const [aHigh, aLow] = a.split('-').map(Number) as [number, number]
  const [bHigh, bLow] = b.split('-').map(Number) as [number, number]
  return aHigh - bHigh || aLow - bLow
}

/** Blocks per request: a batch is parsed while no other work waits longer than that. */
const BLOCKS_AT_A_TIME = 50

/** Reads a state with all its blocks; if one is missing, the state that the head alone gives. */
export async function readWhole(
  redis: Redis,
  reader: StateReader,
  head: string,
): Promise<{ state: PlayoutState; isWhole: boolean }> {
  for (;;) {
    const { state, missing } = reader.read(head)
    if (missing.length === 0) return { state, isWhole: true }
    for (let at = 0; at < missing.length; at += BLOCKS_AT_A_TIME) {
      const some = missing.slice(at, at + BLOCKS_AT_A_TIME)
      const texts = await answered(redis, redis.hmget(keys.blocks, ...some))
      for (const [i, text] of texts.entries()) {
        if (text === null) return { state, isWhole: false }
        reader.learn(some[i]!, text)
      }
    }
  }
}

/** The part before the first space, and the rest. */
export function splitMessage(message: string): [string, string] {
  const space = message.indexOf(' ')
  return [message.slice(0, space), message.slice(space + 1)]
}
