import type { Static, TSchema } from 'typebox'
import type { FailureCode } from './failures.ts'

/** Who may call a route. There is no default: a route without a rule does not compile, and does not register. */
export type Access = 'public' | 'art' | 'art+audio'

/** A body that is not JSON: what its bytes are. */
export interface BytesReply {
  bytes: string
  description: string
  /** Single byte ranges are served, with status 206. */
  hasRanges?: boolean
}

/** Bytes instead of JSON, with their content type. */
export const bytes = (contentType: string, description: string): BytesReply => ({
  bytes: contentType,
  description,
})

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  summary: string
  access: Access
  params?: TSchema
  query?: TSchema
  /** Headers that the route reads beside the tokens of its access rule. */
  headers?: TSchema
  body?: TSchema
  reply: TSchema | BytesReply
  failures: readonly FailureCode[]
}

/** A route is one value: the server implements it, clients call it, tests walk it, the documentation is made from it. */
export function defineRoute<const R extends Route>(route: R): R {
  return route
}

export type Params<R extends Route> = R['params'] extends TSchema
  ? Static<R['params']>
  : Record<string, never>
export type Query<R extends Route> = R['query'] extends TSchema ? Static<R['query']> : Record<string, never>
export type Body<R extends Route> = R['body'] extends TSchema ? Static<R['body']> : undefined
export type Reply<R extends Route> = R['reply'] extends TSchema ? Static<R['reply']> : Uint8Array
