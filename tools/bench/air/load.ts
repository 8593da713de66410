import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { sleep } from '@solstice/station'

// Many clients in a process of their own, so that their cost is not counted as the server's. Prints `window` once
// all are connected and the measurement begins, and one line of JSON at the end. Ends by itself.

export interface StreamFigures {
  connected: number
  lost: number
  bytesPerS: number
  firstByteMs: [p50: number, p99: number]
  /** Bytes of the body within the first 250 ms. */
  burstBytes: number
  longestGapMs: number
  /** The least sound that any listener had in hand just before more came, in ms: received minus time passed. */
  leastReserveMs: number
}

export interface SocketFigures {
  connected: number
  lost: number
  events: number
  /** Deviation of the time between two events of a socket from their period. */
  jitterMs: [p50: number, p99: number]
  /** Age of an event on arrival. */
  delayMs: [p50: number, p99: number]
  /** The longest that anybody waited for the next event while the others joined. */
  longestWaitMs: number
  /** From opening a connection to the first event. */
  firstEventMs: [p50: number, p99: number]
}

const PERIOD_MS = 2_000
const BURST_MS = 250
/** 128 kbit/s; what comes with titles is more than sound. */
const BYTES_PER_MS = 16
const LIMIT_MS = 240_000
/** Buffer for whatever streams send: one for each piece would take as much of the machine as the server does. */
const READ = Buffer.alloc(65_536)
const SYNC = '42["sync"'
const STAMP = '"serverTimeMs":'

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    url: { type: 'string' },
    clients: { type: 'string' },
    rate: { type: 'string' },
    seconds: { type: 'string' },
    titles: { type: 'boolean' },
    settle: { type: 'string', default: '3' },
  },
})
const { hostname, port, pathname } = new URL(values.url ?? '')
const sockets: Socket[] = []
let isMeasuring = false
let lost = 0

setTimeout(() => process.exit(1), LIMIT_MS).unref()
const figures = await (values.kind === 'stream' ? measureStream() : measureSockets())
process.stdout.write(`${JSON.stringify(figures)}\n`)
process.exit(0)

async function measureStream(): Promise<StreamFigures> {
  let bytes = 0
  let longestGapMs = 0
  let leastReserveMs = Number.POSITIVE_INFINITY
  const firstByteMs: number[] = []
  const bursts: number[] = []
  await arrive(() => {
    let head = ''
    let received = 0
    let firstMs = 0
    let lastMs = 0
    const socket = open((part) => {
      const nowMs = performance.now()
      let length = part.length
      if (lastMs === 0) {
        head += part.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0 || head.length === end + 4) return
        length = head.length - end - 4
        head = ''
        firstMs = nowMs
        firstByteMs.push(nowMs - startedMs)
        setTimeout(() => bursts.push(received), BURST_MS)
      } else if (nowMs - firstMs > BURST_MS) {
        leastReserveMs = Math.min(leastReserveMs, received / BYTES_PER_MS - (nowMs - firstMs))
      }
      if (isMeasuring && lastMs > 0) {
        longestGapMs = Math.max(longestGapMs, nowMs - lastMs)
        bytes += length
      }
      received += length
      lastMs = nowMs
    })
    const startedMs = performance.now()
    const titles = values.titles ? 'Icy-MetaData: 1\r\n' : ''
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n${titles}\r\n`)
  })
  const seconds = await measure()
  const live = sockets.filter((socket) => !socket.destroyed).length
  return {
    connected: firstByteMs.length,
    lost,
    bytesPerS: Math.round(bytes / seconds / live),
    firstByteMs: percentiles(firstByteMs),
    burstBytes: percentiles(bursts)[0],
    longestGapMs: Math.round(longestGapMs),
    leastReserveMs: Math.round(leastReserveMs),
  }
}

async function measureSockets(): Promise<SocketFigures> {
  let connected = 0
  let events = 0
  let longestWaitMs = 0
  let isJoining = true
  const jitterMs: number[] = []
  const delayMs: number[] = []
  const firstEventMs: number[] = []
  await arrive(() => {
    const socket = open()
    const startedMs = performance.now()
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    let lastMs = 0
    readTexts(socket, (text) => {
      const kind = text.toString('latin1', 0, SYNC.length)
      if (kind === SYNC) {
        const nowMs = performance.now()
        if (lastMs === 0) firstEventMs.push(nowMs - startedMs)
        else if (isJoining) longestWaitMs = Math.max(longestWaitMs, nowMs - lastMs)
        if (isMeasuring) {
          events++
          if (lastMs > 0) jitterMs.push(Math.abs(nowMs - lastMs - PERIOD_MS))
          const at = text.indexOf(STAMP) + STAMP.length
          delayMs.push(Date.now() - Number.parseInt(text.toString('latin1', at, at + 13), 10))
        }
        lastMs = nowMs
      } else if (kind.startsWith('0')) socket.write(masked('40'))
      else if (kind === '2') socket.write(masked('3'))
      else if (kind.startsWith('40')) connected++
    })
  })
  isJoining = false
  await measure()
  return {
    ...{ connected, lost, events, jitterMs: percentiles(jitterMs), delayMs: percentiles(delayMs) },
    longestWaitMs: Math.round(longestWaitMs),
    firstEventMs: percentiles(firstEventMs),
  }
}

/** @param onBytes is told what comes; without it that is left to the socket's `data`. */
function open(onBytes?: (part: Buffer) => void): Socket {
  const callback = (length: number) => {
    onBytes?.(READ.subarray(0, length))
    return true
  }
  const socket = connect({
    ...{ port: Number(port), host: hostname },
    ...(onBytes && { onread: { buffer: READ, callback } }),
  })
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('close', () => lost++)
  sockets.push(socket)
  return socket
}

/** Connects clients at a steady rate. */
async function arrive(enter: () => void): Promise<void> {
  const perMs = Number(values.rate) / 1000
  const startMs = performance.now()
  for (let i = 0; i < Number(values.clients); i++) {
    while ((performance.now() - startMs) * perMs < i) await sleep(1)
    enter()
  }
}

/** Measures for a while and returns the actual duration, in seconds. */
async function measure(): Promise<number> {
  await sleep(Number(values.settle) * 1000)
  process.stdout.write('window\n')
  isMeasuring = true
  const startMs = performance.now()
  await sleep(Number(values.seconds) * 1000)
  isMeasuring = false
  return (performance.now() - startMs) / 1000
}

/** Text messages of a WebSocket (RFC 6455) whose server neither masks nor splits them. */
function readTexts(socket: Socket, onText: (text: Buffer) => void): void {
  let rest = Buffer.alloc(0)
  let isUpgraded = false
  socket.on('data', (part) => {
    rest = rest.length > 0 ? Buffer.concat([rest, part]) : part
    if (!isUpgraded) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) return
      isUpgraded = true
      rest = rest.subarray(end + 4)
    }
    for (;;) {
      const short = (rest[1] ?? 0) & 127
      const headLength = short === 126 ? 4 : short === 127 ? 10 : 2
      if (rest.length < headLength) return
      const length =
        short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short
      if (rest.length < headLength + length) return
      if ((rest[0]! & 15) === 1) onText(rest.subarray(headLength, headLength + length))
      rest = rest.subarray(headLength + length)
    }
  })
}

/** A short text message from a client; a mask of zeros is allowed and costs nothing. */
function masked(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

function percentiles(values: number[]): [number, number] {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => Number((sorted[Math.round(share * (sorted.length - 1))] ?? 0).toFixed(1))
  return [at(0.5), at(0.99)]
}
