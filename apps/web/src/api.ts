import {
  type Body,
  type BytesReply,
  type donations,
  type listening,
  type notifications,
  type Params,
  type Query,
  type Reply,
  type Route,
  xorWithToken,
} from '@solstice/contracts'

// Only types are taken from the contract's routes: their schemas would be most of the page's weight.
type Listening = (typeof listening)[keyof typeof listening]
type Donating = Extract<(typeof donations)[keyof typeof donations], { access: 'public' }>
type Telling = (typeof notifications)[keyof typeof notifications]
type JsonRoute = Exclude<Listening | Donating | Telling, { reply: BytesReply }>
type GetRoute = Extract<JsonRoute, { method: 'GET' }>
type PostRoute = Extract<JsonRoute, { method: 'POST' }>
type RouteAt<P extends JsonRoute['path']> = Extract<JsonRoute, { path: P }>
/** The parameters of a route: those of its path, or else of its query. */
type RouteInput<R extends Route> = R extends { params: object } ? Params<R> : Query<R>

/** '' = the origin of the page, unless it was built for a station elsewhere. */
export const serverUrl: string = (import.meta.env?.VITE_SERVER_URL ?? '').replace(/\/+$/, '')

/** A refusal of the station: its status, and the message as it came (`textOf` reads it). */
export class ApiError extends Error {
  // Declared only: fields would cost code for older browsers.
  declare readonly status: number
  declare readonly body: unknown
  constructor(status: number, body: unknown) {
    super(`The station answered ${status}`)
    this.name = 'Refusal'
    this.status = status
    this.body = body
  }
}

export function apiUrl(path: string, query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `${serverUrl}${path}${given.length ? `?${new URLSearchParams(given)}` : ''}`
}

async function fetchOk(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, credentials: 'include' })
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null))
  return response
}

interface JsonRequest {
  method?: string
  body?: object | undefined
  /** Sent as they are, instead of a body of JSON. */
  bytes?: Blob
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** @throws {ApiError} when the station refuses, {TypeError} when it can't be reached. */
export async function fetchJson<T>(
  path: string,
  { body, bytes, headers, ...init }: JsonRequest = {},
): Promise<T> {
  const response = await fetchOk(apiUrl(path), {
    ...init,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    ...(bytes && { body: bytes }),
  })
  return response.json() as Promise<T>
}

/** Gets JSON as the contract describes it. Parameters that the path names go there, the others into the query. @throws as `fetchJson` */
export async function get<P extends GetRoute['path']>(
  path: P,
  input?: RouteInput<RouteAt<P>>,
  headers: Record<string, string> = {},
): Promise<Reply<RouteAt<P>>> {
  const query: Record<string, string | undefined> = { ...input }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(query[name] ?? '')
    delete query[name]
    return value
  })
  const response = await fetchOk(apiUrl(filled, query), { headers })
  return response.json() as Promise<Reply<RouteAt<P>>>
}

/** Posts JSON as the contract describes it. @throws as `fetchJson` */
export const post = <P extends PostRoute['path']>(
  path: P,
  body: Body<RouteAt<P>>,
): Promise<Reply<RouteAt<P>>> => fetchJson(path, { method: 'POST', body: body as object })

/** Fetches bytes that are wrapped with the art token, and unwraps them. */
export async function getWrapped(
  url: string,
  artToken: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string }> {
  const response = await fetchOk(url, { headers: { 'X-Art-Token': artToken } })
  const wrapped = new Uint8Array(await response.arrayBuffer())
  return {
    bytes: xorWithToken(wrapped, artToken) as Uint8Array<ArrayBuffer>,
    type: response.headers.get('X-Art-Mime') ?? 'application/octet-stream',
  }
}

/** An object URL of a wrapped picture, for an `<img>`; release it with `URL.revokeObjectURL`. */
export async function getWrappedImage(url: string, artToken: string): Promise<string> {
  const { bytes, type } = await getWrapped(url, artToken)
  return URL.createObjectURL(new Blob([bytes], { type: /^image\//.test(type) ? type : 'image/jpeg' }))
}
