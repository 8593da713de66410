import type { Unsubscribe } from './bus.ts'

/** The next piece of one continuous WebM/Opus recording. One that begins with an EBML header begins a new recording. */
export interface MicrophonePiece {
  /** Of who is on the air. */
  socketId: string
  bytes: Buffer
}

/** From the replica that holds a socket to the worker that is on air. What cannot be sent at once is lost: it is speech. */
export interface Microphones {
  send(piece: MicrophonePiece): void
  /** Calls with every piece of everybody, from now on. */
  receive(onPiece: (piece: MicrophonePiece) => void): Promise<Unsubscribe>
  /** The worker lacks the header of a recording: it has just begun to listen, or its decoder is new. */
  askForHead(socketId: string): void
  /** A replica is asked to send the header of a recording again, and the client to begin a new one. */
  onHeadWanted(onWanted: (socketId: string) => void): Promise<Unsubscribe>
}

/** Which API processes are alive. */
export interface Replicas {
  /** Says that this one is, until stopped or dead. */
  stayAlive(replica: string): Unsubscribe
  /** Those that said so within some seconds; one that died just now is among them. @throws while Redis is away. */
  present(): Promise<string[]>
  /** Those of `replicas` that have said nothing for some seconds. @throws while Redis is away. */
  missing(replicas: readonly string[]): Promise<string[]>
}
