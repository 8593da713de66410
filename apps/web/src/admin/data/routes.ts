import type {
  administration,
  aircheck,
  artwork,
  Body,
  BytesReply,
  clips,
  donations,
  groups,
  jobs,
  listening,
  lyrics,
  nowPlaying,
  Params,
  Query,
  Reply,
  Route,
  session,
  trackEditor,
  tracks,
  Upload,
  uploads,
  video,
  webhooks,
} from '@solstice/contracts'

// Only types are taken from the contract's routes: their schemas would be most of the panel's weight.
type In<M> = Extract<M[keyof M], Route>
type Families =
  | In<typeof clips>
  | In<typeof clips.jingles>
  | In<typeof clips.phrases>
  | In<typeof clips.backgroundMusic>
type AnyRoute =
  | In<typeof administration>
  | In<typeof aircheck>
  | In<typeof artwork>
  | Families
  | In<typeof donations>
  | In<typeof groups>
  | In<typeof jobs>
  | In<typeof listening>
  | In<typeof lyrics>
  | In<typeof nowPlaying>
  | In<typeof session>
  | In<typeof trackEditor>
  | In<typeof tracks>
  | In<typeof uploads>
  | In<typeof video>
  | In<typeof webhooks>

type KeyOf<R extends Route> = `${R['method']} ${R['path']}`
type Table = { [R in AnyRoute as R['reply'] extends BytesReply ? never : KeyOf<R>]: R }

/** A route of the contract that answers with JSON, such as `GET /api/admin/tracks`. */
export type RouteKey = keyof Table
export type GetKey = Extract<RouteKey, `GET ${string}`>
export type ReplyOf<K extends RouteKey> = Reply<Table[K]>

type BodyOf<R extends Route> = R['body'] extends Upload ? Blob : Body<R>
type Given<Name extends string, T> = T extends Record<string, never> | undefined
  ? unknown
  : Partial<T> extends T
    ? { [N in Name]?: T }
    : { [N in Name]: T }

/** A query as a client writes it: what has a default may be left out. */
type QueryOf<R extends Route> = Partial<Query<R>>

/** The input of a route; parts that it doesn't have are left out. */
export type CallInput<K extends RouteKey> = Given<'params', Params<Table[K]>> &
  Given<'query', QueryOf<Table[K]>> &
  Given<'body', BodyOf<Table[K]>> & { headers?: Record<string, string>; signal?: AbortSignal }
