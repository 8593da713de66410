import { FRAME_SAMPLES, type FrameChunk, type Stretch } from '@solstice/station'
import type { Logger } from 'pino'
import { createMarkers } from './markers.ts'
import type { Placed } from './sequencer/air-entry.ts'
import { createSpeakerLog } from './speakers.ts'

/** About half a second. */
const CHUNK_FRAMES = 19
/** About 30 s; chunks that waited longer to be published are of no use to anyone. */
const MAX_QUEUED_CHUNKS = 60

/** Gathers frames into chunks, marks what is heard in them, and publishes them one after another. */
export interface FrameChunks {
  /** Notes the sound that starts at a sample; null for silence. */
  heard(sample: number, placed: Placed | null): void
  /** Notes whose microphones are open from a frame on. */
  spoken(frame: number, names: string[]): void
  /** Adds the next frame. */
  add(frame: Buffer): void
  /** Stops publishing and resolves when a publication under way has finished. */
  stop(): Promise<void>
}

/**
 * @param options.frame number of the first frame. @param options.byte its byte offset in the broadcast.
 * @param options.onLost called when publishing is refused because another worker is on air.
 */
export function createFrameChunks(options: {
  frame: number
  byte: number
  timeOf(sample: number): number
  stretchBefore(sample: number): Stretch
  publish(chunk: FrameChunk): Promise<void>
  onLost(error: unknown): void
  log: Logger
}): FrameChunks {
  const publisher = createPublisher(options)
  const markers = createMarkers(FRAME_SAMPLES)
  const speakers = createSpeakerLog()
  let { frame, byte } = options
  let gathered: Buffer[] = []

  return {
    heard: markers.heard,
    spoken: speakers.note,
    add(bytes) {
      gathered.push(bytes)
      if (gathered.length < CHUNK_FRAMES) return
      const audio = Buffer.concat(gathered)
      const frames = gathered.length
      const atMs = options.timeOf(frame * FRAME_SAMPLES)
      const end = frame + frames
      const stretch = options.stretchBefore(end * FRAME_SAMPLES)
      const heard = { markers: markers.of(frame, end), speakers: speakers.of(frame, end) }
      publisher.add({ frame, frames, atMs, byte, audio, ...heard, stretch })
      gathered = []
      frame = end
      byte += audio.length
    },
    stop: publisher.stop,
  }
}

/** Publishes chunks one after another and drops the oldest when they pile up. */
function createPublisher(options: {
  publish(chunk: FrameChunk): Promise<void>
  onLost(error: unknown): void
  log: Logger
}) {
  let queue: FrameChunk[] = []
  let publishing: Promise<void> | null = null
  let isStopped = false
  let isDropping = false

  async function publishAll() {
    try {
      for (let chunk = queue.shift(); chunk && !isStopped; chunk = queue.shift()) {
        await options.publish(chunk)
        isDropping = false
      }
    } catch (error) {
      if (!isStopped) options.onLost(error)
      isStopped = true
    } finally {
      publishing = null
    }
  }

  return {
    add(chunk: FrameChunk) {
      if (isStopped) return
      queue.push(chunk)
      if (queue.length > MAX_QUEUED_CHUNKS) {
        const dropped = queue.shift()
        if (!isDropping) options.log.warn({ frame: dropped?.frame }, 'chunks not published in time; dropped')
        isDropping = true
      }
      publishing ??= publishAll()
    },
    async stop() {
      isStopped = true
      queue = []
      await publishing
    },
  }
}
