import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import {
  type Access,
  type BytesReply,
  type FailureCode,
  failureBody,
  failures,
  locales,
  type Route,
} from '@solstice/contracts'
import type { FastifyInstance, FastifySchema } from 'fastify'
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
} as const

type SchemeName = keyof typeof securitySchemes

/** What a route of each access rule needs: one of the alternatives. */
const security: Record<Access, Partial<Record<SchemeName, string[]>>[]> = {
  public: [],
  art: [{ artToken: [] }, { artTokenInQuery: [] }],
  'art+audio': [
    { artToken: [], audioToken: [] },
    { artTokenBesideAudio: [], audioTokenInQuery: [] },
  ],
}

/** Serves the reference of the API at `/api/docs`, made from the same route values that serve requests. */
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
        { name: 'operations', description: 'What operators need' },
      ],
      components: { securitySchemes },
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/api/docs',
    uiConfig: { deepLinking: true, docExpansion: 'list' },
    staticCSP: {
      'default-src': ["'self'"],
      'img-src': ["'self'", 'data:'],
      'style-src': ["'self'", "'unsafe-inline'"],
      'object-src': ["'none'"],
      'frame-ancestors': ["'self'"],
    },
  })
}

/** The shapes of a contract route as Fastify checks them and the reference shows them. */
export function describeRoute(route: Route): FastifySchema {
  return {
    summary: route.summary,
    tags: [route.path.startsWith('/api/') ? 'listening' : 'operations'],
    security: security[route.access],
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.headers && { headers: route.headers }),
    ...(route.body && { body: route.body }),
    response: { ...replies(route), ...refusals(route) },
  }
}

function replies({ reply }: Route) {
  if (!isBytes(reply)) return { 200: reply }
  const content = { [reply.bytes]: { schema: { type: 'string', format: 'binary' } } }
  const { description } = reply
  return { 200: { description, content }, ...(reply.hasRanges && { 206: { description, content } }) }
}

function isBytes(reply: TSchema | BytesReply): reply is BytesReply {
  return 'bytes' in reply
}

/** One entry per status that the route can refuse with, with the codes and an example of each body. */
function refusals(route: Route) {
  const ofBody: FailureCode[] = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
  const codes = new Set<FailureCode>([...route.failures, ...(route.body ? ofBody : []), 'INTERNAL'])
  const statuses = new Set([...codes].map((code) => failures[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = [...codes].filter((code) => failures[code].status === status)
      return [status, refusal(ofStatus)]
    }),
  )
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
