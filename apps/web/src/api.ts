import {
  type Body,
  type BytesReply,
  type donations,
  type listening,
  type Params,
  type Query,
  type Reply,
  type Route,
  xorWithToken,
} from '@solstice/contracts'

// Only types are taken from the contract's routes: their schemas would be most of the page's weight.
type Listening = (typeof listening)[keyof typeof listening]
type Donating = Extract<(typeof donations)[keyof typeof donations], { access: 'public' }>
type JsonRoute = Exclude<Listening | Donating, { reply: BytesReply }>
type GetRoute = Extract<JsonRoute, { method: 'GET' }>
type PostRoute = Extract<JsonRoute, { method: 'POST' }>
type RouteAt<P extends JsonRoute['path']> = Extract<JsonRoute, { path: P }>
/** What a route asks for in its path, or else in its query. */
type RouteInput<R extends Route> = R extends { params: object } ? Params<R> : Query<R>

/** The station is where the page came from, unless the page was built for another one. */
export const serverUrl: string = (import.meta.env?.VITE_SERVER_URL ?? '').replace(/\/+$/, '')

/** A refusal of the station: its status, and the message as it came (`textOf` reads it). */
export class ApiError extends Error {
  readonly status: number
  readonly body: unknown
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

/**
 * Asks the station for JSON; path, what is asked and reply are those of the contract. What the path names goes there, the
 * rest into the query.
 *
 * @throws {ApiError} when the station says no, {TypeError} when it cannot be reached.
 */
export async function get<P extends GetRoute['path']>(
  path: P,
  asked?: RouteInput<RouteAt<P>>,
  headers: Record<string, string> = {},
): Promise<Reply<RouteAt<P>>> {
  const query: Record<string, string | undefined> = { ...asked }
  const place = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = encodeURIComponent(query[name] ?? '')
    delete query[name]
    return value
  })
  const response = await fetchOk(apiUrl(place, query), { headers })
  return response.json() as Promise<Reply<RouteAt<P>>>
}

/** Tells the station something, as the contract has it. @throws as `get` */
export async function post<P extends PostRoute['path']>(
  path: P,
  body: Body<RouteAt<P>>,
): Promise<Reply<RouteAt<P>>> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetchOk(apiUrl(path), { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json() as Promise<Reply<RouteAt<P>>>
}

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

/** An address for an `<img>` of a wrapped picture; whoever asks releases it with `URL.revokeObjectURL`. */
export async function getWrappedImage(url: string, artToken: string): Promise<string> {
  const { bytes, type } = await getWrapped(url, artToken)
  return URL.createObjectURL(new Blob([bytes], { type: /^image\//.test(type) ? type : 'image/jpeg' }))
}
