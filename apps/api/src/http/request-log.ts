import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { UNKNOWN_ACCOUNT } from '@solstice/station'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { addressOf } from '../limits/client-address.ts'

const secretParameters = new Set(['token', 'arttoken', 'audiotoken', 'admintoken'])

/** A logger that writes requests without what would let a reader of the log pass as a listener or an admin. */
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

/** What a request is called in the log: what its sender, or a proxy, calls it, as far as that is plain and short. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']?.toString() ?? ''
  return /^[\w.-]{8,64}$/.test(given) ? given : randomUUID()
}

/** Where somebody asks for something, or pays. */
const ofInterest = /^\/(?:api|webhooks)\//

/** The account of a request that says of itself whose it is. */
const accounts = new WeakMap<FastifyRequest, string>()

/** Has the line of a login or logout tell the account, or that nobody has such a login (null). */
export function nameAccount(request: FastifyRequest, adminId: string | null): void {
  accounts.set(request, adminId ?? UNKNOWN_ACCOUNT)
}

/** One line per answered request; what only machines and pages ask in passing is told at level `debug`. */
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

/** The same address with the values of token parameters left out, however their names are spelt. */
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
