import type { Unsubscribe } from './bus.ts'

/** The next piece of a continuous WebM/Opus recording. A piece that begins with an EBML header starts a new recording. */
export interface MicrophonePiece {
  /** Socket of the speaker, who is on the air. */
  socketId: string
  bytes: Buffer
}

/** Loudness as parts of full scale: 0 is silence, 1 is as loud as is told. */
export interface Loudness {
  peak: number
  rms: number
}

/** The loudness of a microphone: with its gain, in relation to the default one, and silent while muted. */
export interface MicrophoneLevel extends Loudness {
  socketId: string
}

/** Carries live speech from a replica to the worker on air. Pieces that cannot be sent at once are lost. */
export interface Microphones {
  /** Sends a piece; delivery is not confirmed. */
  send(piece: MicrophonePiece): void
  /** Calls `onPiece` with every piece from any speaker, from now on. */
  receive(onPiece: (piece: MicrophonePiece) => void): Promise<Unsubscribe>
  /** Asks for the header of a recording, which a worker lacks when it has just begun to listen or restarted its decoder. */
  askForHead(socketId: string): void
  /** Calls `onWanted` when a worker asks for a header: send it again and have the client start a new recording. */
  onHeadWanted(onWanted: (socketId: string) => void): Promise<Unsubscribe>
  /** Tells all replicas how loud the microphones are; delivery is not confirmed. */
  tellLevels(levels: readonly MicrophoneLevel[]): void
  /** Calls `onLevels` whenever a worker tells how loud all microphones that are on are. */
  onLevels(onLevels: (levels: readonly MicrophoneLevel[]) => void): Promise<Unsubscribe>
}

/** Heartbeats of the API processes. */
export interface Replicas {
  /** Sends heartbeats for this replica until stopped. */
  stayAlive(replica: string): Unsubscribe
  /** Lists the replicas with a heartbeat in the last few seconds, even if just dead. @throws while Redis is away. */
  present(): Promise<string[]>
  /** Lists those of `replicas` without a heartbeat for some seconds. @throws while Redis is away. */
  missing(replicas: readonly string[]): Promise<string[]>
}
