import { get, type IncomingHttpHeaders } from 'node:http'
import type { Teardown } from '../processes/processes.ts'
import { until } from '../until.ts'

/** A client of server-sent events. */
export interface EventSourceClient {
  status: number
  headers: IncomingHttpHeaders
  /** All that came, as text. */
  readonly text: string
  /** The data of the events so far. */
  events<T>(): T[]
  /** Resolves when the server ended the connection. */
  ended: Promise<void>
  /** Waits for an event that fits. */
  event<T>(fits: (event: T) => boolean): Promise<T>
  close(): void
}

export async function followEvents(
  t: Teardown,
  url: string,
  headers: Record<string, string> = {},
): Promise<EventSourceClient> {
  let text = ''
  const request = get(url, { headers, agent: false })
  t.teardown(() => request.destroy())
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  request.on('error', () => {})
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  response.on('error', () => {})
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const events = <T>() => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as T)
  return {
    status: response.statusCode!,
    headers: response.headers,
    get text() {
      return text
    },
    events,
    ended,
    async event<T>(fits: (event: T) => boolean) {
      await until('an event', () => events<T>().some(fits))
      return events<T>().find(fits)!
    },
    close: () => request.destroy(),
  }
}
