import type { Socket } from 'node:net'
import { type DataStore, eventBody, Failure, type Log } from '@solstice/station'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { COMMENT, HEARTBEAT_MS, takeEventStream } from '../stream/response.ts'

/** Of each process of a replica. */
const MAX_PER_ACCOUNT = 8
const RETRY_AFTER_S = 30
/** Clients come back after this time. */
const RETRY_MS = 3_000
/** The events and the sessions are looked at this often while somebody follows. */
const TICK_MS = 1_000
/** A client that has not read this much is disconnected: more than all recorded events. */
const MAX_UNREAD_BYTES = 2 * 1024 * 1024

/** Server-sent events of what happens at the station, for admins. */
export interface EventFollowers {
  /**
   * Turns a request into a client, which gets each event once, in their order, until its session or one side ends it.
   *
   * @param admit returns which events the account may see; throws a `Failure` when the request would not be admitted any more.
   * @throws {Failure} RATE_LIMITED when the account has too many, DATA_UNAVAILABLE when the replica shuts down.
   */
  follow(
    adminId: string,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    admit: () => Promise<Sees>,
  ): Promise<void>
  /** Ends all clients behind a whole event. */
  close(): void
}

/** True for a type of event that an account may see. */
export type Sees = (type: string) => boolean

interface Client {
  adminId: string
  socket: Socket
  /** Number of the last event that was sent or passed over. */
  lastId: number
  spokeAtMs: number
  admit: () => Promise<Sees>
  sees: Sees
}

export interface EventFollowerDeps {
  data: Pick<DataStore, 'events'>
  log: Log
  /** Called with each connection taken over from HTTP. */
  onTaken?: (socket: Socket) => void
  heartbeatMs?: number
}

export function createEventFollowers(deps: EventFollowerDeps): EventFollowers {
  const { data, log, heartbeatMs = HEARTBEAT_MS } = deps
  const clients = new Set<Client>()
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  const look = async () => {
    const events = await data.events.find()
    for (const client of clients) {
      if (await isAdmitted(client)) tell(client, events, heartbeatMs)
      else client.socket.destroySoon()
    }
  }
  const tick = async () => {
    await look().catch((error) => log.warn({ err: error }, 'events not read; retrying'))
    timer = clients.size > 0 && !isClosing ? setTimeout(tick, TICK_MS) : undefined
  }

  return {
    async follow(adminId, { request, reply }, admit) {
      const [events, sees] = [await data.events.find(), await admit()]
      const own = [...clients].filter((client) => client.adminId === adminId)
      if (isClosing) throw new Failure('DATA_UNAVAILABLE')
      if (own.length >= MAX_PER_ACCOUNT) throw new Failure('RATE_LIMITED', { retryAfterSecs: RETRY_AFTER_S })
      const { socket, head } = takeEventStream(reply)
      deps.onTaken?.(socket)
      if (socket.destroyed) return
      if (request.method === 'HEAD') {
        socket.write(head)
        socket.destroySoon()
        return
      }
      socket.write(`${head}retry: ${RETRY_MS}\n\n`)
      const lastId = placeOf(events, request.headers['last-event-id'])
      const client = { adminId, socket, lastId, spokeAtMs: performance.now(), admit, sees }
      clients.add(client)
      socket.once('close', () => clients.delete(client))
      tell(client, events, heartbeatMs)
      timer ??= setTimeout(tick, TICK_MS)
    },
    close() {
      isClosing = true
      clearTimeout(timer)
      for (const { socket } of clients) socket.destroySoon()
    },
  }
}

type Events = Awaited<ReturnType<EventFollowerDeps['data']['events']['find']>>

/** The number of the event that a client had last: the newest one for a new client, 0 for one that isn't kept any more. */
function placeOf(events: Events, hadLast: string | string[] | undefined): number {
  if (hadLast === undefined) return events.at(-1)?.id ?? 0
  return events.findLast(({ eventId }) => eventId === hadLast)?.id ?? 0
}

function tell(client: Client, events: Events, heartbeatMs: number): void {
  const { socket, lastId, sees } = client
  if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy()
  if (!socket.writable) return
  const nowMs = performance.now()
  const text = events
    .filter(({ id, type }) => id > lastId && sees(type))
    .map((event) => `id: ${event.eventId}\ndata: ${eventBody(event)}\n\n`)
    .join('')
  client.lastId = events.at(-1)?.id ?? 0
  if (text === '' && nowMs - client.spokeAtMs < heartbeatMs) return
  socket.write(text || COMMENT)
  client.spokeAtMs = nowMs
}

/** Takes over what the account may see by now. While the records of sessions cannot be read, nobody is turned away. */
async function isAdmitted(client: Client): Promise<boolean> {
  try {
    client.sees = await client.admit()
    return true
  } catch (error) {
    return error instanceof Failure && error.code === 'DATA_UNAVAILABLE'
  }
}
