import type { Metrics, Ports } from '@solstice/adapters'
import { allRoutes } from '@solstice/contracts'
import { capabilitiesOf, createAudit, createLoginLog, createLyrics, readSuperAdmin } from '@solstice/station'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { watchReadiness } from './air/readiness.ts'
import { createStationStatus } from './air/status.ts'
import { openAuth } from './auth/auth.ts'
import { openAuditSpool } from './background/audit-spool.ts'
import { readAvatars } from './background/avatars.ts'
import { mirrorCovers } from './background/covers.ts'
import { openDeliverySpool } from './background/delivery-spool.ts'
import { createEventFollowers } from './background/event-followers.ts'
import { mirrorUiSettings } from './background/ui-settings.ts'
import { openHls } from './hls/hls.ts'
import { useContract } from './http/contract.ts'
import { drainOnClose } from './http/drain.ts'
import { refuseOtherMethods } from './http/method-not-allowed.ts'
import { logRequests } from './http/request-log.ts'
import { secure } from './http/security.ts'
import { serverOptions } from './http/server-options.ts'
import { useShortcuts } from './http/shortcuts.ts'
import { clientAddress, createOrigins } from './limits/client-address.ts'
import { limitConnections } from './limits/connection-limit.ts'
import { perAddress } from './limits/per-address.ts'
import { createRequestLimits } from './limits/request-limits.ts'
import { shareCounts } from './limits/shared-counts.ts'
import { openRateLimits } from './limits/turns.ts'
import { limitUploads } from './limits/upload-limit.ts'
import { createSharePictures } from './links/pictures.ts'
import { registerMetrics } from './metrics.ts'
import { openNowPlaying } from './now-playing/now-playing.ts'
import { servePages } from './pages/pages.ts'
import { joinReports } from './processes/joined-reports.ts'
import { openMessages } from './processes/messages.ts'
import type { Place } from './processes/place.ts'
import { type Engine, passToTheirProcess } from './processes/sessions-elsewhere.ts'
import { openSiblings } from './processes/siblings.ts'
import { documentApi } from './reference/openapi.ts'
import { serveReference } from './reference/reference.ts'
import { administrationRoutes } from './routes/administration.ts'
import { aircheckRoutes } from './routes/aircheck.ts'
import { backupRoutes } from './routes/backup.ts'
import { donationRoutes } from './routes/donations/donations.ts'
import { webhookRoutes } from './routes/donations/webhooks.ts'
import { eventRoutes } from './routes/events.ts'
import { jobRoutes } from './routes/jobs.ts'
import { artworkRoutes } from './routes/library/artwork.ts'
import { clipRoutes } from './routes/library/clips.ts'
import { groupRoutes } from './routes/library/groups.ts'
import { lyricsRoutes } from './routes/library/lyrics.ts'
import { trackEditorRoutes } from './routes/library/track-editor.ts'
import { trackRoutes } from './routes/library/tracks.ts'
import { uploadRoutes } from './routes/library/uploads.ts'
import { videoRoutes } from './routes/library/video.ts'
import { directoryRoutes } from './routes/listening/directories.ts'
import { listeningRoutes } from './routes/listening/listening.ts'
import { nowPlayingRoutes } from './routes/listening/now-playing.ts'
import { notificationRoutes } from './routes/notifications.ts'
import { operationsRoutes } from './routes/operations.ts'
import { sessionRoutes } from './routes/session/session.ts'
import { settingsRoutes } from './routes/settings.ts'
import { sharingRoutes } from './routes/sharing.ts'
import { statusRoutes } from './routes/status.ts'
import { outgoingWebhookRoutes } from './routes/webhooks.ts'
import { attachGateway } from './sockets/gateway.ts'
import { aliases } from './sockets/presence/aliases.ts'
import { createAirMirror } from './stream/mirror.ts'
import { createStreams } from './stream/streams.ts'

/** The ports that the API works with. */
export type ApiPorts = Omit<
  Ports,
  'redis' | 'loudnessMeter' | 'pictures' | 'reconciliation' | 'leases' | 'close'
>

/**
 * Builds the whole API over its ports, ready to listen. Closing it ends the streams and leaves the ports open.
 *
 * @param place of this process, where a replica has several.
 */
export async function buildApp(ports: ApiPorts, place: Place | null = null): Promise<FastifyInstance> {
  const { config, data, media, clock, log } = ports
  const { superAdmin, trustProxyHops } = config

  const app: FastifyInstance = Fastify(serverOptions(log, trustProxyHops))
  useShortcuts(app)
  const closeWithApp = <T extends { close(): unknown }>(part: T): T => {
    app.addHook('onClose', async () => void (await part.close()))
    return part
  }
  const drain = drainOnClose(app, config.drainDelayMs)
  const origins = createOrigins(config, { onUndeclared: warnOfUndeclared(log) })
  const capabilities = capabilitiesOf(config, ports.payments)
  const auth = await openAuth(app, { ...ports, origins, capabilities })
  const openCount = shareCounts(place ? openMessages() : null, config.apiProcesses)
  useContract(app, auth.gate, { hasRoomFor: media.hasRoomFor, uploads: limitUploads(openCount) })
  logRequests(app)
  await secure(app, { origins, mediaOrigin: media.linkOrigin })
  await documentApi(app)

  const auditSpool = closeWithApp(openAuditSpool({ ...ports, spool: ports.spools.auditEntries }))
  const audited = { ...ports, isOn: capabilities.auditLog }
  const audit = createAudit({ ...audited, later: auditSpool.add })
  const loginLog = closeWithApp(createLoginLog({ ...audited, superAdmin }))
  const mirror = closeWithApp(createAirMirror(ports))
  // At once: it cuts what was broadcast before this replica began, which the mirror is about to read.
  const hls = closeWithApp(openHls({ ...ports, mirror }))
  const link = closeWithApp(await ports.openReplicaLink())
  const settings = closeWithApp(await mirrorUiSettings({ ...ports, link }))
  const covers = mirrorCovers(ports)
  const connections = limitConnections(
    app.server,
    // Behind a proxy all connections are the proxy's own.
    ({ remoteAddress }) => (trustProxyHops > 0 ? null : clientAddress(remoteAddress, undefined, 0)),
    { openCount },
  )
  const streams = createStreams({
    ...{ mirror, clock, config, origins, settings, openCount },
    onTaken: connections.release,
  })
  app.addHook('preClose', () => streams.close())
  const events = createEventFollowers({ data, log, onTaken: connections.release })
  app.addHook('preClose', async () => events.close())
  const rates = await openRateLimits(app, ports.turnCounter)
  const limits = createRequestLimits(rates, config.loginAttemptsPer15Min)

  const deps = { ...ports, ...auth, origins, capabilities, audit, mirror, limits, openCount }
  const lookup = config.lyricsApiUrl ? ports.lyricsLookup : null
  const lookups = { data, lookup, turns: ports.lyricsTurns, clock }
  const deliveries = closeWithApp(openDeliverySpool({ ...ports, spool: ports.spools.deliveries }))
  const readiness = watchReadiness(app, { ...deps, streamMode: config.streamMode, drain })

  await serveReference(app, perAddress(deps, limits.docs))
  const lyrics = createLyrics(lookups, 'listeners')
  listeningRoutes(app, { ...deps, streams, hls, lyrics, avatars: await readAvatars() })
  sessionRoutes(app, { ...deps, loginLog, superAdmin: await readSuperAdmin(deps, superAdmin) })
  const batches = ports.openLyricsBatches()
  libraryRoutes(app, { ...deps, lyrics: createLyrics(lookups, 'admins'), batches })
  stationRoutes(app, { ...deps, events })
  donationRoutes(app, deps)
  webhookRoutes(app, { ...deps, deliveries })
  notificationRoutes(app, deps)
  const gateway = await attachGateway(app, { ...deps, link, settings, aliases, covers })
  operationsRoutes(app, readiness, await reportOf(app, ports.metrics, gateway.engine, place))
  const nowPlaying = openNowPlaying(app, {
    ...{ ...deps, link, uiSettings: settings.now, covers, onTaken: connections.release },
    listeners: () => (config.streamMode ? streams.listeners : gateway.listeners),
    listenersByMount: [streams.first, ...streams.others.values()].map((one) => () => one.listeners),
    hlsListeners: hls.listeners,
  })
  const status = createStationStatus(deps)
  const pictures = createSharePictures()
  otherSitesRoutes(app, { ...deps, ...nowPlaying, settings, status, pictures })
  registerMetrics(app, { ...deps, streams, hls, gateway, nowPlayingEvents: nowPlaying.events })
  drain.lastOf()
  refuseOtherMethods(app, allRoutes)
  await servePages(app, {
    ...{ ...deps, settings, covers, status, mediaOrigin: media.linkOrigin },
    nowPlaying: (origin) => nowPlaying.snapshots.now().replyFor(origin),
  })

  return app
}

/** Joins a process with the others of its replica, if there are any. @returns reads the metrics of all of them. */
async function reportOf(
  app: FastifyInstance,
  { report }: Metrics,
  engine: Engine,
  place: Place | null,
): Promise<() => Promise<Uint8Array>> {
  if (!place) return report
  const siblings = await openSiblings(place, {
    report,
    onRequest: (request, response) => engine.handleRequest(request, response),
    onUpgrade: (request, socket, head) => engine.handleUpgrade(request, socket, head),
  })
  passToTheirProcess(engine, siblings)
  app.addHook('preClose', async () => siblings.endPassed())
  app.addHook('onClose', async () => siblings.close())
  return async () => Buffer.from(joinReports(await siblings.reports()))
}

type DepsOf<Routes extends (app: FastifyInstance, deps: never) => void> = Parameters<Routes>[1]
type LibraryDeps = DepsOf<typeof clipRoutes> &
  DepsOf<typeof uploadRoutes> &
  DepsOf<typeof trackRoutes> &
  DepsOf<typeof trackEditorRoutes> &
  DepsOf<typeof videoRoutes> &
  DepsOf<typeof groupRoutes> &
  DepsOf<typeof lyricsRoutes> &
  DepsOf<typeof artworkRoutes>

/** Everything about the library and its sounds. */
function libraryRoutes(app: FastifyInstance, deps: LibraryDeps): void {
  clipRoutes(app, deps)
  uploadRoutes(app, deps)
  trackRoutes(app, deps)
  trackEditorRoutes(app, deps)
  videoRoutes(app, deps)
  groupRoutes(app, deps)
  lyricsRoutes(app, deps)
  artworkRoutes(app, deps)
}

type StationDeps = DepsOf<typeof jobRoutes> &
  DepsOf<typeof administrationRoutes> &
  DepsOf<typeof settingsRoutes> &
  DepsOf<typeof backupRoutes> &
  DepsOf<typeof outgoingWebhookRoutes> &
  DepsOf<typeof eventRoutes> &
  DepsOf<typeof aircheckRoutes>

/** Routes for the whole station: helpers, settings, jobs and backups. */
function stationRoutes(app: FastifyInstance, deps: StationDeps): void {
  jobRoutes(app, deps)
  administrationRoutes(app, deps)
  settingsRoutes(app, deps)
  backupRoutes(app, deps)
  outgoingWebhookRoutes(app, deps)
  eventRoutes(app, deps)
  aircheckRoutes(app, deps)
}

type OtherSitesDeps = DepsOf<typeof nowPlayingRoutes> &
  DepsOf<typeof statusRoutes> &
  DepsOf<typeof directoryRoutes> &
  DepsOf<typeof sharingRoutes>

/** How the station looks on other sites: what is on air, how reliable it is, directories of stations, links. */
function otherSitesRoutes(app: FastifyInstance, deps: OtherSitesDeps): void {
  nowPlayingRoutes(app, deps)
  statusRoutes(app, deps)
  directoryRoutes(app, deps)
  sharingRoutes(app, deps)
}

/** Warns operators about pages refused under an undeclared name, at most once a minute. */
function warnOfUndeclared(log: Logger): (origin: string) => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return (origin) => {
    if (performance.now() < lastMs + 60_000) return
    lastMs = performance.now()
    log.warn({ origin }, 'page refused: PUBLIC_SERVER_URL does not declare this name of the station')
  }
}
