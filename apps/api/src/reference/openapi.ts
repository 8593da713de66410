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
    description: 'Sent in the socket event `listener_uid`, the answer to `listener_init`.',
  },
  artTokenInQuery: { type: 'apiKey', in: 'query', name: 'token', description: 'The art token.' },
  audioToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Audio-Token',
    description: 'From `GET /api/audio-key`; must belong to the same listener as the art token.',
  },
  artTokenBesideAudio: { type: 'apiKey', in: 'query', name: 'artToken', description: 'The art token.' },
  audioTokenInQuery: { type: 'apiKey', in: 'query', name: 'audioToken', description: 'The audio token.' },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The value of the `adminToken` cookie; outside production `POST /api/admin/login` also returns it.',
  },
  adminCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'adminToken',
    description:
      'Set by `POST /api/admin/login`. Requests that change something also need an allowed `Origin` header.',
  },
  adminTokenInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'adminToken',
    description: 'An admin token, or the token of a URL for this file.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The configured `METRICS_TOKEN`.' },
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
  if (access === 'session') return 'Any admin, including helpers who have not activated their account.'
  if (access === 'admin' || access === 'file') return 'Any activated admin.'
  if (access === 'super') return 'The super admin only.'
  if (access === 'operator')
    return 'Callers with `METRICS_TOKEN`; if none is set, local processes that connect without a proxy.'
  if (typeof access === 'string') return undefined
  if ('all' in access) return `Needs ${list(access.all, 'and')}.`
  if ('any' in access) return `Needs ${list(access.any, 'or')}.`
  return `Any activated admin; each change needs its own privilege: ${list(access.perSection, 'or')}.`
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
          'An Internet radio station: one broadcast that all listeners hear together. Errors have the form `{ error: { code, uk, en, … }, message: { uk, en } }`. Codes are stable; texts may change. Times are epoch milliseconds and durations are seconds unless noted.',
      },
      tags: [
        {
          name: 'listening',
          description: 'Everything the player needs: library, lyrics, images, audio, stream',
        },
        {
          name: 'directories',
          description: 'Playlists for players, and the status for directories of stations',
        },
        {
          name: 'sharing',
          description: 'Links to the station: previews, search engines, the installed page',
        },
        { name: 'session', description: 'Logins, sessions and accounts of admins' },
        { name: 'uploads', description: 'Adding tracks in three steps: file, lyrics, commit' },
        { name: 'video', description: 'Adding tracks from video links' },
        { name: 'tracks', description: 'Editing, moving and deleting tracks' },
        { name: 'lyrics', description: 'Lyrics and their time offsets' },
        { name: 'artwork', description: 'One image per artist' },
        { name: 'clips', description: 'Jingles, phrases, background music' },
        { name: 'groups', description: 'Groups of songs that are queued together' },
        { name: 'donations', description: 'Ordering and paying for songs' },
        { name: 'administration', description: 'Settings, statistics, history, audit log, programme mode' },
        { name: 'jobs', description: 'Background jobs' },
        { name: 'webhooks', description: 'Addresses that are told of events' },
        { name: 'operations', description: 'Health checks and metrics' },
      ],
      components: { securitySchemes },
    },
    // Uploads are described only here: in the route's schema, Fastify would validate the bytes.
    transform: ({ schema, url, route }) => ({ schema: { ...schema, ...uploadOf(route.config) }, url }),
  })
}

const described = new WeakMap<Route, FastifySchema>()

/** The schema of a contract route, which Fastify validates and the reference shows. Apps in one process share it. */
export function describeRoute(route: Route): FastifySchema {
  const schema = described.get(route) ?? schemaOf(route)
  described.set(route, schema)
  return schema
}

function schemaOf(route: Route): FastifySchema {
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
    ...(reply.mayRedirect && { 302: { description: 'Redirects to the file in cloud storage' } }),
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
function ofBody({ body, access }: Route): FailureCode[] {
  if (!body) return []
  return 'upload' in body
    ? ['PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT', ...(access === 'public' ? [] : (['RATE_LIMITED'] as const))]
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
