import type { FrameChunk, StationClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { PREFIX } from './redis.ts'

/** The keys and channels of the bus. */
export const keys = {
  /** Who holds the desk. */
  lease: `${PREFIX}lease`,
  /** How often the desk was taken; the first half of every id that a holder writes. */
  epoch: `${PREFIX}epoch`,
  /** Station time at which a holder was last seen. */
  alive: `${PREFIX}alive`,
  /** Register of the state: a stream of one entry. Also the channel on which each new state is told. */
  air: `${PREFIX}air`,
  /** The last half minute of sound. */
  frames: `${PREFIX}frames`,
  commands: `${PREFIX}commands`,
  outcomes: (asker: string) => `${PREFIX}outcomes:${asker}`,
  /** Told when the desk was handed over. */
  deskFree: `${PREFIX}desk-free`,
} as const

/** What `takeDesk` needs of the bus. */
export interface BusLines {
  redis: Redis
  clock: StationClock
  log: Logger
  subscribe(channel: string, listener: (message: string) => void): Promise<() => void>
}

type StreamEntry = [id: Buffer, fields: Buffer[]]

/** The entries of the one stream that was read. */
export function entriesOf(reply: unknown): StreamEntry[] {
  const streams = reply as [Buffer, StreamEntry[]][] | null | undefined
  return streams?.[0]?.[1] ?? []
}

/** A chunk as the fields of a stream entry: what it is, then its bytes. */
export function encodeChunk({ audio, ...about }: FrameChunk): (string | Buffer)[] {
  return ['about', JSON.stringify(about), 'audio', audio]
}

/** The chunk in a stream entry; null for an entry by which a holder only claimed the stream. */
export function decodeChunk(fields: Buffer[]): FrameChunk | null {
  if (fields[0]?.toString() !== 'about') return null
  return { ...(JSON.parse(fields[1]!.toString()) as Omit<FrameChunk, 'audio'>), audio: fields[3]! }
}

/** Order of two Redis stream ids. */
export function compareIds(a: string, b: string): number {
  const [aHigh, aLow] = a.split('-').map(Number) as [number, number]
  const [bHigh, bLow] = b.split('-').map(Number) as [number, number]
  return aHigh - bHigh || aLow - bLow
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
