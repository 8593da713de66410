import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Siblings } from './siblings.ts'

/** The part of Engine.IO that answers requests. */
export interface Engine {
  generateId(request: IncomingMessage): unknown
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * Lets sessions that poll live in one process of several, while each request of such a session may arrive at any of them. The id
 * of a session names its process, and the others hand the requests over.
 */
export function passToTheirProcess(engine: Engine, siblings: Siblings): void {
  const { generateId, handleRequest, handleUpgrade } = engine
  engine.generateId = (request) => `${generateId.call(engine, request)}.${siblings.here}`
  engine.handleRequest = (request, response) => {
    const number = processOf(request.url)
    const answerHere = () => handleRequest.call(engine, request, response)
    if (number === null || number === siblings.here) answerHere()
    // A session of a process that is gone is unknown here.
    else siblings.pass(number, request, response, answerHere)
  }
  engine.handleUpgrade = (request, socket, head) => {
    const number = processOf(request.url)
    if (number === null || number === siblings.here) handleUpgrade.call(engine, request, socket, head)
    else siblings.passUpgrade(number, request, socket, head)
  }
}

/** The number behind the id of the session that a request belongs to; null when it belongs to none. */
export function processOf(address = ''): number | null {
  const session = new URLSearchParams(address.split('?')[1]).get('sid') ?? ''
  const number = /^[\w-]+\.(\d{1,2})$/.exec(session)?.[1]
  return number ? Number(number) : null
}
