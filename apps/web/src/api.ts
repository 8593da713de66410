import { type BytesReply, type listening, type Query, type Reply, xorWithToken } from '@solstice/contracts'

// Only types are taken from the contract's routes: their schemas would be most of the page's weight.
type Listening = (typeof listening)[keyof typeof listening]
type JsonRoute = Exclude<Listening, { reply: BytesReply }>
type RouteAt<P extends JsonRoute['path']> = Extract<JsonRoute, { path: P }>

/** The station is where the page came from, unless the page was built for another one. */
export const serverUrl: string = (import.meta.env?.VITE_SERVER_URL ?? '').replace(/\/+$/, '')

/** A refusal of the station: its status, and the message as it came (`textOf` reads it). */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(`The station answered ${status}`)
    this.name = 'Refusal'
    this.status = status
    this.body = body
  }
}

export function address(path: string, query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  return `${serverUrl}${path}${given.length ? `?${new URLSearchParams(given)}` : ''}`
}

async function fetchOk(url: string, headers: Record<string, string>): Promise<Response> {
  const response = await fetch(url, { headers, credentials: 'include' })
  if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => null))
  return response
}

/**
 * Asks the station for JSON; path, query and reply are those of the contract.
 *
 * @throws {Refusal} when the station says no, {TypeError} when it cannot be reached.
 */
export async function get<P extends JsonRoute['path']>(
  path: P,
  query?: Query<RouteAt<P>>,
  headers: Record<string, string> = {},
): Promise<Reply<RouteAt<P>>> {
  const response = await fetchOk(address(path, query as Record<string, string> | undefined), headers)
  return response.json() as Promise<Reply<RouteAt<P>>>
}

/** Fetches bytes that are wrapped with the art token, and unwraps them. */
export async function getWrapped(
  url: string,
  artToken: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; type: string }> {
  const response = await fetchOk(url, { 'X-Art-Token': artToken })
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
