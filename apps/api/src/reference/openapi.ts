import swagger from '@fastify/swagger'
import {
  type Access,
  type BytesReply,
  type FailureCode,
  failureBody,
  failures,
  locales,
  type Route,
  sections,
} from '@solstice/contracts'
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'

const securitySchemes = {
  artToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Art-Token',
    description: 'From the socket event `listener_uid`, which answers `listener_init`.',
  },
  artTokenInQuery: { type: 'apiKey', in: 'query', name: 'token', description: 'The art token.' },
  audioToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Audio-Token',
    description: 'From `GET /api/audio-key`; of the same listener as the art token.',
  },
  artTokenBesideAudio: { type: 'apiKey', in: 'query', name: 'artToken', description: 'The art token.' },
  audioTokenInQuery: { type: 'apiKey', in: 'query', name: 'audioToken', description: 'The audio token.' },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From `POST /api/admin/login`, outside production also in its answer.',
  },
  adminCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'adminToken',
    description: 'Set by `POST /api/admin/login`; what changes something also needs an allowed `Origin`.',
  },
  adminTokenInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'adminToken',
    description: 'An admin token, or one that was given for this file.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: '`METRICS_TOKEN` of the configuration.' },
} as const

type SchemeName = keyof typeof securitySchemes

/** The alternative credentials for an access rule. */
function securityOf(access: Access): Partial<Record<SchemeName, string[]>>[] {
  switch (access) {
    case 'public':
      return []
    case 'art':
      return [{ artToken: [] }, { artTokenInQuery: [] }]
    case 'art+audio':
      return [
        { artToken: [], audioToken: [] },
        { artTokenBesideAudio: [], audioTokenInQuery: [] },
      ]
    case 'file':
      return [{ adminToken: [] }, { adminTokenInQuery: [] }, { adminCookie: [] }]
    case 'operator':
      return [{ metricsToken: [] }]
    default:
      return [{ adminToken: [] }, { adminCookie: [] }]
  }
}

/** Words the access rule of an admin route. */
function permissionOf(access: Access): string | undefined {
  const list = (privileges: readonly string[], word: string) =>
    privileges.map((p) => `\`${p}\``).join(` ${word} `)
  if (access === 'session') return 'Any admin, also one that has to activate its account first.'
  if (access === 'admin' || access === 'file') return 'Any activated admin.'
  if (access === 'super') return 'The super admin only.'
  if (access === 'operator')
    return 'Who brings `METRICS_TOKEN`; where none is set, programs of the same machine, through no proxy.'
  if (typeof access === 'string') return undefined
  if ('all' in access) return `Needs ${list(access.all, 'and')}.`
  if ('any' in access) return `Needs ${list(access.any, 'or')}.`
  return `Any activated admin; depending on what changes it needs ${list(access.perSection, 'or')}.`
}

/** Generates the OpenAPI document from the route values that also serve requests; `serveReference` publishes it. */
export async function documentApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Solstice',
        version: '1',
        description:
          'One broadcast for everybody. Every refusal has the form `{ error: { code, uk, en, … }, message: { uk, en } }`; the code never changes, the texts may.',
      },
      tags: [
        { name: 'listening', description: 'What listeners need' },
        { name: 'session', description: 'Logging in, and the accounts of admins' },
        { name: 'uploads', description: 'New tracks in three steps' },
        { name: 'video', description: 'New tracks from video links' },
        { name: 'tracks', description: 'The library and the song editor' },
        { name: 'lyrics', description: 'Lyrics and their offsets' },
        { name: 'artwork', description: 'One image per artist' },
        { name: 'clips', description: 'Jingles, phrases, background music' },
        { name: 'groups', description: 'Songs that are queued together' },
        { name: 'donations', description: 'Paid songs' },
        { name: 'administration', description: 'Settings, statistics, audit log, programme' },
        { name: 'operations', description: 'What operators need' },
      ],
      components: { securitySchemes },
    },
    // Uploads are described only here: in the route's schema, Fastify would validate the bytes.
    transform: ({ schema, url, route }) => ({ schema: { ...schema, ...uploadOf(route.config) }, url }),
  })
}

/** Builds the schema of a contract route, which Fastify validates and the reference shows. */
export function describeRoute(route: Route): FastifySchema {
  const description = permissionOf(route.access)
  return {
    summary: route.summary,
    ...(description && { description }),
    tags: Object.keys(sections).filter((name) => sections[name]!.includes(route)),
    security: securityOf(route.access),
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: withExamples(asSent(route.query), route.example?.query) }),
    ...(route.headers && { headers: route.headers }),
    ...(route.body &&
      !('upload' in route.body) && { body: withExample(asSent(route.body), route.example?.body) }),
    response: { ...replies(route), ...refusals(route) },
  }
}

/** Describes the body of an upload route; empty for other routes. */
function uploadOf({ contract }: FastifyContextConfig = {}): FastifySchema {
  if (!contract || contract === 'internal' || !contract.body || !('upload' in contract.body)) return {}
  const { upload, description } = contract.body
  const media = { schema: { type: 'string', format: 'binary', description } }
  return {
    body: {
      content: Object.fromEntries([upload].flat().map((type) => [type === '*' ? '*/*' : type, media])),
    },
  }
}

/** The shape as callers send it, with defaulted fields optional. */
function asSent(shape: TSchema): TSchema {
  const { properties = {}, required = [] } = shape as Partial<ObjectShape>
  return { ...shape, required: required.filter((name) => !('default' in properties[name]!)) }
}

interface ObjectShape {
  properties: Record<string, TSchema>
  required: string[]
}

function withExample(shape: TSchema, example: unknown): TSchema {
  return example === undefined ? shape : { ...shape, examples: [example] }
}

function withExamples(query: TSchema, examples: Record<string, unknown> = {}): TSchema {
  const { properties = {} } = query as Partial<ObjectShape>
  const shown = Object.entries(properties).map(([name, shape]) => [name, withExample(shape, examples[name])])
  return { ...query, properties: Object.fromEntries(shown) }
}

function replies({ reply, example }: Route) {
  if (!isBytes(reply)) return { 200: withExample(reply, example?.reply) }
  const content = { [reply.bytes]: { schema: { type: 'string', format: 'binary' } } }
  const { description } = reply
  return {
    200: { description, content },
    ...(reply.hasRanges && { 206: { description, content } }),
    ...(reply.mayRedirect && { 302: { description: 'Where the file lies in the cloud storage' } }),
  }
}

function isBytes(reply: TSchema | BytesReply): reply is BytesReply {
  return 'bytes' in reply
}

/** One entry per refusal status, with its codes and an example of each. */
function refusals(route: Route) {
  const codes = new Set<FailureCode>([
    ...route.failures,
    ...ofAccess(route),
    ...(route.capability ? (['FEATURE_UNAVAILABLE'] as const) : []),
    ...ofBody(route),
    'INTERNAL',
    'DATA_UNAVAILABLE',
  ])
  const statuses = new Set([...codes].map((code) => failures[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = [...codes].filter((code) => failures[code].status === status)
      return [status, refusal(ofStatus)]
    }),
  )
}

/** Refusals of a body before its shape is checked. */
function ofBody({ body }: Route): FailureCode[] {
  if (!body) return []
  return 'upload' in body
    ? ['PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT']
    : ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
}

/** Refusals of the access check. */
function ofAccess({ access }: Route): FailureCode[] {
  switch (access) {
    case 'public':
    case 'art':
    case 'art+audio':
      return []
    case 'super':
      return ['UNAUTHORIZED', 'FORBIDDEN', 'SUPER_ADMIN_ONLY']
    default:
      return ['UNAUTHORIZED', 'FORBIDDEN']
  }
}

const text = { type: 'object', properties: Object.fromEntries(locales.map((l) => [l, { type: 'string' }])) }

function refusal(codes: FailureCode[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].text.en}`).join('; '),
    type: 'object',
    properties: {
      error: {
        anyOf: [
          {
            type: 'object',
            properties: { code: { type: 'string', enum: codes }, ...text.properties },
            additionalProperties: true,
          },
          { type: 'string' },
        ],
      },
      message: text,
    },
    additionalProperties: true,
    examples: codes.map((code) => failureBody(code)),
  }
}
