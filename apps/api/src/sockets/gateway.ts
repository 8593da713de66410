import type { IncomingMessage } from 'node:http'
import { ACCOUNT_CHANNEL, type Config, type ReplicaLink, ROSTER_CHANNEL, roomOf } from '@solstice/adapters'
import type { Capabilities } from '@solstice/contracts'
import type {
  Admin,
  Announcer,
  Audience,
  Audit,
  Bus,
  DataStore,
  Microphones,
  Replicas,
  Sessions,
  WallClock,
} from '@solstice/station'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type DefaultEventsMap, Server, type Socket } from 'socket.io'
import { createAudibleAir } from '../air/audible.ts'
import type { AdminTokens } from '../auth/admin-tokens.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { UiSettingsMirror } from '../background/ui-settings.ts'
import { writeRefusal } from '../http/errors.ts'
import { clientAddress, type Origins } from '../limits/client-address.ts'
import { createConnectionCounter } from '../limits/connection-counter.ts'
import type { AirMirror } from '../stream/mirror.ts'
import { createAdminSockets } from './admins.ts'
import { createBatchedReplies } from './batched-replies.ts'
import { createDispatch, type ServerEmits, type Visitor } from './dispatch.ts'
import { createEventRateLimit } from './event-rate.ts'
import { listenerHandlers } from './listeners.ts'
import { createLive } from './live/live.ts'
import type { Alias } from './presence/aliases.ts'
import { createRoster } from './presence/roster.ts'
import { queueHandlers } from './queue.ts'
import { streamEvents } from './stream-events.ts'
import { createSyncPayload, PHASES, startSync } from './sync.ts'
import { type Connection, closeWhenUnread } from './unread.ts'

/** The largest event is a piece of a host's microphone, 256 KiB. */
const MAX_MESSAGE_BYTES = 300_000
/** A socket that never finishes its handshake is let go. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** A campus or a mobile network may share an address; nobody needs more. */
const MAX_PER_ADDRESS = 1_000

export interface Gateway {
  /** Sockets that are connected to this replica. */
  readonly sockets: number
}

type Io = Server<DefaultEventsMap, ServerEmits>

/**
 * Serves socket.io on the app's own server: `sync`, the roster and everything that listeners and admins may ask. Ends
 * with the app.
 *
 * @param app with `@fastify/cookie`.
 * @param deps.findAdmin the account behind an id as it is now, or null.
 */
export async function attachGateway(
  app: FastifyInstance,
  deps: {
    config: Pick<
      Config,
      | 'trustProxyHops'
      | 'streamMode'
      | 'radioHostsMode'
      | 'rosterLimit'
      | 'timeZone'
      | 'nightMode'
      | 'dayStartHour'
      | 'nightStartHour'
      | 'suggestCooldownS'
    >
    mirror: AirMirror
    clock: WallClock
    data: Pick<DataStore, 'tracks' | 'groups' | 'clips' | 'bans'>
    bus: Pick<Bus, 'send'>
    audit: Audit
    microphones: Microphones
    replicas: Replicas
    capabilities: Pick<Capabilities, 'ipModeration'>
    link: ReplicaLink
    tokens: Tokens
    adminTokens: AdminTokens
    sessions: Pick<Sessions, 'isOver'>
    findAdmin: (adminId: string) => Promise<Admin | null>
    announcer: Announcer
    origins: Origins
    settings: UiSettingsMirror
    aliases: readonly Alias[]
    log: Logger
    maxPerAddress?: number
  },
): Promise<Gateway> {
  const { config, mirror, clock, origins, link, log } = deps
  let isClosing = false
  const addressOf = (request: IncomingMessage) =>
    clientAddress(
      request.socket.remoteAddress,
      request.headers['x-forwarded-for']?.toString(),
      config.trustProxyHops,
    )
  const counter = createConnectionCounter(deps.maxPerAddress ?? MAX_PER_ADDRESS)

  const io: Io = new Server(app.server, {
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: HANDSHAKE_TIMEOUT_MS,
    adapter: link.socketAdapter,
    // CORS does not guard WebSockets, so the handshake itself is refused.
    allowRequest: (request, answer) => {
      const isAllowed =
        !isClosing &&
        origins.isAllowedOrigin(request.headers.origin, request) &&
        counter.hasRoom(addressOf(request))
      // Engine.IO itself answers 403 to polling only.
      if (!isAllowed && isUpgrade(request)) writeRefusal(request.socket, 'FORBIDDEN')
      answer(null, isAllowed)
    },
    cors: (request, answer) =>
      answer(null, {
        origin: origins.isAllowedOrigin(request.headers.origin, request as IncomingMessage),
        credentials: true,
        methods: ['GET', 'POST'],
      }),
  })

  const air = createAudibleAir(mirror, clock)
  const airNow = () => mirror.at(clock.nowMs())
  const syncPayload = createSyncPayload({ ...deps, air })
  const roster = createRoster({
    channel: link.channel(ROSTER_CHANNEL),
    aliases: deps.aliases,
    limit: config.rosterLimit,
    nowMs: () => clock.nowMs(),
    isLive: (socketId) => live.roleOf(socketId) !== null,
    onChange: (list) => io.local.emit('usersUpdate', list),
    onAdminOnline: (isOnline) => io.local.emit('admin_online', isOnline),
  })
  const rosterReplies = createBatchedReplies((socketIds) =>
    io.local.to(socketIds).emit('usersUpdate', roster.list()),
  )
  const { streamMode, suggestCooldownS } = config
  const live = createLive({
    ...deps,
    isOn: config.radioHostsMode,
    air,
    airNow,
    ipModeration: deps.capabilities.ipModeration,
    uidOf: deps.tokens.uidOf,
    emit: (rooms, event, ...payload) => {
      const told = rooms ? io.local.to(rooms) : io.local
      told.emit(event, ...(payload as Parameters<ServerEmits[typeof event]>))
    },
  })
  const admins = createAdminSockets({
    ...deps,
    airNow,
    roster,
    live,
    accountNews: link.channel(ACCOUNT_CHANNEL),
  })
  const dispatch = createDispatch(
    {
      ...listenerHandlers({
        ...deps,
        airNow,
        air,
        roster,
        rosterAnswers: rosterReplies,
        outlook: syncPayload,
        streamMode,
        suggestCooldownS,
      }),
      ...admins.handlers,
      ...queueHandlers({ ...deps, air }),
      ...live.handlers,
    },
    log,
  )

  const stopStreamEvents = air.onState((state, before) => {
    if (!streamMode) return
    for (const { event, payload } of streamEvents(state, before, clock.aheadMs()))
      io.local.emit(event, payload as never)
  })
  const stopSync = startSync({
    air,
    settings: deps.settings,
    outlook: syncPayload,
    emitTo: (phase, state) => io.local.to(phaseRoom(phase)).emit('sync', state),
  })

  let arrivals = 0
  io.engine.on(
    'connection',
    (connection: Connection & { request: IncomingMessage; once: Socket['once'] }) => {
      const leave = counter.acquire(addressOf(connection.request))
      connection.once('close', leave)
      closeWhenUnread(connection)
    },
  )
  io.on('connection', (socket) => {
    const rooms = new Set<string>()
    const visitor: Visitor = {
      socketId: socket.id,
      address: addressOf(socket.request),
      cookieToken: app.parseCookie(socket.handshake.headers.cookie ?? '').adminToken || null,
      slot: roster.enter(socket.id),
      get isConnected() {
        return socket.connected
      },
      uid: null,
      admin: null,
      get liveRole() {
        return live.roleOf(socket.id)
      },
      send: (event, ...payload) =>
        void socket.emit(event, ...(payload as Parameters<ServerEmits[typeof event]>)),
      updateRooms() {
        const wanted = new Set(audiencesOf(visitor).flatMap((audience) => roomOf(audience) ?? []))
        for (const room of rooms) if (!wanted.has(room)) socket.leave(room)
        for (const room of wanted) if (!rooms.has(room)) socket.join(room)
        rooms.clear()
        for (const room of wanted) rooms.add(room)
      },
    }
    socket.once('disconnect', () => {
      live.forget(visitor)
      admins.forget(visitor)
      visitor.slot.leave()
    })
    socket.join(phaseRoom(arrivals++ % PHASES))
    const measure = createEventRateLimit(visitor)
    // `next` is not called: socket.io's own emitter, behind the middleware, has no listeners.
    socket.use(([event, ...args]) => {
      if (!socket.connected) return
      const verdict = measure(event, args[0])
      if (verdict === 'flood') socket.disconnect(true)
      else void dispatch(visitor, event, args, verdict === 'too-much' ? tooMuch : undefined)
    })

    visitor.send('usersUpdate', roster.list())
    visitor.send('sync', syncPayload())
    visitor.send('admin_online', roster.isAdminOnline)
    visitor.send('radio_hosts_mode', config.radioHostsMode)
    live.sendInitialState(visitor)
  })

  app.addHook('preClose', async () => {
    isClosing = true
    air.close()
    stopSync()
    stopStreamEvents()
    admins.close()
    rosterReplies.close()
    roster.close()
    const shutdownNotice = live.close()
    // A client comes back by itself when its connection ends, not when its session is ended for it.
    for (const { conn } of io.sockets.sockets.values()) conn.close()
    io.local.disconnectSockets(true)
    io.engine.close()
    await shutdownNotice
  })

  return {
    get sockets() {
      return io.engine.clientsCount
    },
  }
}

/** Whether Node has taken the connection out of HTTP's hands; its types do not know. */
function isUpgrade(request: IncomingMessage & { upgrade?: boolean }): boolean {
  return request.upgrade === true
}

const tooMuch = new Failure('RATE_LIMITED', { retryAfterSecs: 1 })

const phaseRoom = (phase: number) => `sync ${phase}`

/** What a socket is to hear beside what everyone hears. An account that is not activated hears nothing of admins. */
function audiencesOf({ uid, admin }: Visitor): Audience[] {
  const audiences: Audience[] = uid === null ? [] : [{ uid }]
  if (!admin?.authorized) return audiences
  if (admin.role === 'super_admin') audiences.push('super-admin')
  const { adminId, privileges } = admin
  return [...audiences, 'admins', { adminId }, ...privileges.map((privilege) => ({ privilege }))]
}
