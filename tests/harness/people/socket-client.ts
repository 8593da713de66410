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
  return {
    socket,
    heard,
    all: (event: string) => heard.filter((one) => one.event === event).map((one) => one.payload),
    /** Resolves with the first event of that name whose payload matches. */
    async first<T = unknown>(event: string, fits: (payload: T) => boolean = () => true): Promise<T> {
      let found: { payload: unknown } | undefined
      await until(`${event} is heard`, () => {
        found = heard.find((one) => one.event === event && fits(one.payload as T))
        if (!found && refusal) throw refusal
        return found !== undefined
      })
      return found!.payload as T
    },
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
