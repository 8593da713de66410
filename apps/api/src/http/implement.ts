import type { Body, Params, Query, Reply, Route, Upload } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isForAdmins } from '../auth/access.ts'
import type { Caller } from '../auth/callers.ts'
import { describeRoute } from '../reference/openapi.ts'
import { omitNulls } from './bodies/omit-nulls.ts'
import { hasBody } from './bodies/request-bodies.ts'
import { isUpload } from './contract.ts'

/** One request to a contract route, after its access rule and shapes were checked. */
export interface Call<R extends Route> {
  params: Params<R>
  query: Query<R>
  body: Body<R>
  /** `undefined` on a public route. */
  caller: Caller<R['access']>
  request: FastifyRequest
  reply: FastifyReply
}

/** Returns the route's reply, or `reply` itself when the handler has answered. */
export type Handler<R extends Route> = (
  call: Call<R>,
) => Promise<Reply<R> | FastifyReply> | Reply<R> | FastifyReply

export interface ImplementOptions {
  /** How many ms ago the tokens of this request may have expired. */
  graceMs?: (request: FastifyRequest) => Promise<number>
  /** A rate limit, taken after the access check and before the body is read. */
  limit?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/**
 * Serves a contract route: its access rule first, then the shapes of what was sent, then the handler, whose `Failure`s
 * become the contract's error bodies.
 */
export function implement<const R extends Route>(
  app: FastifyInstance,
  route: R,
  handler: Handler<R>,
  options: ImplementOptions = {},
): void {
  if (!app.gate.knows(route.access)) throw new Error(`${route.method} ${route.path} declares no access rule`)
  if (isUpload(route.body))
    app.register(async (scope) => serve(takeUploads(scope, route.body), route, handler, options))
  else serve(app, route, handler, options)
}

function serve<const R extends Route>(
  app: FastifyInstance,
  route: R,
  handler: Handler<R>,
  options: ImplementOptions,
): void {
  const { body } = route
  const callers = new WeakMap<FastifyRequest, Caller<R['access']>>()
  const admit = async (request: FastifyRequest) =>
    app.gate.admit(route, request, (await options.graceMs?.(request)) ?? 0)
  app.route({
    method: route.method,
    url: route.path,
    config: { contract: route },
    schema: describeRoute(route),
    // Access comes before anything is read, so that a stranger learns nothing and costs nothing.
    onRequest: async (request, reply) => {
      if (isForAdmins(route)) reply.header('cache-control', 'no-store')
      callers.set(request, await admit(request))
      // `/api/history/` is not the history of no day.
      if (Object.values(request.params as object).includes('')) throw new Failure('NOT_FOUND')
      await options.limit?.(request, reply)
      const caller = callers.get(request)
      if (isUpload(body)) {
        if (caller && 'adminId' in caller) app.uploads.begin(caller.adminId, reply)
        await expectUpload(app, request, body)
      }
    },
    // Pages elsewhere may embed media, but not what admins are told.
    onSend: async (_, reply) => {
      const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
      if (isForAdmins(route) && isJson) reply.header('cross-origin-resource-policy', 'same-origin')
    },
    preValidation: async (request) => {
      if (body && !isUpload(body)) request.body = omitNulls(request.body ?? {}, body)
    },
    handler: (request, reply) =>
      handler({
        params: request.params as Params<R>,
        query: request.query as Query<R>,
        body: (isUpload(body)
          ? followedBy(app.bodies.stream(request.raw, body.maxBytes), () => admit(request))
          : request.body) as Body<R>,
        caller: callers.get(request) as Caller<R['access']>,
        request,
        reply,
      }),
  })
}

/**
 * Yields all pieces, then asks. The sender of an upload of hours may lose the right to it meanwhile: asked after the last
 * byte, the gate refuses before anything is stored.
 */
async function* followedBy(
  pieces: AsyncIterable<Uint8Array>,
  ask: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* pieces
  await ask()
}

/** Passes bodies of the upload's types on unparsed, in this scope alone. */
function takeUploads(scope: FastifyInstance, body: Route['body']): FastifyInstance {
  scope.removeAllContentTypeParsers()
  if (!isUpload(body)) return scope
  const types = body.upload === '*' ? '*' : [...body.upload]
  scope.addContentTypeParser(types, (_, payload, done) => done(null, payload))
  return scope
}

/** Rejects a wrong content type or an oversized body before reading it. Routes that accept `*` check both themselves. */
async function expectUpload(app: FastifyInstance, { raw }: FastifyRequest, body: Upload): Promise<void> {
  if (body.upload === '*') return
  const type = raw.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const isOther = type === undefined ? hasBody(raw) : !body.upload.includes(type)
  if (isOther && body.kind)
    throw new Failure('BAD_REQUEST', { field: 'content-type', reason: `not_${body.kind}` })
  const bytes = Number(raw.headers['content-length'] ?? 0)
  if (bytes > body.maxBytes) throw new Failure('PAYLOAD_TOO_LARGE')
  if (!(await app.hasRoomFor(bytes))) throw new Failure('DATA_UNAVAILABLE', { reason: 'disk_full' })
}
