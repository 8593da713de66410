import type { Unsubscribe } from './bus.ts'

/** The next piece of a continuous WebM/Opus recording. A piece that begins with an EBML header starts a new recording. */
export interface MicrophonePiece {
  /** Socket of the speaker, who is on the air. */
  socketId: string
  bytes: Buffer
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
