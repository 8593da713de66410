import type { Server } from 'node:http'
import { type FastifyHttpOptions, LogController } from 'fastify'
import type { Logger } from 'pino'
import { compileWhenNeeded } from './bodies/schema-compilers.ts'
import { refuse, refuseConnection } from './errors.ts'
import { requestId, requestLogger } from './request-log.ts'

const HEADERS_TIMEOUT_MS = 10_000
/** Node checks for slow requests every 30 s by default, which would triple the timeout. */
const TIMEOUT_CHECK_MS = 2_000
/** A busy machine may take this long to load all plugins. */
const PLUGIN_TIMEOUT_MS = 120_000
const MAX_BODY_BYTES = 1024 * 1024
/** File names and artists, percent-encoded. */
const MAX_PARAM_LENGTH = 2_000

/** Limits of the HTTP server, its log and its error replies. */
export function serverOptions(log: Logger, trustProxyHops: number) {
  return {
    loggerInstance: requestLogger(log, trustProxyHops),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // Requests on open connections are still answered while the app drains.
    return503OnClosing: false,
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: compileWhenNeeded },
    // In strict mode a query text that coerces to infinity would skip the bounds of its schema.
    ajv: { customOptions: { strictNumbers: false } },
    pluginTimeout: PLUGIN_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    frameworkErrors: refuse,
    clientErrorHandler: refuseConnection,
  } satisfies FastifyHttpOptions<Server>
}
