import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Config } from '@solstice/adapters'
import { Failure, type Unsubscribe } from '@solstice/station'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AudibleAir } from '../air/audible.ts'
import { addressOf, type Origins } from '../limits/client-address.ts'
import { createConnectionCounter } from '../limits/connection-counter.ts'
import { countAlone, type OpenCount } from '../limits/shared-counts.ts'
import { COMMENT, HEARTBEAT_MS, takeEventStream } from '../stream/response.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'

/** A page behind a proxy of a company shares its address with the others. */
const MAX_PER_ADDRESS = 50
const MAX_CLIENTS = 5_000
const RETRY_AFTER_S = 30
/** The air is looked at this often while somebody follows, and at once when its state changes. */
const TICK_MS = 1_000
/** Listeners come and go all the time. */
const LISTENERS_PACE_MS = 10_000
/** Clients come back spread over this time after a replica left. */
const RETRY_MS = { min: 2_000, max: 6_000 }
/** A client that has not read this much is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024
/** Clients written to before other work gets its turn. */
const AT_ONCE = 200

/** Server-sent events that tell what is on air: one computation and one timer for all clients of this replica. */
export interface NowPlayingEvents {
  /**
   * Turns a request into a client, which gets the present state, then one event per change, until one side ends it.
   *
   * @throws {Failure} RATE_LIMITED when the address or the replica has too many clients, AIR_UNAVAILABLE when it shuts down.
   */
  serve(request: FastifyRequest, reply: FastifyReply): void
  readonly clients: number
  /** Ends all clients behind a whole event. */
  close(): void
}

interface Client {
  socket: Socket
  /** Under which the station is reached, for the addresses in the event. */
  origin: string
}

export interface NowPlayingEventsDeps {
  snapshots: Snapshots
  air: Pick<AudibleAir, 'onState'>
  config: Pick<Config, 'trustProxyHops'>
  origins: Pick<Origins, 'ownOrigin'>
  /** Called with each connection taken over from HTTP. */
  onTaken?: (socket: Socket) => void
  maxPerAddress?: number
  openCount?: OpenCount
  maxClients?: number
  heartbeatMs?: number
}

export function createNowPlayingEvents(deps: NowPlayingEventsDeps): NowPlayingEvents {
  const { config, origins, snapshots, maxClients = MAX_CLIENTS } = deps
  const { maxPerAddress = MAX_PER_ADDRESS, openCount = countAlone } = deps
  const clients = new Set<Client>()
  const counter = createConnectionCounter(maxPerAddress, openCount('events', maxPerAddress))
  const ticker = createTicker(deps, clients)
  let isClosing = false

  return {
    serve(request, reply) {
      if (isClosing) throw new Failure('AIR_UNAVAILABLE')
      const address = addressOf(request.raw, config.trustProxyHops)
      if (clients.size >= maxClients || !counter.hasRoom(address))
        throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
      const { socket, head } = takeEventStream(reply)
      deps.onTaken?.(socket)
      if (socket.destroyed) return
      socket.once('close', counter.acquire(address))
      if (request.method === 'HEAD') {
        socket.write(head)
        socket.destroySoon()
        return
      }
      const client = { socket, origin: origins.ownOrigin(request.raw) }
      const now = snapshots.now()
      const retryMs = randomInt(RETRY_MS.min, RETRY_MS.max)
      socket.write(`${head}retry: ${retryMs}\n\n${eventOf(now, client.origin)}`)
      clients.add(client)
      ticker.start(now)
      socket.once('close', () => {
        clients.delete(client)
        if (clients.size === 0) ticker.stop()
      })
    },
    get clients() {
      return clients.size
    },
    close() {
      isClosing = true
      ticker.stop()
      for (const { socket } of clients) socket.destroySoon()
    },
  }
}

/** Tells all clients what changes, from the first one's arrival to the last one's departure. */
function createTicker(
  { snapshots, air, heartbeatMs = HEARTBEAT_MS }: NowPlayingEventsDeps,
  clients: ReadonlySet<Client>,
) {
  let told: Snapshot
  let toldAtMs = 0
  let spokeAtMs = 0
  let timer: NodeJS.Timeout | undefined
  let unfollow: Unsubscribe | undefined

  const look = () => {
    const now = snapshots.now()
    const nowMs = performance.now()
    const isDue = now.etag !== told.etag && nowMs - toldAtMs >= LISTENERS_PACE_MS
    if (now.digest !== told.digest || isDue) {
      told = now
      toldAtMs = spokeAtMs = nowMs
      const byOrigin = new Map<string, string>()
      writeToAll(clients, ({ origin }) => {
        const event = byOrigin.get(origin) ?? eventOf(now, origin)
        byOrigin.set(origin, event)
        return event
      })
    } else if (nowMs - spokeAtMs >= heartbeatMs) {
      spokeAtMs = nowMs
      writeToAll(clients, () => COMMENT)
    }
  }

  return {
    start(now: Snapshot) {
      if (timer) return
      told = now
      toldAtMs = spokeAtMs = performance.now()
      timer = setInterval(look, TICK_MS)
      unfollow = air.onState(() => {
        snapshots.renew()
        look()
      })
    },
    stop() {
      clearInterval(timer)
      timer = undefined
      unfollow?.()
    },
  }
}

function writeToAll(clients: Iterable<Client>, textFor: (client: Client) => string): void {
  const waiting = [...clients]
  const writeToSome = () => {
    for (const client of waiting.splice(0, AT_ONCE)) {
      const { socket } = client
      if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
      else if (socket.writable) socket.write(textFor(client))
    }
    if (waiting.length > 0) setImmediate(writeToSome)
  }
  writeToSome()
}

function eventOf(snapshot: Snapshot, origin: string): string {
  return `id: ${snapshot.etag.replace(/^W\/|"/g, '')}\ndata: ${JSON.stringify(snapshot.replyFor(origin))}\n\n`
}
