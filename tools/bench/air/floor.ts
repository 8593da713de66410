import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { Server } from 'socket.io'

// The cost of the same work with nothing around it: `stream` writes one shared buffer to every connection, `sockets`
// sends one event to every socket, in as many processes as the second argument says, all at once or in as many turns as the third says,
// `files` answers requests for the files that the second argument lists. The service is measured against these.

const SYNC_MS = 2_000
/** Six chunks in one write, as the service hands them out. */
const WRITE_MS = 2_978
const WRITE = Buffer.alloc(47_640, 1)
const SLICES = 60
const BURST = Buffer.alloc(127_040, 1)
const HEAD = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nConnection: close\r\n\r\n')
const PAYLOAD = { title: 'x'.repeat(1_700) }

const processes = Number(process.argv[3] ?? 1)
const turns = Number(process.argv[4] ?? 1)
if (process.argv[2] === 'stream') serveStream()
else if (process.argv[2] === 'files') serveFiles(process.argv[3]!)
else if (cluster.isWorker || processes === 1) serveSockets()
else for (let i = 0; i < processes; i++) cluster.fork()

function serveStream() {
  const slices: Set<Socket>[] = Array.from({ length: SLICES }, () => new Set())
  let arrivals = 0
  const server = createServer((socket) => {
    const slice = slices[arrivals++ % SLICES]!
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.cork()
      socket.write(HEAD)
      socket.write(BURST)
      socket.uncork()
      slice.add(socket)
    })
    socket.on('close', () => slice.delete(socket))
  })
  let next = 0
  setInterval(() => {
    for (const socket of slices[next++ % SLICES]!) socket.write(WRITE)
  }, WRITE_MS / SLICES)
  server.listen(0, '127.0.0.1', () => say((server.address() as { port: number }).port))
}

function serveFiles(list: string) {
  const files = JSON.parse(readFileSync(list, 'utf8')) as Record<
    'path' | 'type' | 'cacheControl' | 'bytes',
    string
  >[]
  const answers = new Map(
    files.map(({ path, type, cacheControl, bytes }) => {
      const headers = { 'content-type': type, 'cache-control': cacheControl }
      return [path, { headers, body: Buffer.from(bytes, 'base64') }]
    }),
  )
  const server = createHttpServer(({ url = '' }, response) => {
    const answer = answers.get(url.split('?')[0]!)
    if (answer)
      response.writeHead(200, { ...answer.headers, 'content-length': answer.body.length }).end(answer.body)
    else response.writeHead(url === '/healthz' ? 200 : 404).end()
  })
  server.listen(0, '127.0.0.1', () => say((server.address() as { port: number }).port))
}

function serveSockets() {
  const io = new Server({ serveClient: false })
  const server = io.listen(0)
  let [arrivals, turn] = [0, 0]
  io.on('connection', (socket) => void socket.join(`group ${arrivals++ % turns}`))
  setInterval(() => {
    io.to(`group ${turn++ % turns}`).emit('sync', { ...PAYLOAD, serverTimeMs: Date.now() })
  }, SYNC_MS / turns)
  server.httpServer.once('listening', () => say((server.httpServer.address() as { port: number }).port))
}

function say(port: number) {
  process.stdout.write(`listening on ${port}\n`)
}
