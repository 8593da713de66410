import { type BucketSize, tokenBucket } from '@solstice/station'
import type { Visitor } from './dispatch.ts'

const LISTENER = { burst: 50, perS: 20 }
/** A panel asks for all of its parts when it opens, and an admin works faster than a listener. */
const ADMIN = { burst: 100, perS: 50 }
/** Pieces of a recording come every 100 to 250 ms, and several at once after a delay of the network. */
const MICROPHONE_PIECES = { burst: 200, perS: 30 }
const MICROPHONE_BYTES = { burst: 2 * 1024 * 1024, perS: 128 * 1024 }
/** Refused events that are put up with: no player sends as many. */
const TOLERATED = { burst: 1_000, perS: 20 }

/** Whether an event is carried out, is too much, or is part of a flood whose socket is to be closed. */
export type Verdict = 'pass' | 'too-much' | 'flood'

/**
 * Measures what one socket sends, with a measure of its own for the recordings of those on the air. What is refused takes
 * nothing from the measure.
 */
export function createEventRateLimit(
  who: Pick<Visitor, 'admin' | 'liveRole'>,
  nowMs = () => performance.now(),
): (event: string, payload: unknown) => Verdict {
  const bucket = (size: BucketSize) => {
    const take = tokenBucket(size)
    return (count: number) => take(count, nowMs())
  }
  const takeListener = bucket(LISTENER)
  const takeAdmin = bucket(ADMIN)
  const takePiece = bucket(MICROPHONE_PIECES)
  const takeBytes = bucket(MICROPHONE_BYTES)
  const takeTolerated = bucket(TOLERATED)
  return (event, payload) => {
    const isMicrophone = event === 'host_audio_chunk' && Buffer.isBuffer(payload) && who.liveRole !== null
    const takeEvent = who.admin ? takeAdmin : takeListener
    const isWithin = isMicrophone ? takePiece(1) && takeBytes(payload.length) : takeEvent(1)
    if (isWithin) return 'pass'
    return takeTolerated(1) ? 'too-much' : 'flood'
  }
}
