import type { Static, TSchema } from 'typebox'
import type { FailureCode } from './failures.ts'
import type { Privilege } from './privileges.ts'
import type { Capability } from './resources/station.ts'

/** The access rule of a route. There is no default: a route without a rule neither compiles nor registers. */
export type Access = 'public' | 'art' | 'art+audio' | 'file' | 'operator' | AdminAccess

/** Rules that an admin token answers. The super admin passes all of them. */
export type AdminAccess =
  /** Any admin, also a helper that has not activated its account. */
  | 'session'
  /** Any activated admin. */
  | 'admin'
  | 'super'
  | { readonly all: readonly Privilege[] }
  | { readonly any: readonly Privilege[] }
  /** Any activated admin may call; which of the privileges are needed depends on what the request changes. */
  | { readonly perSection: readonly Privilege[] }

/** Held privileges that a route asks for: all of them. */
export const needs = <const P extends Privilege[]>(...all: P) => ({ all }) as const
/** One of them is enough. */
export const needsOneOf = <const P extends Privilege[]>(...any: P) => ({ any }) as const
/** The handler decides by what the request changes. */
export const perSection = <const P extends Privilege[]>(...privileges: P) =>
  ({ perSection: privileges }) as const

/** A body of raw bytes, streamed to the handler. */
export interface Upload {
  /** Accepted content types; `*` accepts any. */
  upload: readonly string[] | '*'
  /** The real type of the bytes; any other content is refused. */
  kind?: 'mp3' | 'jpeg'
  maxBytes: number
  description: string
}

/** A reply that is not JSON: the content type of its bytes. */
export interface BytesReply {
  bytes: string
  description: string
  /** Single byte ranges are served, with status 206. */
  hasRanges?: boolean
  /** With cloud storage, the reply redirects there with status 302. */
  mayRedirect?: boolean
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
  /** Capability that the configuration must have; otherwise the route answers FEATURE_UNAVAILABLE. */
  capability?: Capability
  params?: TSchema
  query?: TSchema
  /** Headers that the route reads beside the tokens of its access rule. */
  headers?: TSchema
  body?: TSchema | Upload
  reply: TSchema | BytesReply
  failures: readonly FailureCode[]
  /** Pages of every site may read the reply, without credentials; otherwise only those of `CLIENT_ORIGIN`. */
  isForAllSites?: boolean
  /** An example of a call and its answer for the reference; a test validates it against the schemas. */
  example?: { body?: unknown; query?: Record<string, string | number>; reply?: unknown }
}

/** A route is one value: the server implements it, clients call it, tests walk it, the documentation is made from it. */
export function defineRoute<const R extends Route>(route: R): R {
  return route
}

export type Params<R extends Route> = R['params'] extends TSchema
  ? Static<R['params']>
  : Record<string, never>
export type Query<R extends Route> = R['query'] extends TSchema ? Static<R['query']> : Record<string, never>
// A schema has no property that tells it apart, so what is no schema is asked for first.
export type Body<R extends Route> = R['body'] extends Upload
  ? AsyncIterable<Uint8Array>
  : R['body'] extends TSchema
    ? Static<R['body']>
    : undefined
export type Reply<R extends Route> = R['reply'] extends BytesReply
  ? Uint8Array
  : R['reply'] extends TSchema
    ? Static<R['reply']>
    : never
