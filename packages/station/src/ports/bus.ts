import type { Command, Effect, Outcome, Phrase, PlayoutState, Rendition } from '@solstice/playout'

/** Timed metadata: what is heard from `frame` on. */
export type StreamMarker = SoundMarker | SilenceMarker

/** A song; a jingle, during which the song before it is still shown; or a chat. */
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
  /** How the track is played; absent = as it is. */
  rendition?: Rendition
  /** The clip that is heard, when it is a jingle. */
  jingle?: { id: string; media: string }
  /** The hosts talk over this clip, null = over silence. */
  chat?: { filler: { id: string; media: string } | null }
  /** What is mixed over the end of the song. */
  phrase?: Phrase
}

export interface SilenceMarker {
  frame: number
  entryId: null
}

/** About half a second of the broadcast: whole MP3 frames. */
export interface FrameChunk {
  /** Number of the first frame. Frames are counted without a gap over the life of the station. */
  frame: number
  frames: number
  /** Station time at which the first frame is due. */
  atMs: number
  /** Position of the first byte in the broadcast; ICY blocks are cut where it is a multiple of the metadata interval. */
  byte: number
  audio: Buffer
  /** In order of their frames. Without one for the first frame the chunk begins with silence. */
  markers: StreamMarker[]
}

/** Samples per frame and per second of the broadcast (MPEG-1 layer III at 44.1 kHz: ISO/IEC 11172-3). */
export const FRAME_SAMPLES = 1152
export const SAMPLE_RATE = 44_100
export const FRAME_MS = (FRAME_SAMPLES * 1000) / SAMPLE_RATE

/** Station time at which the frame after a chunk is due. */
export function chunkEndMs(chunk: FrameChunk): number {
  return chunk.atMs + chunk.frames * FRAME_MS
}

/** The station's nervous system, for anyone. */
export interface Bus {
  /**
   * Asks something of the air. @throws Failure AIR_UNAVAILABLE when no worker answered in 6 s: then it is not done later
   * either, unless it is a fact (`isLasting`); asking again is safe.
   */
  send<C extends Command>(command: C): Promise<Outcome<C['type']>>
  /** Calls with the saved state now, if there is one, and at every change. */
  follow(onState: (state: PlayoutState) => void): Promise<Unsubscribe>
  /** The chunks that are still kept (about 30 s), then each new one as it comes, until `signal`. */
  frames(signal: AbortSignal): AsyncIterable<FrameChunk>
  /** Waits for the lease on the air, the right to change it, and holds it until it is lost or released. */
  acquireLease(signal: AbortSignal): Promise<AirLease>
  /** True while Redis answers. */
  isConnected(): boolean
  close(): Promise<void>
}

export type Unsubscribe = () => void
export type CommandId = string

/** Who waits for the answer to a command. */
export interface Asker {
  bus: string
  token: string
}

/** What a saved state has to be followed by. Doing it twice does no harm. */
export type OutboxEntry =
  | Exclude<Effect, { type: 'played' }>
  | Played
  | { type: 'answer'; asker: Asker; outcome: Outcome }

/** `playedAt`: its date, which stays what it is however often it is recorded. Absent in what the version before saved. */
export type Played = Extract<Effect, { type: 'played' }> & { playedAt?: number }

/** `due`: what the worker that saved it may not have done any more. */
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
  /** What was saved last, and when a worker was last seen on air. */
  resume(): Promise<Saved | null>
  /** The last chunk on the air: where the next one goes on. */
  lastChunk(): Promise<FrameChunk | null>
  /** Id of the last command that was ever sent, '0-0' for none. */
  lastCommand(): Promise<CommandId>
  /** Commands after `after` that are still wanted, in order, until the lease is lost or `stopping`. */
  commands(
    after: CommandId,
    stopping?: AbortSignal,
  ): AsyncIterable<{ id: CommandId; asker: Asker; command: Command }>
  /**
   * Resolves when the state is in Redis, in one write with what is still to be done about it, and on its way to all
   * followers. @throws when the lease is lost.
   */
  save(state: PlayoutState, due?: readonly OutboxEntry[]): Promise<void>
  /** Resolves when the answer is on its way. Whoever gets it twice, or does not wait any more, ignores it. */
  answer(asker: Asker, outcome: Outcome): Promise<void>
  /** Resolves when the chunk is in Redis. @throws when the lease is lost. */
  publish(chunk: FrameChunk): Promise<void>
  /** Releases the lease at once, so that a standby need not wait for it to expire. */
  release(): Promise<void>
}

/** The clock that all processes of the station share. It goes on evenly, whoever sets a clock: for whatever lasts. */
export interface StationClock {
  /** ms; about epoch ms where the wall clock was never set. */
  nowMs(): number
}

/** The station's clock beside the wall clock, which is for dates: for what is kept, or shown to people. */
export interface WallClock extends StationClock {
  /** By how many ms the station's clock is ahead of the wall clock. */
  aheadMs(): number
}
