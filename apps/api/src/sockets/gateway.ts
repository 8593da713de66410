import type { IncomingMessage } from 'node:http'
import {
  ACCOUNT_CHANNEL,
  type Config,
  createMonitorTokens,
  type ReplicaLink,
  ROSTER_CHANNEL,
} from '@solstice/adapters'
import type { Capabilities } from '@solstice/contracts'
import type {
  Admin,
  Announcer,
  Audit,
  Bus,
  DataStore,
  JobQueue,
  Microphones,
  Replicas,
  Sessions,
  WallClock,
} from '@solstice/station'
import { dateNow, Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type DefaultEventsMap, Server, type Socket } from 'socket.io'
import { createAudibleAir } from '../air/audible.ts'
import type { AdminTokens } from '../auth/admin-tokens.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Covers } from '../background/covers.ts'
import type { UiSettingsMirror } from '../background/ui-settings.ts'
import { addressOf as clientAddressOf, type Origins } from '../limits/client-address.ts'
import { createConnectionCounter } from '../limits/connection-counter.ts'
import { countAlone, type OpenCount } from '../limits/shared-counts.ts'
import type { Engine } from '../processes/sessions-elsewhere.ts'
import type { AirMirror } from '../stream/mirror.ts'
import { type AdminSockets, createAdminSockets } from './admins/admins.ts'
import { type BatchedReplies, createBatchedReplies } from './batched-replies.ts'
import { createGroups, type Groups } from './broadcast/groups.ts'
import { streamEvents } from './broadcast/stream-events.ts'
import { createSyncPayload, type SyncPayload, startSync } from './broadcast/sync.ts'
import { createDispatch, type Dispatch, type ServerEmits } from './dispatch.ts'
import { createEventRateLimit } from './event-rate.ts'
import { handshakeOptions } from './handshake.ts'
import { listenerHandlers } from './listeners.ts'
import { createLive, type Live } from './live/live.ts'
import type { Alias } from './presence/aliases.ts'
import { createRoster, type Roster, unseenSlot } from './presence/roster.ts'
import { followNextJingle } from './queue/next-jingle.ts'
import { queueHandlers } from './queue/queue.ts'
import { trackRequestHandlers } from './queue/track-requests.ts'
import { type Connection, closeWhenUnread } from './unread.ts'
import { visitorOf } from './visitor.ts'

/** A campus or a mobile network may share an address; nobody needs more. */
const MAX_PER_ADDRESS = 1_000
/** With more listeners than this, those who arrive together get one list together, and changes of it are told gradually. */
const MANY_LISTENERS = 500

export interface Gateway {
  /** Number of sockets connected to this replica. */
  readonly sockets: number
  /** Those of them that are not of admins. */
  readonly listeners: number
  readonly engine: Engine
}

export interface GatewayDeps {
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
    | 'artTokenSecret'
  >
  mirror: AirMirror
  clock: WallClock
  data: Pick<DataStore, 'tracks' | 'groups' | 'clips' | 'bans' | 'donations' | 'ledger' | 'audit'>
  bus: Pick<Bus, 'send'>
  jobs: Pick<JobQueue, 'add'>
  audit: Audit
  microphones: Microphones
  replicas: Replicas
  capabilities: Pick<Capabilities, 'ipModeration'>
  link: ReplicaLink
  tokens: Tokens
  adminTokens: AdminTokens
  sessions: Pick<Sessions, 'isOver'>
  /** The account behind an id as it is now, or null. */
  findAdmin: (adminId: string) => Promise<Admin | null>
  announcer: Announcer
  origins: Origins
  settings: UiSettingsMirror
  covers: Covers
  aliases: readonly Alias[]
  log: Logger
  maxPerAddress?: number
  openCount?: OpenCount
}

type Io = Server<DefaultEventsMap, ServerEmits>

/**
 * Serves socket.io on the app's own server: `sync`, the roster, and everything that listeners and admins may ask. Ends with
 * the app.
 *
 * @param app with `@fastify/cookie`.
 */
export async function attachGateway(app: FastifyInstance, deps: GatewayDeps): Promise<Gateway> {
  const { origins, link, maxPerAddress = MAX_PER_ADDRESS, openCount = countAlone } = deps
  let isClosing = false
  const addressOf = (request: IncomingMessage) => clientAddressOf(request, deps.config.trustProxyHops)
  const counter = createConnectionCounter(maxPerAddress, openCount('sockets', maxPerAddress))

  const io: Io = new Server(app.server, {
    ...handshakeOptions({ origins, counter, addressOf, isClosing: () => isClosing }),
    adapter: link.socketAdapter,
  })
  io.engine.on(
    'connection',
    (connection: Connection & { request: IncomingMessage; once: Socket['once'] }) => {
      connection.once('close', counter.acquire(addressOf(connection.request)))
      closeWhenUnread(connection)
    },
  )
  const parts = openParts(io, deps)
  const cookieTokenOf = (cookies = '') => app.parseCookie(cookies).adminToken || null
  acceptSockets(io, { ...deps, ...parts, addressOf, cookieTokenOf })

  app.addHook('preClose', async () => {
    isClosing = true
    const shutdownNotice = parts.close()
    // A client reconnects by itself when its connection ends, but not when its session is ended for it.
    for (const { conn } of io.sockets.sockets.values()) conn.close()
    io.local.disconnectSockets(true)
    io.engine.close()
    await shutdownNotice
  })

  return {
    engine: io.engine as unknown as Engine,
    get sockets() {
      return io.engine.clientsCount
    },
    get listeners() {
      return parts.roster.listeners
    },
  }
}

interface Parts {
  groups: Groups
  roster: Roster
  rosterReplies: BatchedReplies
  live: Live
  admins: AdminSockets
  syncPayload: SyncPayload
  dispatch: Dispatch
  /** Stops everything that is sent by itself; resolves when the worker knows, or soon. */
  close(): Promise<void>
}

/** The roster, live hosting, admins, and what clients are told without asking. */
function openParts(io: Io, deps: GatewayDeps): Parts {
  const { config, mirror, clock, link, settings, covers, log } = deps
  const { streamMode, suggestCooldownS } = config
  const air = createAudibleAir(mirror, clock)
  const airNow = () => mirror.at(clock.nowMs())
  const syncPayload = createSyncPayload({ ...deps, air })
  const groups = createGroups(io)
  const roster = createRoster({
    channel: link.channel(ROSTER_CHANNEL),
    aliases: deps.aliases,
    limit: config.rosterLimit,
    nowMs: () => clock.nowMs(),
    isLive: (socketId) => live.roleOf(socketId) !== null,
    onChange: (list) => {
      if (roster.listeners > MANY_LISTENERS) groups.emitGradually('usersUpdate', list)
      else groups.emitToAll('usersUpdate', list)
    },
    onAdminOnline: (isOnline) => groups.emitToAll('admin_online', isOnline),
  })
  const rosterReplies = createBatchedReplies((socketIds) =>
    io.local.to(socketIds).emit('usersUpdate', roster.list()),
  )
  const live = createLive({
    ...deps,
    isOn: config.radioHostsMode,
    air,
    airNow,
    ipModeration: deps.capabilities.ipModeration,
    uidOf: deps.tokens.uidOf,
    emit: (rooms, event, ...payload) => {
      const sockets = rooms ? io.local.to(rooms) : io.local
      sockets.emit(event, ...(payload as Parameters<ServerEmits[typeof event]>))
    },
  })
  const accountNews = link.channel(ACCOUNT_CHANNEL)
  const admins = createAdminSockets({ ...deps, airNow, roster, live, accountNews })
  const about = { ...deps, air, airNow, roster, rosterReplies, syncPayload, streamMode, suggestCooldownS }
  const dispatch = createDispatch(
    {
      ...listenerHandlers(about),
      ...trackRequestHandlers(about),
      ...admins.handlers,
      ...queueHandlers(about),
      ...live.handlers,
    },
    log,
  )

  const stopStreamEvents = air.onState((state, before) => {
    if (!streamMode) return
    for (const { event, payload } of streamEvents(state, before, clock.aheadMs()))
      groups.emitToAll(event, payload as never)
  })
  const stopLineUp = followLineUp(mirror, roster.lineUpChanged)
  const stopNextJingle = followNextJingle(air, (room, next) =>
    io.local.to(room).emit('next_jingle_update', next),
  )
  const stopSync = startSync({ air, settings, covers, syncPayload, groups })

  return {
    ...{ groups, roster, rosterReplies, live, admins, syncPayload, dispatch },
    close() {
      air.close()
      stopSync()
      stopStreamEvents()
      stopLineUp()
      stopNextJingle()
      admins.close()
      rosterReplies.close()
      roster.close()
      return live.close()
    },
  }
}

/** Calls back when other people are on the air than before. */
function followLineUp(mirror: Pick<AirMirror, 'onState'>, onChange: () => void): () => void {
  let known = ''
  return mirror.onState(({ live }) => {
    const lineUp = live.participants.map(({ socketId }) => socketId).join()
    if (lineUp !== known) onChange()
    known = lineUp
  })
}

/** Welcomes each socket, hands its events to the dispatch, and cleans up behind it. */
function acceptSockets(
  io: Io,
  deps: Parts & {
    config: GatewayDeps['config']
    clock: WallClock
    addressOf: (request: IncomingMessage) => string
    cookieTokenOf: (cookies: string | undefined) => string | null
  },
): void {
  const monitors = createMonitorTokens(deps.config)
  const { config, groups, roster, rosterReplies, live, admins, syncPayload, dispatch } = deps
  io.on('connection', (socket) => {
    const isMonitor = monitors.isValid(socket.handshake.auth.monitor, dateNow(deps.clock))
    const visitor = visitorOf(socket, {
      address: deps.addressOf(socket.request),
      cookieToken: deps.cookieTokenOf(socket.handshake.headers.cookie),
      slot: isMonitor ? unseenSlot : roster.enter(socket.id),
      liveRole: live.roleOf,
    })
    const leaveGroup = groups.join(socket)
    socket.once('disconnect', () => {
      leaveGroup()
      live.forget(visitor)
      admins.forget(visitor)
      visitor.slot.leave()
    })
    const rateOf = createEventRateLimit(visitor)
    // `next` is not called: socket.io's own emitter, behind the middleware, has no listeners.
    socket.use(([event, ...args]) => {
      if (!socket.connected) return
      const verdict = rateOf(event, args[0])
      if (verdict === 'flood') socket.disconnect(true)
      else void dispatch(visitor, event, args, verdict === 'too-much' ? tooMuch : undefined)
    })

    if (roster.listeners > MANY_LISTENERS) rosterReplies.ask(socket.id)
    else visitor.send('usersUpdate', roster.list())
    visitor.send('sync', syncPayload())
    visitor.send('admin_online', roster.isAdminOnline)
    visitor.send('radio_hosts_mode', config.radioHostsMode)
    live.sendInitialState(visitor)
  })
}

const tooMuch = new Failure('RATE_LIMITED', { retryAfterSecs: 1 })
