import { type ServerEventName, serverEvents } from '@solstice/contracts'
import { io, type Socket } from 'socket.io-client'
import { Value } from 'typebox/value'
import type { Teardown } from '../processes/processes.ts'
import { PATIENCE_MS, waiting } from '../until.ts'

export type SocketClient = ReturnType<typeof openSocket>

/** A client that records every event and checks each against the contract. It disconnects when the test ends. */
export function openSocket(
  t: Teardown,
  url: string,
  options: { headers?: Record<string, string>; transports?: string[] } = {},
) {
  const socket: Socket = io(url, {
    transports: options.transports ?? ['websocket'],
    extraHeaders: options.headers ?? {},
    forceNew: true,
    reconnection: false,
  })
  t.teardown(() => socket.disconnect())
  const heard: { event: string; payload: unknown }[] = []
  const { changed, until } = waiting()
  let refusal: Error | null = null
  socket.onAny((event: string, payload: unknown) => {
    const shape = serverEvents[event as ServerEventName]?.payload
    if (shape && !Value.Check(shape, payload)) {
      throw new Error(`${event} is not what the contract says: ${JSON.stringify(payload)}`)
    }
    heard.push({ event, payload })
    changed()
  })
  socket.on('connect_error', (error) => {
    refusal = error
    changed()
  })
  const firstHeard = async (what: string, fits: (one: (typeof heard)[number]) => boolean) => {
    let found: (typeof heard)[number] | undefined
    await until(`${what} is heard`, () => {
      found = heard.find(fits)
      if (!found && refusal) throw refusal
      return found !== undefined
    })
    return found!.payload
  }
  return {
    socket,
    heard,
    all: (event: string) => heard.filter((one) => one.event === event).map((one) => one.payload),
    /** Resolves with the first event of that name whose payload matches. */
    first: async <T = unknown>(event: string, fits: (payload: T) => boolean = () => true): Promise<T> =>
      (await firstHeard(event, (one) => one.event === event && fits(one.payload as T))) as T,
    /** Resolves with the first event that has one of these names. */
    firstOf: async <T = unknown>(events: string[]): Promise<T> =>
      (await firstHeard(events.join(' or '), ({ event }) => events.includes(event))) as T,
    /** Forgets the past: from now on `first` and `all` see only new events. */
    forget() {
      heard.length = 0
    },
    /** Resolves with the acknowledgement of the event. @throws when none comes within two minutes. */
    ask: (event: string, ...args: unknown[]) =>
      new Promise<unknown>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not answered: ${event}`)), PATIENCE_MS)
        socket.emit(event, ...args, (answer: unknown) => {
          clearTimeout(timer)
          resolve(answer)
        })
      }),
  }
}

/** Opens sockets until each of a replica's processes has one; each session names its process. */
export async function openOnEach(
  t: Teardown,
  url: string,
  processes: number,
): Promise<{ number: string; client: SocketClient }[]> {
  const opened: { number: string; client: SocketClient }[] = []
  while (new Set(opened.map(({ number }) => number)).size < processes) {
    const client = openSocket(t, url)
    await client.first('sync')
    const { id } = client.socket.io.engine as unknown as { id: string }
    opened.push({ number: id.split('.')[1]!, client })
  }
  return opened
}
