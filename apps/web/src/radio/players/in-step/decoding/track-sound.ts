import type { FrameReader } from './frame-reader.ts'
import type { FrameHeader } from './mp3-frames.ts'

/** All sound is handled at this rate; files of another one are converted as they are decoded. */
export const RATE = 44_100

/** The sound of a track, decoded piece by piece around the place where it is played. Samples are counted at `RATE`. */
export interface TrackSound {
  /** Reads the head of the file, and asks for the sound from this position on, in seconds. */
  open(positionS: number): void
  /** The sample at a position in seconds; null until the file's head is read. */
  sampleAt(positionS: number): number | null
  /** Asks for the sound from this sample on, and lets go of what lies elsewhere. */
  want(sample: number): void
  /** The decoded piece that holds this sample, if there is one. */
  pieceAt(sample: number): Piece | null
  /** The sample after the last one; null until it is known. */
  endsAt(): number | null
}

export interface Piece {
  /** From this sample to before that one it may be played. */
  start: number
  end: number
  /** The samples, with some more at both ends. */
  channels: Float32Array[]
  /** Index in `channels` of the sample `start`. */
  lead: number
}

/** Frames per piece, about 10 s. This many frames last whole samples at `RATE`, whatever the rate of the file. */
const PIECE_FRAMES = 390
/** Decoded before a piece, since a frame needs the ones before it, and after it. Whole samples too. */
const LEAD_FRAMES = 10
const TAIL_FRAMES = 2
/** The next piece is decoded when this much is left of the one before. */
const AHEAD_PIECES = 1

export interface Decoder {
  decode(mp3: ArrayBuffer): Promise<{ channels: Float32Array[]; length: number }>
}

/** @param onFailed called with each failure to read or decode; the sound is asked for again by the next `want`. */
export function createTrackSound(
  reader: FrameReader,
  decoder: Decoder,
  onFailed: (error: unknown) => void,
): TrackSound {
  let header: FrameHeader | null = null
  let delay = 0
  let samplesPerPiece = 0
  let end: number | null = null
  let isBusy = false
  let openedAtS = 0
  let wantedSample: number | null = null
  const pieces = new Map<number, Piece>()

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      if (!header) readHeader(await reader.head())
      for (let index = missing(); index !== null; index = missing()) await load(index)
    } catch (error) {
      onFailed(error)
    } finally {
      isBusy = false
    }
  }

  function readHeader(head: Awaited<ReturnType<FrameReader['head']>>): void {
    header = head.header
    delay = Math.round((head.delay * RATE) / header.sampleRate)
    samplesPerPiece = samplesOf(PIECE_FRAMES)
  }

  const samplesOf = (frames: number) => Math.round((frames * header!.samples * RATE) / header!.sampleRate)
  const sampleOf = (positionS: number) => Math.round(positionS * RATE) + delay
  const pieceOf = (sample: number) => Math.max(0, Math.floor(sample / samplesPerPiece))

  /** The first piece that is wanted and not there; lets go of those that aren't wanted. */
  function missing(): number | null {
    const first = pieceOf(wantedSample ?? sampleOf(openedAtS))
    for (const index of pieces.keys()) if (index < first || index > first + AHEAD_PIECES) pieces.delete(index)
    for (let index = first; index <= first + AHEAD_PIECES; index++) {
      if (end !== null && index * samplesPerPiece >= end) return null
      if (!pieces.has(index)) return index
    }
    return null
  }

  async function load(index: number): Promise<void> {
    const from = index * PIECE_FRAMES
    const leadFrames = Math.min(from, LEAD_FRAMES)
    const frames = await reader.read(from - leadFrames, from + PIECE_FRAMES + TAIL_FRAMES)
    const ownFrames = Math.min(PIECE_FRAMES, frames.length - leadFrames)
    if (ownFrames < PIECE_FRAMES) end = samplesOf(from + Math.max(0, ownFrames))
    if (ownFrames <= 0) return
    const { channels, length } = await decoder.decode(joined(frames))
    // A decoder that drops its delay drops it at the beginning.
    const dropped = Math.max(0, samplesOf(frames.length) - length)
    const start = index * samplesPerPiece
    const lead = samplesOf(leadFrames) - dropped
    pieces.set(index, { start, end: start + Math.min(samplesOf(ownFrames), length - lead), channels, lead })
  }

  return {
    open(positionS) {
      openedAtS = positionS
      void work()
    },
    sampleAt: (positionS) => (header ? sampleOf(positionS) : null),
    want(sample) {
      wantedSample = sample
      void work()
    },
    pieceAt(sample) {
      const piece = header && pieces.get(pieceOf(sample))
      return piece && sample >= piece.start && sample < piece.end ? piece : null
    },
    endsAt: () => end,
  }
}

function joined(frames: readonly Uint8Array[]): ArrayBuffer {
  const bytes = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const frame of frames) {
    bytes.set(frame, at)
    at += frame.length
  }
  return bytes.buffer
}
