import type { Locale } from '@solstice/contracts'
import { ApiError, apiUrl, fetchJson } from '../../api.ts'
import { localizedText } from '../../ui/language/localized-text.ts'
import { panelTexts } from '../panel-texts.ts'
import { storedToken } from '../session.ts'
import type { CallInput, ReplyOf, RouteKey } from './routes.ts'

/** The parts of a call before they are typed by a route. */
interface LooseInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/**
 * Calls a route of the contract as the admin who is logged in.
 *
 * @throws {ApiError} when the station refuses, {TypeError} when it can't be reached; `failureText` reads both.
 */
export function call<K extends RouteKey>(key: K, input?: CallInput<K>): Promise<ReplyOf<K>> {
  const { method, url, headers, body, signal } = requestOf(key, input as LooseInput | undefined)
  return fetchJson(url, {
    method,
    headers,
    ...(signal && { signal }),
    ...(body instanceof Blob ? { bytes: body } : { body: body as object | undefined }),
  })
}

/**
 * Sends a file, and tells how much of it has gone.
 *
 * @param onProgress gets 0 to 1.
 * @throws as `call`; {DOMException} `AbortError` once `input.signal` is aborted.
 */
export function upload<K extends RouteKey>(
  key: K,
  input: CallInput<K>,
  onProgress: (part: number) => void,
): Promise<ReplyOf<K>> {
  const { method, url, headers, body, signal } = requestOf(key, input as LooseInput)
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.open(method, apiUrl(url))
    request.withCredentials = true
    request.responseType = 'json'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () =>
      request.status < 400
        ? resolve(request.response)
        : reject(new ApiError(request.status, request.response))
    request.onerror = () => reject(new TypeError('The station can’t be reached'))
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'))
    signal?.addEventListener('abort', () => request.abort())
    request.send(body as Blob)
  })
}

function requestOf(key: string, { params = {}, query = {}, headers = {}, body, signal }: LooseInput = {}) {
  const [method, path] = key.split(' ') as [string, string]
  const token = storedToken()
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = given.length ? `?${new URLSearchParams(given.map(([n, v]) => [n, String(v)]))}` : ''
  const bearer = token ? { Authorization: `Bearer ${token}` } : {}
  return {
    method,
    url: `${filled}${search}`,
    headers: { ...bearer, ...headers } as Record<string, string>,
    body,
    signal,
  }
}

/** Why a call failed, as a sentence in the admin's language. */
export function failureText(error: unknown, locale: Locale): string {
  const said = error instanceof ApiError ? localizedText(error.body, locale) : ''
  return said || panelTexts[locale].unreachable
}

/** The code of a refusal, such as `TRACK_LOCKED`; undefined when it has none. */
export function failureCode(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { error: inner } = (error.body ?? {}) as { error?: { code?: string } }
  return inner?.code
}
