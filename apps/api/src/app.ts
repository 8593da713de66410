import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import jwt from '@fastify/jwt'
import type { Config, Metrics, Ports } from '@solstice/adapters'
import { allRoutes } from '@solstice/contracts'
import {
  type Announcer,
  type AudioTags,
  type Bus,
  capabilitiesOf,
  createAccounts,
  createAudit,
  createClips,
  createLoginLog,
  createLyrics,
  createSessions,
  type DataStore,
  findAdmin,
  type JobQueue,
  type LyricsLookup,
  type LyricsTurns,
  type MediaStorage,
  type Microphones,
  type Passwords,
  type Payments,
  type Replicas,
  type Spools,
  type VideoTools,
  type WallClock,
} from '@solstice/station'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { watchReadiness } from './air/readiness.ts'
import { createGate } from './auth/access.ts'
import { createAdminTokens } from './auth/admin-tokens.ts'
import { createTokens } from './auth/tokens.ts'
import { openAuditSpool } from './background/audit-spool.ts'
import { readAvatars } from './background/avatars.ts'
import { openDeliverySpool } from './background/delivery-spool.ts'
import { mirrorUiSettings } from './background/ui-settings.ts'
import { serveWeb } from './files/web.ts'
import { drainOnClose } from './http/drain.ts'
import { refuse, refuseConnection, refuseOtherMethods, useContract } from './http/implement.ts'
import { logRequests, requestId, requestLogger } from './http/request-log.ts'
import { compileWhenNeeded } from './http/schema-compilers.ts'
import { addressOf, clientAddress, clientOf, createOrigins } from './limits/client-address.ts'
import { limitConnections } from './limits/connection-limit.ts'
import { openRateLimits } from './limits/turns.ts'
import { registerMetrics } from './metrics.ts'
import { documentApi } from './reference/openapi.ts'
import { serveReference } from './reference/reference.ts'
import { administrationRoutes } from './routes/administration.ts'
import { artworkRoutes } from './routes/artwork.ts'
import { clipRoutes } from './routes/clips.ts'
import { donationRoutes } from './routes/donations.ts'
import { groupRoutes } from './routes/groups.ts'
import { jobRoutes } from './routes/jobs.ts'
import { listeningRoutes } from './routes/listening.ts'
import { lyricsRoutes } from './routes/lyrics.ts'
import { operationsRoutes } from './routes/operations.ts'
import { sessionRoutes } from './routes/session.ts'
import { trackRoutes } from './routes/tracks.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { videoRoutes } from './routes/video.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { attachGateway } from './sockets/gateway.ts'
import { aliases } from './sockets/presence/aliases.ts'
import { createFanOut } from './stream/fan-out.ts'
import { createAirMirror } from './stream/mirror.ts'

/** What the API works with. */
export interface ApiPorts {
  config: Config
  log: Logger
  data: DataStore
  media: MediaStorage
  bus: Bus
  clock: WallClock
  announcer: Announcer
  jobs: JobQueue
  tags: AudioTags
  passwords: Passwords
  payments: Payments
  spools: Spools
  lyricsLookup: LyricsLookup
  lyricsTurns: LyricsTurns
  videoTools: VideoTools
  microphones: Microphones
  replicas: Replicas
  metrics: Metrics
  turnCounter: Ports['turnCounter']
  openReplicaLink: Ports['openReplicaLink']
  openLyricsBatches: Ports['openLyricsBatches']
  readLease: Ports['readLease']
}

const HEADER_TIME_LIMIT_MS = 10_000
const START_LIMIT_MS = 120_000
const BODY_LIMIT_BYTES = 1024 * 1024
/** File names and artists, percent-encoded. */
const PARAM_LIMIT = 2_000

/** The whole API over its ports, ready to listen. Closing it ends the streams and leaves the ports open. */
export async function buildApp(ports: ApiPorts): Promise<FastifyInstance> {
  const { config, data, media, bus, clock } = ports
  const origins = createOrigins(config, { onUndeclared: warnOfUndeclared(ports.log) })
  const tokens = createTokens(config)

  const app = Fastify({
    loggerInstance: requestLogger(ports.log, config.trustProxyHops),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // What still comes on an open connection while the app closes is answered like the rest.
    return503OnClosing: false,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: PARAM_LIMIT },
    schemaController: { compilersFactory: compileWhenNeeded },
    // Otherwise a text that is read as an infinite number is not held against the bounds of a shape.
    ajv: { customOptions: { strictNumbers: false } },
    // A machine that is busy starts slowly, but it starts.
    pluginTimeout: START_LIMIT_MS,
    // Node looks for requests that are too slow every 30 s unless told otherwise.
    http: { headersTimeout: HEADER_TIME_LIMIT_MS, connectionsCheckingInterval: 2_000 },
    frameworkErrors: refuse,
    clientErrorHandler: refuseConnection,
  })
  const drain = drainOnClose(app, config.drainDelayMs)
  await app.register(cookie)
  await app.register(jwt, {
    secret: config.jwtSecret,
    sign: { algorithm: 'HS256' },
    verify: { algorithms: ['HS256'] },
  })
  const adminTokens = createAdminTokens(app.jwt, config.jwtSecret, ports.clock)
  const capabilities = capabilitiesOf(config, ports.payments)
  const admin = (adminId: string) => findAdmin(data, config.superAdmin, adminId)
  const { metricsToken } = config
  const sessions = createSessions(ports)
  app.addHook('onClose', () => sessions.settled())
  const gate = createGate({
    tokens,
    adminTokens,
    findAdmin: admin,
    sessions,
    clientOf: ({ raw }) => clientOf(raw, config.trustProxyHops),
    origins,
    capabilities,
    clock,
    metricsToken,
  })
  useContract(app, gate, { hasRoomFor: media.hasRoomFor })
  logRequests(app)

  await app.register(cors, {
    delegator: ({ headers: { origin }, raw }, decide) =>
      decide(null, {
        origin: origins.isAllowedOrigin(origin, raw),
        credentials: true,
        preflight: origin !== undefined,
        strictPreflight: false,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
        exposedHeaders: [
          'X-Art-Mime',
          'Accept-Ranges',
          'Content-Range',
          'Content-Length',
          'Content-Disposition',
          'Retry-After',
          'X-Request-Id',
        ],
        maxAge: 600,
      }),
  })
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'"],
        scriptSrcAttr: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:', ...(media.linkOrigin ? [media.linkOrigin] : [])],
        mediaSrc: ["'self'", 'data:', 'blob:', ...(media.linkOrigin ? [media.linkOrigin] : [])],
        workerSrc: ["'self'", 'blob:'],
        // Older browsers do not count the sockets of a host as its own.
        connectSrc: ["'self'", (request) => origins.ownOrigin(request).replace(/^http/, 'ws')],
      },
    },
    // Whether this host is ever reached without TLS is known to the proxy that ends it.
    strictTransportSecurity: false,
    // Pages of other origins may play the stream.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  // Hosts and guests speak; no page of ours needs anything else of a device.
  app.addHook('onSend', async (_, reply) => {
    reply.header('permissions-policy', 'microphone=(self), camera=(), geolocation=(), payment=(), usb=()')
  })
  await documentApi(app)

  const { announcer } = ports
  const auditSpool = openAuditSpool({ ...ports, spool: ports.spools.auditEntries })
  app.addHook('onClose', () => auditSpool.close())
  const audit = createAudit({ data, announcer, clock, isOn: capabilities.auditLog, later: auditSpool.add })
  const loginLog = createLoginLog({ ...ports, superAdmin: config.superAdmin, isOn: capabilities.auditLog })
  app.addHook('onClose', () => loginLog.close())
  const mirror = createAirMirror({ bus, log: ports.log })
  app.addHook('onClose', () => mirror.close())
  const link = await ports.openReplicaLink()
  app.addHook('onClose', () => link.close())
  const settings = await mirrorUiSettings({ ...ports, link })
  app.addHook('onClose', async () => settings.close())
  const connections = limitConnections(app.server, ({ remoteAddress }) =>
    // Behind a proxy the connections are the proxy's, and so is their number.
    config.trustProxyHops > 0 ? null : clientAddress(remoteAddress, undefined, 0),
  )
  const fanOut = createFanOut({
    mirror,
    clock,
    config,
    uiSettings: settings.now,
    origins,
    onTaken: connections.release,
  })
  app.addHook('preClose', () => fanOut.close())

  const lookup = config.lyricsApiUrl ? ports.lyricsLookup : null
  const lookups = { data, lookup, turns: ports.lyricsTurns, clock }
  const createRateLimit = await openRateLimits(app, ports.turnCounter)
  const docsLimit = createRateLimit({ name: 'docs', turns: 60, windowS: 60 })
  await serveReference(app, ({ raw }, reply) =>
    docsLimit(tokens.uidOf(addressOf(raw, config.trustProxyHops)), reply),
  )
  const lyricsLimit = createRateLimit({ name: 'lyrics', turns: 30, windowS: 60 })
  const otherLyricsLimit = createRateLimit({ name: 'other-lyrics', turns: 60, windowS: 60 })
  const avatars = await readAvatars()
  listeningRoutes(app, {
    config,
    capabilities,
    payments: ports.payments,
    data,
    media,
    audit,
    clock,
    mirror,
    fanOut,
    tokens,
    origins,
    lyrics: createLyrics(lookups, 'listeners'),
    lyricsLimit,
    otherLyricsLimit,
    avatars,
  })
  const accounts = await createAccounts({ ...ports, superAdmin: config.superAdmin, sessions, audit })
  const attempts = config.loginAttemptsPer15Min
  const limitOf = (name: string, turns: number, windowS = 15 * 60) =>
    createRateLimit({ name, turns, windowS })
  const limits = {
    address: limitOf('login', attempts),
    provider: limitOf('login-provider', 4 * attempts),
    account: limitOf('login-account', attempts && 30),
    // A window this short lets one in again soon who was unlucky.
    station: limitOf('login-station', attempts && 20, 10),
    own: limitOf('own-password', attempts),
  }
  sessionRoutes(app, {
    config,
    accounts,
    sessions,
    adminTokens,
    tokens,
    origins,
    audit,
    loginLog,
    clock,
    limits,
  })
  const clips = createClips({ ...ports, audit })
  clipRoutes(app, { ...ports, clips, adminTokens, origins })
  uploadRoutes(app, { ...ports, audit })
  trackRoutes(app, { ...ports, mirror })
  videoRoutes(app, ports)
  jobRoutes(app, { jobs: ports.jobs, audit })
  groupRoutes(app, { data, bus, clock, audit })
  administrationRoutes(app, { ...ports, mirror, audit })
  const batches = ports.openLyricsBatches()
  // Two libraries of the largest kind.
  const batchLimit = createRateLimit({ name: 'lyrics-batch', turns: 40_000, windowS: 60 * 60 })
  const lyrics = createLyrics(lookups, 'admins')
  lyricsRoutes(app, { ...ports, lyrics, batches, batchLimit, audit, adminTokens, origins })
  artworkRoutes(app, { ...ports, audit })
  const orderLimit = createRateLimit({ name: 'donations', turns: 10, windowS: 10 * 60 })
  donationRoutes(app, { ...ports, mirror, tokens, origins, audit, orderLimit })
  const deliveries = openDeliverySpool({ ...ports, spool: ports.spools.deliveries })
  app.addHook('onClose', () => deliveries.close())
  webhookRoutes(app, { ...ports, deliveries })
  const readiness = watchReadiness(app, { bus, clock, mirror, streamMode: config.streamMode, drain })
  operationsRoutes(app, readiness, ports.metrics)
  const gateway = await attachGateway(app, {
    config,
    mirror,
    clock,
    data: ports.data,
    bus,
    audit,
    capabilities,
    microphones: ports.microphones,
    replicas: ports.replicas,
    link,
    log: ports.log,
    tokens,
    adminTokens,
    sessions,
    findAdmin: admin,
    announcer: ports.announcer,
    origins,
    settings,
    personas: aliases,
  })
  registerMetrics(app, { ...ports, mirror, fanOut, gateway })
  drain.lastOf()
  refuseOtherMethods(app, allRoutes)
  await serveWeb(app, config.webDist)

  return app
}

/** Tells operators why pages are refused under a name that nobody declared, once a minute at most. */
function warnOfUndeclared(log: Logger): (origin: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return (origin) => {
    if (performance.now() < lastMs + 60_000) return
    lastMs = performance.now()
    log.warn(
      { origin },
      'its page was refused: PUBLIC_SERVER_URL does not say that the station has this name',
    )
  }
}
