import { type BucketSize, tokenBucket } from '@solstice/station'
import type { Visitor } from './dispatch.ts'

const LISTENER = { burst: 50, perS: 20 }
/** An admin panel requests all of its parts when it opens. */
const ADMIN = { burst: 100, perS: 50 }
/** Pieces of a recording come every 100 to 250 ms, and in bursts after a network delay. */
const MICROPHONE_PIECES = { burst: 200, perS: 30 }
const MICROPHONE_BYTES = { burst: 2 * 1024 * 1024, perS: 128 * 1024 }
/** Refused events before the socket counts as flooding; no player sends as many. */
const TOLERATED = { burst: 1_000, perS: 20 }

/** The verdict on an event: handled, refused, or part of a flood, whose socket is then closed. */
export type Verdict = 'pass' | 'too-much' | 'flood'

/**
 * Limits the events of one socket, with a limit of its own for recordings of people on the air. Refused events take no tokens.
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
