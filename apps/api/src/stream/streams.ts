import type { Socket } from 'node:net'
import type { Config } from '@solstice/adapters'
import { type Mount, type MountId, mountId, type StationClock, wokenEvery } from '@solstice/station'
import type { Origins } from '../limits/client-address.ts'
import { createConnectionCounter } from '../limits/connection-counter.ts'
import { countAlone, type OpenCount } from '../limits/shared-counts.ts'
import { createFanOut, type FanOut, type FanOutDeps } from './fan-out.ts'
import type { StreamTotals } from './listeners.ts'
import type { AirMirror } from './mirror.ts'

/** A campus or a mobile network may share an address; nobody needs more. */
const MAX_PER_ADDRESS = 1_000

/** Chunks of the first mount come about so often; periods of what is repeated are multiples of it. */
const CHUNK_EVERY_MS = 500

/** The streams of all mounts. */
export interface Streams {
  readonly first: FanOut
  /** Those beside the first. */
  readonly others: ReadonlyMap<MountId, FanOut>
  /** Listeners of each mount now, the first one first. */
  readonly audiences: readonly { mount: MountId; listeners: number }[]
  /** Number of listeners now. */
  readonly listeners: number
  /** How far the last listener is behind this replica, in ms. */
  readonly lagMs: number
  readonly totals: Readonly<StreamTotals>
  /** Ends every stream behind a whole chunk. */
  close(): Promise<void>
}

export function createStreams(
  deps: Pick<FanOutDeps, 'settings' | 'silentMs' | 'lateMs'> & {
    mirror: AirMirror
    clock: StationClock
    config: Pick<Config, 'streamBitrate' | 'publicServerUrl' | 'trustProxyHops'>
    origins: Pick<Origins, 'isAllowedOrigin'>
    /** Called with each connection taken over from HTTP. */
    onTaken: (socket: Socket) => void
    openCount?: OpenCount
  },
  maxPerAddress = MAX_PER_ADDRESS,
): Streams {
  const { mirror, config, openCount = countAlone } = deps
  const counter = createConnectionCounter(maxPerAddress, openCount('streams', maxPerAddress))
  const mode = () => mirror.state?.mode ?? 'day'
  const firstMount: Mount = { codec: 'mp3', bitrate: config.streamBitrate }
  const first = createFanOut({ ...deps, mount: firstMount, counter, mode })
  const others = new Map(
    mirror.others.map(({ mount, mirror }) => [
      mountId(mount),
      createFanOut({ ...deps, mirror, mount, counter, mode }),
    ]),
  )
  const all = [first, ...others.values()]
  // Behind the fan-out of the first mount, which hands the chunk out.
  const unsubscribe = mirror.onChunk(() => wokenEvery(CHUNK_EVERY_MS))
  const sum = (part: (one: FanOut) => number) => all.reduce((total, one) => total + part(one), 0)
  return {
    first,
    others,
    get audiences() {
      return [[mountId(firstMount), first] as const, ...others].map(([mount, { listeners }]) => ({
        mount,
        listeners,
      }))
    },
    get listeners() {
      return sum(({ listeners }) => listeners)
    },
    get lagMs() {
      return Math.max(...all.map(({ lagMs }) => lagMs))
    },
    get totals() {
      return {
        bytes: sum(({ totals }) => totals.bytes),
        skips: sum(({ totals }) => totals.skips),
        closed: sum(({ totals }) => totals.closed),
      }
    },
    async close() {
      unsubscribe()
      await Promise.all(all.map((one) => one.close()))
    },
  }
}
