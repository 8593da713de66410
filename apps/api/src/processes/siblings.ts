import { readdir, rm } from 'node:fs/promises'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Place } from './place.ts'

/** A report of metrics takes at most 2 s. */
const REPORT_TIMEOUT_MS = 3_000
const REPORT = '/metrics'
const KEEP_MS = 60_000

/** The services of a process to the others of its replica. */
export interface Services {
  /** The metrics of this process alone. */
  report(): Promise<Uint8Array>
  /** Answers a request whose session is here. */
  onRequest(request: IncomingMessage, response: ServerResponse): void
  /** Answers a request to upgrade a session that is here. */
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/** The processes of a replica, to one of them: each listens on a Unix socket that only they can reach. */
export interface Siblings {
  /** Number of this process. */
  readonly here: number
  /** Hands a request to the process of this number; calls `onGone` when that is not there. */
  pass(number: number, request: IncomingMessage, response: ServerResponse, onGone: () => void): void
  /** Joins a connection that is being upgraded with the process of this number. */
  passUpgrade(number: number, request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** The metrics of each process that answers, this one included. */
  reports(): Promise<{ process: number; report: string }[]>
  /** Ends what was passed on. */
  endPassed(): void
  close(): void
}

export async function openSiblings({ number: here, folder }: Place, services: Services): Promise<Siblings> {
  const pathOf = (number: number) => join(folder, `${number}.sock`)
  const passed = new Set<{ destroy(): unknown }>()
  // A connection that its server ends may break while the last of a request is written.
  const agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    if (request.url !== REPORT) return services.onRequest(request, response)
    services.report().then(
      (report) => response.end(report),
      () => response.destroy(),
    )
  })
  server.keepAliveTimeout = KEEP_MS
  server.on('upgrade', services.onUpgrade)
  // Left behind by a process that was killed.
  await rm(pathOf(here), { force: true })
  await new Promise<void>((resolve, reject) => {
    // Not shared with the processes that have the same port.
    server.once('error', reject).listen({ path: pathOf(here), exclusive: true }, resolve)
  })

  return {
    here,
    pass(number, asked, response, onGone) {
      const { method, url: path } = asked
      const headers = withoutConnection(asked.headers)
      const passing = request({ socketPath: pathOf(number), method, path, headers, agent })
      passed.add(passing)
      response.once('close', () => {
        passed.delete(passing)
        passing.destroy()
      })
      passing.once('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
        answer.pipe(response)
        answer.once('error', () => response.destroy())
      })
      passing.on('error', () => {
        if (response.headersSent) response.destroy()
        else onGone()
      })
      asked.pipe(passing)
    },
    passUpgrade(number, asked, socket, head) {
      const line = connect(pathOf(number))
      passed.add(line)
      line.write(headOf(asked))
      line.write(head)
      joinLines(socket, line, () => passed.delete(line))
    },
    async reports() {
      const names = await readdir(folder)
      const numbers = names.map((name) => Number.parseInt(name, 10)).filter((number) => number > 0)
      const asked = numbers
        .sort((a, b) => a - b)
        .map(async (process) => {
          const report =
            process === here
              ? services.report().then((report) => Buffer.from(report).toString())
              : ask(pathOf(process), REPORT)
          // One that is just starting or gone has nothing to tell.
          return report.then(
            (report) => [{ process, report }],
            () => [],
          )
        })
      return (await Promise.all(asked)).flat()
    },
    endPassed() {
      for (const one of passed) one.destroy()
    },
    close() {
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** How long a connection is kept is between its own two ends. */
function withoutConnection<H extends IncomingHttpHeaders>({ connection, ...headers }: H) {
  const { 'keep-alive': _, ...others } = headers
  return others
}

/** The head of a request as it came. */
function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Makes two connections one, which ends with either of them. */
function joinLines(socket: Duplex, line: Socket, onEnd: () => void): void {
  const end = () => {
    onEnd()
    socket.destroy()
    line.destroy()
  }
  for (const one of [socket, line]) one.on('error', end).once('close', end)
  socket.pipe(line).pipe(socket)
}

async function ask(socketPath: string, path: string): Promise<string> {
  const asking = request({ socketPath, path, agent: false, timeout: REPORT_TIMEOUT_MS })
  asking.once('timeout', () => asking.destroy(new Error('no answer in time')))
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asking.once('response', resolve).once('error', reject)
  })
  asking.end()
  return text(await answered)
}
