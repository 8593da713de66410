import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'

const RETRY_MS = 1_000
/** A connection without bytes may be broken without either side knowing. */
const IDLE_TIMEOUT_MS = 15_000

/** The request of a player that connects again after each break. */
export interface Connection {
  /** `connected`, or why not. */
  readonly state: string
  /** Connects anew at once. */
  again(): void
  stop(): void
}

/** @param on.open receives each answer that carries the stream; it has ended by the time `on.end` is called. */
export function keepConnected(
  url: string,
  on: { open(response: IncomingMessage): void; end(): void },
): Connection {
  let state = 'connecting'
  let isStopped = false
  let hangUp = () => {}
  let retryMs = RETRY_MS
  let retrying: NodeJS.Timeout | undefined

  const connect = () => {
    retryMs = RETRY_MS
    const open = url.startsWith('https:') ? requestSecure : requestPlain
    const request = open(url, {
      agent: false,
      headers: { 'icy-metadata': '1', 'user-agent': 'Solstice-Monitor' },
      timeout: IDLE_TIMEOUT_MS,
    })
    hangUp = () => request.destroy()
    request.once('response', (response) => {
      state = response.statusCode === 200 ? 'connected' : `status ${response.statusCode}`
      response.on('error', () => {})
      if (response.statusCode === 200) on.open(response)
      else response.resume()
    })
    request.on('timeout', hangUp)
    request.on('error', ({ message }) => {
      state = message
    })
    request.once('close', () => {
      on.end()
      if (!isStopped) retrying = setTimeout(connect, retryMs)
    })
    request.end()
  }
  connect()
  return {
    get state() {
      return state
    },
    again() {
      retryMs = 0
      hangUp()
    },
    stop() {
      isStopped = true
      clearTimeout(retrying)
      hangUp()
    },
  }
}
