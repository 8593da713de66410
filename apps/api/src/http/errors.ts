import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type FailureCode, type FailureDetails, failureBody, failures } from '@solstice/contracts'
import { diskFullAsFailure, Failure } from '@solstice/station'
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { LINGER_MS, mustClose } from './bodies/request-bodies.ts'

/** Number of refusals by `code reason`. */
export type RefusalCounts = Map<string, number>

declare module 'fastify' {
  interface FastifyInstance {
    /** Requests that failed through no fault of the caller, by code and reason. */
    refusals: RefusalCounts
  }
}

/** Cache rules of the refusals of these replies. */
const cacheControls = new WeakMap<FastifyReply, string>()

/** Lets caches keep the refusal of this request; usually they keep none. */
export function keepRefusal(reply: FastifyReply, cacheControl: string): void {
  cacheControls.set(reply, cacheControl)
}

/** Writes the error body: the only place where a failure becomes status and text. */
export function refuse(error: FastifyError | Failure, request: FastifyRequest, reply: FastifyReply): void {
  const failure = asFailure(error)
  const { code, details } = failure
  const { status } = failures[code]
  const isExpected = failure.cause === undefined && (error instanceof Failure || status < 500)
  if (!isExpected) request.log.error({ err: error }, 'request failed')
  if (status >= 500) count(request.server.refusals, code, details)
  if (typeof details.retryAfterSecs === 'number') reply.header('retry-after', details.retryAfterSecs)
  // Errors of the framework itself skip the `onSend` hook that does this.
  closeUnread(request, reply)
  reply
    .code(status)
    .removeHeader('content-length')
    .header('cache-control', cacheControls.get(reply) ?? 'no-store')
    .type('application/json; charset=utf-8')
    // The route's own serializer would drop the fields of a refusal that it does not declare.
    .serializer(JSON.stringify)
    .send(failureBody(code, details))
}

/** Announces that the connection closes after this reply, when the rest of the request body will not be read. */
export function closeUnread({ raw }: FastifyRequest, reply: FastifyReply): void {
  const isClosing = reply.statusCode === 408 || reply.getHeader('connection') === 'close'
  if (mustClose(raw, isClosing)) reply.header('connection', 'close')
}

const codeOfFrameworkError: Record<string, FailureCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'URI_TOO_LONG',
  FST_ERR_NOT_FOUND: 'NOT_FOUND',
}

/** Any error as a failure of the contract. Server errors become INTERNAL: their text is for the log only. */
function asFailure(thrown: FastifyError | Failure): Failure {
  const error = diskFullAsFailure(thrown) as FastifyError | Failure
  if (error instanceof Failure) return error
  if (error.validation) return new Failure('BAD_REQUEST', wrongField(error))
  const code = codeOfFrameworkError[error.code]
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

function count(refusals: RefusalCounts | undefined, code: FailureCode, { reason }: FailureDetails): void {
  if (!refusals) return
  const label = `${code} ${reason === 'disk_full' ? reason : ''}`
  refusals.set(label, (refusals.get(label) ?? 0) + 1)
}

const codeOfConnectionError: Record<string, FailureCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Connections that speak HTTP no more; what was written to them may not be among `bytesWritten`. */
const taken = new WeakSet<Socket>()

/** Notes that a connection was taken over from HTTP: bytes that are no request are not answered on it. */
export function noteTaken(socket: Socket): void {
  taken.add(socket)
}

/** Answers bytes that never became a request: malformed HTTP, or headers that are too large or too slow. */
export function refuseConnection(error: ConnectionError, socket: Socket): void {
  // An error body in the middle of a reply would be read as part of it.
  if (!socket.writable || socket.bytesWritten > 0 || taken.has(socket)) {
    socket.destroy()
    return
  }
  const code = codeOfConnectionError[error.code] ?? 'BAD_REQUEST'
  writeRefusal(socket, code, code === 'BAD_REQUEST' ? { field: 'request' } : {})
  // Node no longer limits its time, and a client may keep its half open for ever.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

/** Writes a whole HTTP error reply to a raw socket and ends it. */
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
