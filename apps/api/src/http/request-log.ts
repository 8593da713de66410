import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { UNKNOWN_ACCOUNT } from '@solstice/station'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { addressOf } from '../limits/client-address.ts'

const secretParameters = new Set(['token', 'arttoken', 'audiotoken', 'admintoken'])

/** A logger that leaves tokens out of requests: a reader of the log must not be able to act as a listener or admin. */
export function requestLogger(log: Logger, trustProxyHops: number): FastifyBaseLogger {
  return log.child(
    {},
    {
      serializers: {
        req: ({ method, url, raw }: FastifyRequest) => ({
          method,
          url: withoutSecrets(url),
          address: addressOf(raw, trustProxyHops),
        }),
        res: ({ statusCode }: FastifyReply) => ({ statusCode }),
      },
    },
  )
}

/** The id of a request in the log: that of its sender or a proxy when it is short and plain, else a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']?.toString() ?? ''
  return /^[\w.-]{8,64}$/.test(given) ? given : randomUUID()
}

/** Requests of people, as opposed to probes, page assets, and players that ask every 6 s. */
const ofInterest = /^\/(?:api|webhooks)\/(?!hls\/)/

const accounts = new WeakMap<FastifyRequest, string>()

/** Adds the account to the log line of a login or logout; null = no account has that login. */
export function nameAccount(request: FastifyRequest, adminId: string | null): void {
  accounts.set(request, adminId ?? UNKNOWN_ACCOUNT)
}

/** Logs one line per request; probes and page assets at level `debug`. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const level = ofInterest.test(request.url) || reply.statusCode >= 500 ? 'info' : 'debug'
    const account = accounts.get(request)
    const ms = Math.round(reply.elapsedTime)
    request.log[level]({ req: request, res: reply, ms, ...(account && { account }) }, 'request')
  })
}

/** The URL with the values of token parameters redacted, however the names are encoded. */
export function withoutSecrets(url: string): string {
  const [path, ...rest] = url.split('?')
  if (rest.length === 0) return url
  const pairs = rest.join('?').split('&')
  const shown = pairs.map((pair) => {
    const [name = ''] = pair.split('=', 1)
    return secretParameters.has(decoded(name).toLowerCase()) ? `${name}=[redacted]` : pair
  })
  return `${path}?${shown.join('&')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
