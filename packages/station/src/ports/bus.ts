import type { Command, CuePoints, Effect, OrderType, Outcome, Phrase, PlayoutState } from '@solstice/playout'

/** Timed metadata: names the sound that begins at `frame`. */
export type StreamMarker = SoundMarker | SilenceMarker

/** A track; a jingle, during which the track before it is still shown; or a chat. */
export interface SoundMarker {
  /** Frame number at which this begins. */
  frame: number
  entryId: string
  trackId: string
  title: string
  artist: string
  /** Position within the track or jingle at that frame, ms. */
  positionMs: number
  /** ms, null when unknown. */
  durationMs: number | null
  /** Gain and cue points of the track; absent = played unchanged. */
  cuePoints?: CuePoints
  /** The clip that is heard, when it is a jingle. */
  jingle?: { id: string; media: string }
  /** The hosts talk over this clip, null = over silence. */
  chat?: { background: { id: string; media: string } | null }
  /** The phrase mixed over the end of the track. */
  phrase?: Phrase
  /** Who asked for the track; absent = nobody. Earlier versions did not store it. */
  order?: { type: NonNullable<OrderType>; id: string | null }
}

export interface SilenceMarker {
  frame: number
  entryId: null
}

/** Whose microphones are open from a frame on. */
export interface Speakers {
  frame: number
  names: string[]
}

/**
 * One encoding of the broadcast. A station has at least one, in MP3; all are made of the same samples, and frame n of each
 * holds the samples from n times its frame length on.
 */
export interface Mount {
  readonly codec: 'mp3' | 'aac' | 'opus'
  /** kbit/s */
  readonly bitrate: number
}

/** The name of a mount beside the first, such as `aac-64`. */
export type MountId = `${Mount['codec']}-${number}`

/** A stretch of the broadcast in which the station's time and the samples go on together. */
export interface Stretch {
  /** One more than that of the stretch before; the first one's comes from the clock, so that it rises even then. */
  number: number
  /** The first sample. */
  sample: number
}

/** About half a second of a mount: whole frames. */
export interface FrameChunk {
  /** Number of the first frame. The frames of a mount are counted without a gap over the life of the station. */
  frame: number
  frames: number
  /** Station time at which the first frame is due. */
  atMs: number
  /** Position of the first byte in the mount; ICY blocks are cut where it is a multiple of the metadata interval. */
  byte: number
  /** The frames; those of Opus in pages of Ogg, each of which holds whole frames. */
  audio: Buffer
  /** In order of their frames. Without one for the first frame the chunk begins with silence. */
  markers: StreamMarker[]
  /** In order of their frames; before the first one nobody speaks. Only in the first mount; earlier versions did not store it. */
  speakers?: Speakers[]
  /** The stretch to which the end of the chunk belongs, the same in all mounts; earlier versions did not store it. */
  stretch?: Stretch
}

/** Samples per frame and per second of the broadcast (MPEG-1 layer III at 44.1 kHz: ISO/IEC 11172-3). */
export const FRAME_SAMPLES = 1152
export const SAMPLE_RATE = 44_100
export const FRAME_MS = (FRAME_SAMPLES * 1000) / SAMPLE_RATE

/** Station time at which the frame after a chunk is due. */
export function chunkEndMs(chunk: FrameChunk): number {
  return chunk.atMs + chunk.frames * FRAME_MS
}

/** The message bus between API, worker and jobs: commands, state and audio. Any process may open it. */
export interface Bus {
  /**
   * Sends a command to the worker on air and waits for the outcome; sending it again is safe.
   * @throws Failure AIR_UNAVAILABLE when no worker answers within 6 s; after that only a fact (`isLasting`) is still applied.
   */
  send<C extends Command>(command: C): Promise<Outcome<C['type']>>
  /** Calls `onState` with the saved state, if there is one, and then at every change. */
  follow(onState: (state: PlayoutState) => void): Promise<Unsubscribe>
  /**
   * Yields the chunks of a mount, by default of the first, that are still stored (a good two minutes), then each new one, until
   * `signal` is aborted.
   */
  frames(signal: AbortSignal, mount?: MountId): AsyncIterable<FrameChunk>
  /**
   * Waits for the lease on the air and renews it until it is lost or released.
   *
   * @param mounts those beside the first: a holder before can no longer write to them.
   */
  acquireLease(signal: AbortSignal, mounts?: readonly MountId[]): Promise<AirLease>
  /** True while Redis answers. */
  isConnected(): boolean
  close(): Promise<void>
}

export type Unsubscribe = () => void
export type CommandId = string

/** The sender of a command, to whom its answer goes. */
export interface Asker {
  bus: string
  token: string
}

/** A side effect still owed for a saved state; idempotent. */
export type OutboxEntry =
  | Exclude<Effect, { type: 'played' }>
  | Played
  | { type: 'answer'; asker: Asker; outcome: Outcome }
  | Told

/** A line of the logbook that is not filed yet: what the engine was told, of which the state is the result. */
export interface Told {
  type: 'told'
  chapter: string
  /** Its place in the chapter. */
  n: number
  line: string
}

/** `playedAt` is fixed when the entry is made, so that repeats record the same date; absent in older saved states. */
export type Played = Extract<Effect, { type: 'played' }> & { playedAt?: number }

/** A saved state; the worker that saved it may not have got to its `outbox`. */
export interface Saved {
  state: PlayoutState
  outbox: OutboxEntry[]
  aliveAtMs: number
}

/**
 * The lease on the air: only its holder writes to it. Fenced: every write carries the fencing token of this lease, so after
 * `lost` Redis itself refuses it.
 */
export interface AirLease {
  readonly lost: AbortSignal
  /** Reads the last saved state and the time at which a worker was last on air; null before the first save. */
  resume(): Promise<Saved | null>
  /** Reads the last chunk of a mount, by default of the first, which the next one must continue; null when none is stored. */
  lastChunk(mount?: MountId): Promise<FrameChunk | null>
  /** Reads the id of the last command ever sent, '0-0' for none. */
  lastCommand(): Promise<CommandId>
  /** Yields the unexpired commands after `after`, in order, until the lease is lost or `stopping` is aborted. */
  commands(
    after: CommandId,
    stopping?: AbortSignal,
  ): AsyncIterable<{ id: CommandId; asker: Asker; command: Command }>
  /**
   * Saves the state and its outbox in one write; resolves when they are in Redis and published to all followers.
   * @throws when the lease is lost.
   */
  save(state: PlayoutState, due?: readonly OutboxEntry[]): Promise<void>
  /**
   * Resolves when the answer is sent and no failover can lose it. Its receiver ignores a duplicate, and an answer that it no longer
   * waits for. @throws when the lease is lost; the next holder answers, if the answer was saved as due.
   */
  answer(asker: Asker, outcome: Outcome): Promise<void>
  /** Publishes a chunk of a mount, by default of the first; resolves when it is in Redis. @throws when the lease is lost. */
  publish(chunk: FrameChunk, mount?: MountId): Promise<void>
  /** Releases the lease at once, so that a standby need not wait for it to expire. */
  release(): Promise<void>
}

/** The clock that all processes of the station share. It measures durations: setting a wall clock does not move it. */
export interface StationClock {
  /** ms; about epoch ms where the wall clock was never set. */
  nowMs(): number
}

/** The station's clock with its distance from the wall clock, for dates that are stored or shown to people. */
export interface WallClock extends StationClock {
  /** ms by which the station's clock is ahead of the wall clock. */
  aheadMs(): number
}
