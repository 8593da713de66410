import { get } from 'node:http'
import { chunkEndMs, FRAME_MS, type FrameChunk, sleep } from '@solstice/station'
import type { Teardown } from '../../tests/harness/processes/processes.ts'
import { openBus } from '../../tests/harness/stations/bus.ts'

/** Sound of a minute at 128 kbit/s: more than a replica keeps in its ring. */
const MAX_BYTES = 60 * 16_000
const NEEDLE = 4_000
const CHECK_MS = 1_000
const RETRY_MS = 500
const TOLERANCE_MS = 1

/** A replica whose listeners are lost with it while `isDown`. */
export interface Heard {
  url: string
  isDown: boolean
}

export interface Ear {
  readonly gaps: string[]
  /** Distance between the position that a saved state tells and that of the frames, ms, since the last call. */
  takeDrifts(): number[]
}

/** Holds what a listener of each replica hears against the broadcast, byte for byte, and the broadcast against its own numbers. */
export async function openEar(run: Teardown, redisUrl: string, replicas: readonly Heard[]): Promise<Ear> {
  const { bus, stop } = await openBus(run, redisUrl)
  const gaps: string[] = []
  const note = (text: string) => gaps.push(`${new Date().toISOString()} ${text}`)
  const sound = createSound(note)
  const drifts = createDrifts()
  await bus.follow(({ onAir }) => {
    if (onAir.phase === 'track') drifts.stated(onAir.entry.entryId, onAir.startedAtMs)
  })
  const following = (async () => {
    for await (const chunk of bus.frames(stop.signal)) {
      sound.add(chunk)
      for (const marker of chunk.markers)
        if (marker.entryId !== null && !('jingle' in marker && marker.jingle) && marker.positionMs !== null)
          drifts.heard(
            marker.entryId,
            chunk.atMs + (marker.frame - chunk.frame) * FRAME_MS - marker.positionMs,
          )
    }
  })()
  run.teardown(async () => {
    stop.abort()
    await following
  })
  for (const replica of replicas) void listenOn(replica, sound, note, stop.signal)
  return { gaps, takeDrifts: drifts.take }
}

/** The latest bytes of the broadcast. */
function createSound(note: (text: string) => void) {
  let bytes = Buffer.alloc(0)
  let fromByte = 0
  let before: FrameChunk | null = null
  return {
    add(chunk: FrameChunk) {
      if (before && chunk.frame !== before.frame + before.frames)
        note(`frame ${chunk.frame} after ${before.frame + before.frames - 1}`)
      else if (before && chunk.atMs > chunkEndMs(before) + TOLERANCE_MS)
        note(`${Math.round(chunk.atMs - chunkEndMs(before))} ms without sound before frame ${chunk.frame}`)
      if (!before || chunk.byte !== fromByte + bytes.length) {
        fromByte = chunk.byte
        bytes = Buffer.alloc(0)
      }
      bytes = Buffer.concat([bytes, chunk.audio])
      if (bytes.length > MAX_BYTES) {
        fromByte += bytes.length - MAX_BYTES
        bytes = bytes.subarray(-MAX_BYTES)
      }
      before = chunk
    },
    /** Number of the byte at which a piece begins; null when it is unknown. */
    find(piece: Buffer): number | null {
      const at = bytes.indexOf(piece)
      return at < 0 ? null : fromByte + at
    },
    /** Compares a piece with the broadcast from a byte on. @returns how much of it is known to be the same, null when it differs. */
    compare(piece: Buffer, atByte: number): number | null {
      if (atByte < fromByte) return null
      const known = bytes.subarray(atByte - fromByte, atByte - fromByte + piece.length)
      return known.equals(piece.subarray(0, known.length)) ? known.length : null
    },
  }
}

async function listenOn(
  replica: Heard,
  sound: ReturnType<typeof createSound>,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let rest = Buffer.alloc(0)
    let atByte: number | null = null
    const check = setInterval(() => {
      if (atByte === null && rest.length >= NEEDLE) atByte = sound.find(rest.subarray(0, NEEDLE))
      if (rest.length > MAX_BYTES) {
        note(`${replica.url} sends what was not broadcast`)
        rest = Buffer.alloc(0)
      }
      if (atByte === null) return
      const same = sound.compare(rest, atByte)
      if (same === null) {
        note(`${replica.url} left out bytes after ${atByte}`)
        atByte = null
        rest = Buffer.alloc(0)
      } else {
        atByte += same
        rest = rest.subarray(same)
      }
    }, CHECK_MS)
    const wasHeard = await hear(replica.url, signal, (piece) => {
      rest = Buffer.concat([rest, piece])
    })
    clearInterval(check)
    if (wasHeard && !replica.isDown && !signal.aborted) note(`${replica.url} ended a stream`)
    await sleep(RETRY_MS)
  }
}

/** Resolves when the stream has ended, with true when there was one. */
function hear(url: string, signal: AbortSignal, onPiece: (piece: Buffer) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get(`${url}/api/stream/public.mp3`, { agent: false, signal })
    asking.on('error', () => resolve(false))
    asking.on('response', (response) => {
      response.on('error', () => {})
      response.on('close', () => resolve(response.statusCode === 200))
      if (response.statusCode === 200) response.on('data', onPiece)
      else response.resume()
    })
  })
}

/** Start of each entry as states tell it and as its frames do, compared once both are known. */
function createDrifts() {
  const stated = new Map<string, number>()
  const heard = new Map<string, number>()
  let drifts: number[] = []
  const compare = (entryId: string) => {
    const [told, sounded] = [stated.get(entryId), heard.get(entryId)]
    if (told !== undefined && sounded !== undefined) drifts.push(sounded - told)
  }
  const remember = (moments: Map<string, number>, entryId: string, atMs: number) => {
    if (moments.get(entryId) === atMs) return
    moments.set(entryId, atMs)
    if (moments.size > 100) moments.delete(moments.keys().next().value!)
    compare(entryId)
  }
  return {
    stated: (entryId: string, atMs: number) => remember(stated, entryId, atMs),
    heard: (entryId: string, atMs: number) => remember(heard, entryId, atMs),
    take() {
      const taken = drifts
      drifts = []
      return taken
    },
  }
}
