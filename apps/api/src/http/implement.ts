import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type Body,
  type FailureCode,
  type FailureDetails,
  failureBody,
  failures,
  type Params,
  type Query,
  type Reply,
  type Route,
  type Upload,
} from '@solstice/contracts'
import { diskFullAsFailure, Failure, type MediaStorage } from '@solstice/station'
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { type Caller, type Gate, isForAdmins } from '../auth/access.ts'
import { describeRoute } from '../reference/openapi.ts'
import { isTooComplex } from './json-size.ts'
import { type BodyPace, hasBody, mustClose, type RequestBodies, watchBodies } from './request-bodies.ts'

/** Counts by `code reason`. */
type Refusals = Map<string, number>

declare module 'fastify' {
  interface FastifyInstance {
    /** What `implement` puts before every handler. */
    gate: Gate
    bodies: RequestBodies
    /** Whether an upload of this many bytes can be kept. */
    hasRoomFor: MediaStorage['hasRoomFor']
    /** How many requests failed for reasons that are not the caller's, by code and reason. */
    refusals: Refusals
  }
  interface FastifyContextConfig {
    /** The contract route that this is, or why it is none. */
    contract?: Route | 'internal'
  }
}

/** One request to a contract route: checked against the route's access rule and shapes. */
export interface Call<R extends Route> {
  params: Params<R>
  query: Query<R>
  body: Body<R>
  /** Who asks; `undefined` on a public route. */
  caller: Caller<R['access']>
  request: FastifyRequest
  reply: FastifyReply
}

/** Answers with the route's reply, or says that it has taken care of the answer itself. */
export type Handler<R extends Route> = (
  call: Call<R>,
) => Promise<Reply<R> | FastifyReply> | Reply<R> | FastifyReply

export interface ImplementOptions {
  /** By how many ms the tokens of this request may have outlived themselves. */
  graceMs?: (request: FastifyRequest) => Promise<number>
  /** Asked of everybody whom the gate lets pass, before what they sent is read. */
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
    // Before anything else is read, so that a stranger learns nothing and costs nothing.
    onRequest: async (request, reply) => {
      if (isForAdmins(route)) reply.header('cache-control', 'no-store')
      callers.set(request, await admit(request))
      await options.limit?.(request, reply)
      if (isUpload(body)) await expectUpload(app, request, body)
    },
    // Media may be embedded by pages elsewhere; what admins are told may not.
    onSend: async (_, reply) => {
      const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
      if (isForAdmins(route) && isJson) reply.header('cross-origin-resource-policy', 'same-origin')
    },
    preValidation: async (request) => {
      if (body && !isUpload(body)) request.body = withoutNulls(request.body ?? {}, body)
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

function isUpload(body: Route['body']): body is Upload {
  return body !== undefined && 'upload' in body
}

/**
 * Hands on all pieces, then asks. An upload may take hours, in which its sender may lose the right to it: asked after the
 * last byte, the gate refuses it before anything is kept.
 */
async function* followedBy(
  pieces: AsyncIterable<Uint8Array>,
  ask: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* pieces
  await ask()
}

/** Clients say null, or send no body, for what they leave out: what must be there is then missing by name. */
function withoutNulls(sent: unknown, shape: ObjectShape): unknown {
  const { properties } = shape
  if (!isObject(sent) || !properties) return sent
  const entries = Object.entries(sent).flatMap(([name, value]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name]! : {}
    return value === null && !takesNull(inner) ? [] : [[name, withoutNulls(value, inner)]]
  })
  return Object.fromEntries(entries)
}

interface ObjectShape {
  properties?: Record<string, TSchema>
}

function takesNull(shape: TSchema): boolean {
  const { type, anyOf = [] } = shape as { type?: string; anyOf?: TSchema[] }
  return type === 'null' || anyOf.some(takesNull)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Bodies of these types are handed on as they come, in this scope alone. */
function takeUploads(scope: FastifyInstance, body: Route['body']): FastifyInstance {
  scope.removeAllContentTypeParsers()
  if (!isUpload(body)) return scope
  const types = body.upload === '*' ? '*' : [...body.upload]
  scope.addContentTypeParser(types, (_, payload, done) => done(null, payload))
  return scope
}

/** What is of another kind or too much is refused before any of it is read; what takes all kinds sees to that itself. */
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

/** Routes that the plugins bring: preflights, the reference documentation, the web client. All of them are public. */
const ofPlugins = (method: string, url: string) =>
  (method === 'OPTIONS' && url === '*') || url === '/*' || /^\/api\/docs(\/|$)/.test(url)

export interface ContractOptions {
  hasRoomFor?: MediaStorage['hasRoomFor']
  bodyPace?: BodyPace
}

/**
 * Makes an app that answers in the contract's error form whatever happens, and in which a route can only be
 * registered by `implement`, so with an access rule.
 */
export function useContract(app: FastifyInstance, gate: Gate, options: ContractOptions = {}): void {
  app.decorate('gate', gate)
  app.decorate('refusals', new Map())
  app.decorate('hasRoomFor', options.hasRoomFor ?? (async () => true))
  const tooSlow = (socket: Socket) => writeRefusal(socket, 'REQUEST_TIMEOUT')
  app.decorate('bodies', watchBodies(app.server, tooSlow, options.bodyPace))
  app.addHook('preParsing', async (request) => {
    const { contract } = request.routeOptions.config
    // An upload is awaited where it is read.
    if (contract && (contract === 'internal' || !isUpload(contract.body)))
      app.bodies.sendContinue(request.raw)
  })
  app.addHook('onSend', async (request, reply) => closeUnread(request, reply))
  app.setErrorHandler(refuse)
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Clients say JSON also where they send nothing.
    if (body === '') done(null, undefined)
    else if (isTooComplex(body as string)) done(new Failure('PAYLOAD_TOO_LARGE'))
    else parseJson(request, body as string, done)
  })
  app.addHook('onRoute', (route) => {
    const isKnown = route.config?.contract !== undefined
    const isOfPlugins = [route.method].flat().every((method) => ofPlugins(method, route.url))
    if (!isKnown && !isOfPlugins)
      throw new Error(`${route.method} ${route.url} did not come through implement(): it has no access rule`)
  })
}

/** Answers 405 with `Allow` on every path of `routes` for the methods that it does not have, and OPTIONS with 204. */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const url of new Set(routes.map((route) => route.path))) {
    const own: string[] = routes.filter((route) => route.path === url).map((route) => route.method)
    const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    const config = { contract: 'internal' } as const
    const schema = { hide: true }
    app.route({
      method: 'OPTIONS',
      url,
      config,
      schema,
      handler: (_, reply) => reply.code(204).header('allow', allowed.join(', ')).send(),
    })
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url,
      config,
      schema,
      onRequest: async (_, reply) => {
        reply.header('allow', allowed.join(', '))
        throw new Failure('METHOD_NOT_ALLOWED')
      },
      handler: () => undefined,
    })
  }
}

const byFrameworkCode: Record<string, FailureCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'URI_TOO_LONG',
  FST_ERR_NOT_FOUND: 'NOT_FOUND',
}

/** Whatever went wrong, as a refusal of the contract. What is not the caller's fault is told to the log only. */
function asFailure(thrown: FastifyError | Failure): Failure {
  const error = diskFullAsFailure(thrown) as FastifyError | Failure
  if (error instanceof Failure) return error
  if (error.validation) return new Failure('BAD_REQUEST', wrongField(error))
  const code = byFrameworkCode[error.code]
  if (code) return new Failure(code)
  if (error instanceof SyntaxError && error.statusCode === 400) return new Failure('MALFORMED_JSON')
  const isOfCaller = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  return isOfCaller ? new Failure('BAD_REQUEST', { field: 'request' }) : new Failure('INTERNAL')
}

function wrongField({ validation, validationContext }: FastifyError): { field: string; reason?: 'missing' } {
  const [first] = validation ?? []
  const path = first?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  const missing = first?.params.missingProperty
  const field = [path, missing].filter(Boolean).join('.') || validationContext || 'request'
  return missing === undefined ? { field } : { field, reason: 'missing' }
}

function closeUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  const isClosing = reply.statusCode === 408 || reply.getHeader('connection') === 'close'
  if (mustClose(raw, isClosing)) reply.header('connection', 'close')
}

/** Writes the error body: the only place where a failure becomes status and text. */
export function refuse(error: FastifyError | Failure, request: FastifyRequest, reply: FastifyReply): void {
  const failure = asFailure(error)
  const { code, details } = failure
  const { status } = failures[code]
  const isExpected = failure.cause === undefined && (error instanceof Failure || status < 500)
  if (!isExpected) request.log.error({ err: error }, 'a request failed')
  if (status >= 500) count(request.server.refusals, code, details)
  if (typeof details.retryAfterSecs === 'number') reply.header('retry-after', details.retryAfterSecs)
  // What the framework refuses by itself passes no hooks.
  closeUnread(request, reply)
  reply
    .code(status)
    .removeHeader('content-length')
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    // Every refusal is of the contract, whether or not the route expected it.
    .serializer(JSON.stringify)
    .send(failureBody(code, details))
}

function count(refusals: Refusals | undefined, code: FailureCode, { reason }: FailureDetails): void {
  if (!refusals) return
  const label = `${code} ${reason === 'disk_full' ? reason : ''}`
  refusals.set(label, (refusals.get(label) ?? 0) + 1)
}

const byConnectionError: Record<string, FailureCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers what never became a request: bytes that are not HTTP, headers that are too large or too slow. */
export function refuseConnection(error: ConnectionError, socket: Socket): void {
  // In the middle of an answer an error body would only be taken for a part of it.
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  const code = byConnectionError[error.code] ?? 'BAD_REQUEST'
  writeRefusal(socket, code, code === 'BAD_REQUEST' ? { field: 'request' } : {})
}

/** Refuses on a connection that is in nobody's hands, and ends it. */
export function writeRefusal(socket: Socket, code: FailureCode, details: FailureDetails = {}): void {
  const { status } = failures[code]
  const body = JSON.stringify(failureBody(code, details))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
