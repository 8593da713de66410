import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createFrameFollower } from '../../../apps/jobs/src/monitor/ear/frames.ts'
import type { Teardown } from '../processes/processes.ts'

/** Faults of a replica, or of what stands before it. */
export type ReplicaFault =
  | 'none'
  /** Names another title. */
  | 'title'
  /** Names the song of before, once another one has begun; of titles of the same length. */
  | 'late title'
  /** Changes a byte of each frame of the first mount. */
  | 'other bytes'
  /** Puts bytes that belong to none between frames of the first mount, in sound that comes live. */
  | 'broken frames'
  /** Leaves out a second of the first mount every 6 s, first in sound that comes live. */
  | 'missing frames'
  /** Hands out what it had when its first listener came. */
  | 'old ring'
  /** Sends the same second again and again. */
  | 'same block'
  /** Tells what was on air before. */
  | 'stale sync'
  /** Tells another beginning of the track. */
  | 'drift'
  /** Hands out the playlist of before. */
  | 'old playlist'
  /** Keeps back what is sent to sockets. */
  | 'silent sockets'

const STREAM = '/api/stream/public.mp3'
const BLOCK_FRAMES = 40
const BLOCK_EVERY_MS = 1_000
/** More than a listener gets at once. */
const FIRST_FRAMES = 400
const LEFT_OUT_FRAMES = 38
const LEFT_OUT_EVERY = 230
const STRAY = Buffer.alloc(64, 0x55)

/** A replica with a fault that can be switched on: it passes everything on to a real one. */
export async function startFaultyReplica(t: Teardown, upstream: string) {
  let fault: ReplicaFault = 'none'
  const answers = new Map<string, string>()
  const streams = new Set<ServerResponse>()
  let recorded: Recording | null = null
  /** Those that were named last: the song before, and the one on air. */
  let titles: string[] = []

  const server = createServer((ask, answer) => {
    answer.on('error', () => {})
    // A request from before a fault is answered without it: the titles in an answer are as asked for.
    const asked = fault
    const isFrames = ['other bytes', 'same block', 'missing frames', 'broken frames'].includes(asked)
    if (ask.url === STREAM) {
      streams.add(answer)
      answer.once('close', () => streams.delete(answer))
    }
    const headers = { ...ask.headers, ...(isFrames && { 'icy-metadata': '0' }) }
    const onward = request(upstream + ask.url, { method: ask.method, headers, agent: false }, (told) => {
      if (answer.destroyed) return void told.destroy()
      answer.once('close', () => told.destroy())
      told.on('error', () => answer.destroy())
      if (ask.url === STREAM) stream(told, answer, asked)
      else if (ask.url?.startsWith('/api/stream/'))
        told.pipe(answer.writeHead(told.statusCode!, told.headers))
      else pass(ask.url!, told, answer).catch(() => answer.destroy())
    })
    onward.on('error', () => answer.destroy())
    onward.end()
  })

  const stream = (told: IncomingMessage, answer: ServerResponse, fault: ReplicaFault) => {
    if (fault === 'old ring' && recorded) return void replay(recorded, answer)
    answer.writeHead(told.statusCode!, told.headers)
    if (fault === 'same block') return void repeatBlock(told, answer)
    const follow = createFrameFollower('mp3')
    const recording = recorded
      ? null
      : { headers: told.headers, beganMs: performance.now(), pieces: [] as Piece[] }
    recorded ??= recording
    let passed = 0
    const isHandedOut = () =>
      ++passed < FIRST_FRAMES || (passed - FIRST_FRAMES) % LEFT_OUT_EVERY >= LEFT_OUT_FRAMES
    told.on('data', (piece: Buffer) => {
      recording?.pieces.push({ afterMs: performance.now() - recording.beganMs, piece })
      const title = titleIn(piece)
      if (title !== null && title !== titles.at(-1)) titles = [...titles.slice(-1), title]
      if (fault === 'other bytes') for (const frame of follow(piece).frames) answer.write(changed(frame))
      else if (fault === 'missing frames')
        answer.write(Buffer.concat(follow(piece).frames.filter(isHandedOut)))
      else if (fault === 'broken frames')
        answer.write(
          Buffer.concat(follow(piece).frames.flatMap((frame) => (isHandedOut() ? [frame] : [frame, STRAY]))),
        )
      else if (fault === 'late title' && titles.length > 1)
        answer.write(renamed(piece, titles[1]!, titles[0]!))
      else answer.write(fault === 'title' ? renamed(piece, 'Artist', 'Ortist') : piece)
    })
    told.once('end', () => answer.end())
  }

  const pass = async (path: string, told: IncomingMessage, answer: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of told) parts.push(part)
    let text = Buffer.concat(parts).toString()
    const kind = path.startsWith('/api/now-playing')
      ? 'stale sync'
      : path.includes('m3u8')
        ? 'old playlist'
        : null
    if (kind && told.statusCode === 200) {
      if (fault === kind) text = answers.get(path) ?? text
      else answers.set(path, text)
      if (kind === 'stale sync' && fault === 'drift') text = moved(text)
    }
    answer
      .writeHead(told.statusCode!, { 'content-type': told.headers['content-type'] ?? 'text/plain' })
      .end(text)
  }

  const sockets = new Map<Socket, Duplex>()
  server.on('upgrade', (ask: IncomingMessage, socket: Duplex, head: Buffer) => {
    const onward = connect(Number(new URL(upstream).port), '127.0.0.1')
    sockets.set(onward, socket)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      one.on('error', () => {}).once('close', () => other.destroy())
    onward.once('close', () => sockets.delete(onward))
    onward.write(`${headOf(ask)}\r\n\r\n`)
    onward.write(head)
    socket.pipe(onward)
    if (fault !== 'silent sockets') onward.pipe(socket)
  })

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
    for (const onward of sockets.keys()) onward.destroy()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Switches to a fault; who listens has to connect again. */
    set(next: ReplicaFault) {
      fault = next
      for (const one of streams) one.destroy()
      for (const [onward, socket] of sockets) {
        onward.unpipe()
        if (fault !== 'silent sockets') onward.pipe(socket)
      }
    },
  }
}

/** The head of a request as it came. */
function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return lines.join('\r\n')
}

interface Piece {
  afterMs: number
  piece: Buffer
}

interface Recording {
  headers: IncomingMessage['headers']
  beganMs: number
  pieces: Piece[]
}

/** Sends what was recorded at the pace at which it came. */
function replay({ headers, pieces }: Recording, answer: ServerResponse): void {
  answer.writeHead(200, headers)
  const timers = pieces.map(({ afterMs, piece }) => setTimeout(() => answer.write(piece), afterMs))
  answer.once('close', () => timers.forEach(clearTimeout))
}

function repeatBlock(told: IncomingMessage, answer: ServerResponse): void {
  const follow = createFrameFollower('mp3')
  const block: Buffer[] = []
  let timer: NodeJS.Timeout | undefined
  const send = () => void answer.write(Buffer.concat(block.slice(0, BLOCK_FRAMES)))
  told.on('data', (piece: Buffer) => {
    if (timer) return
    block.push(...follow(piece).frames)
    if (block.length < BLOCK_FRAMES) return
    send()
    timer = setInterval(send, BLOCK_EVERY_MS)
  })
  answer.once('close', () => clearInterval(timer))
}

/** A frame with the same length and another content. */
function changed(frame: Buffer): Buffer {
  const other = Buffer.from(frame)
  other[200]! ^= 0x55
  return other
}

/** The last title that is named in a piece; null where none is. */
const titleIn = (piece: Buffer) =>
  [...piece.toString('latin1').matchAll(/StreamTitle='([^']+)'/g)].at(-1)?.[1] ?? null

/** Titles of the test's songs, which begin with their artists, as other ones of the same length. */
const renamed = (piece: Buffer, from: string, to: string) =>
  Buffer.from(piece.toString('latin1').replaceAll(`StreamTitle='${from}`, `StreamTitle='${to}`), 'latin1')

function moved(text: string): string {
  const told = JSON.parse(text)
  if (told.current) told.current.startedAt -= 3_000
  return JSON.stringify(told)
}
