import type { Socket } from 'node:net'
import type { Route, Upload } from '@solstice/contracts'
import { Failure, type MediaStorage } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Gate } from '../auth/access.ts'
import { limitUploads, type UploadLimit } from '../limits/upload-limit.ts'
import { isTooComplex } from './bodies/json-size.ts'
import { type BodyPace, type RequestBodies, watchBodies } from './bodies/request-bodies.ts'
import { closeUnread, refuse, writeRefusal } from './errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Asked by `implement` before every handler. */
    gate: Gate
    bodies: RequestBodies
    uploads: UploadLimit
    /** True when the media storage has room for an upload of this many bytes. */
    hasRoomFor: MediaStorage['hasRoomFor']
  }
  interface FastifyContextConfig {
    /** The contract route; `internal` for the few that are not in the contract. */
    contract?: Route | 'internal'
  }
}

export interface ContractOptions {
  hasRoomFor?: MediaStorage['hasRoomFor']
  bodyPace?: BodyPace
  uploads?: UploadLimit
}

/**
 * Makes an app answer every error in the contract's form, and accept only routes registered by `implement`, so with an
 * access rule.
 */
export function useContract(app: FastifyInstance, gate: Gate, options: ContractOptions = {}): void {
  app.decorate('gate', gate)
  app.decorate('refusals', new Map())
  app.decorate('hasRoomFor', options.hasRoomFor ?? (async () => true))
  app.decorate('uploads', options.uploads ?? limitUploads())
  const refuseSlow = (socket: Socket) => writeRefusal(socket, 'REQUEST_TIMEOUT')
  app.decorate('bodies', watchBodies(app.server, refuseSlow, options.bodyPace))
  app.addHook('preParsing', async (request) => {
    const { contract } = request.routeOptions.config
    // Uploads ask for their body where they read it.
    if (contract && (contract === 'internal' || !isUpload(contract.body)))
      app.bodies.sendContinue(request.raw)
  })
  app.addHook('onSend', async (request, reply) => closeUnread(request, reply))
  app.setErrorHandler(refuse)
  parseJson(app)
  app.addHook('onRoute', ({ method, url, config }) => {
    const isPluginRoute = [method].flat().every((one) => isOfPlugin(one, url))
    if (config?.contract === undefined && !isPluginRoute)
      throw new Error(`${method} ${url} was not registered by implement(): it has no access rule`)
  })
}

export function isUpload(body: Route['body']): body is Upload {
  return body !== undefined && 'upload' in body
}

function parseJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Clients declare JSON even when they send no body.
    if (body === '') done(null, undefined)
    else if (isTooComplex(body as string)) done(new Failure('PAYLOAD_TOO_LARGE'))
    else parse(request, body as string, done)
  })
}

/** Public routes that plugins register: preflights, the API reference, the web client. */
function isOfPlugin(method: string, url: string): boolean {
  return (method === 'OPTIONS' && url === '*') || url === '/*' || /^\/api\/docs(\/|$)/.test(url)
}
