import { get, type IncomingMessage } from 'node:http'
import { parseArgs } from 'node:util'
import { sleep } from '@solstice/station'
import { io } from 'socket.io-client'

// Listeners and sockets that come and go, in a process of their own, so that their cost is not counted as the station's. Prints
// a line of JSON every 10 s, until it is ended.

export interface CrowdFigures {
  listening: number
  connected: number
  joined: number
  /** Connections that the station ended or refused. */
  lost: number
}

const REPORT_MS = 10_000
const RETRY_MS = 500
const STAY_MS = 60_000
/** As the admin does, the crowd comes and goes faster while the station warms up. */
const STAY_WARMING_UP_MS = 12_000

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '' },
    listeners: { type: 'string', default: '300' },
    sockets: { type: 'string', default: '50' },
    'warm-up-ms': { type: 'string', default: '0' },
  },
})
const urls = values.urls.split(',')
const warmUntilMs = performance.now() + Number(values['warm-up-ms'])
const figures: CrowdFigures = { listening: 0, connected: 0, joined: 0, lost: 0 }

for (let i = 0; i < Number(values.listeners); i++) void comeAndGo(listenOnce)
for (let i = 0; i < Number(values.sockets); i++) void comeAndGo(followOnce)
setInterval(() => process.stdout.write(`${JSON.stringify(figures)}\n`), REPORT_MS)

async function comeAndGo(visit: (url: string, stayMs: number) => Promise<'left' | 'lost'>): Promise<never> {
  for (;;) {
    await sleep(Math.random() * RETRY_MS)
    const url = urls[Math.floor(Math.random() * urls.length)]!
    const meanMs = performance.now() < warmUntilMs ? STAY_WARMING_UP_MS : STAY_MS
    if ((await visit(url, -Math.log(1 - Math.random()) * meanMs)) === 'left') continue
    figures.lost++
    await sleep(RETRY_MS)
  }
}

function listenOnce(url: string, stayMs: number): Promise<'left' | 'lost'> {
  return new Promise((resolve) => {
    const asking = get(`${url}/api/stream/public.mp3`, { agent: false })
    asking.on('error', () => resolve('lost'))
    asking.on('response', (response: IncomingMessage) => {
      figures.joined++
      figures.listening++
      let end: 'left' | 'lost' = 'lost'
      const leaving = setTimeout(() => {
        end = 'left'
        response.destroy()
      }, stayMs)
      response.on('error', () => {})
      response.on('close', () => {
        clearTimeout(leaving)
        figures.listening--
        resolve(end)
      })
      response.resume()
    })
  })
}

function followOnce(url: string, stayMs: number): Promise<'left' | 'lost'> {
  return new Promise((resolve) => {
    const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false })
    const leaving = setTimeout(() => socket.disconnect(), stayMs)
    const end = (how: 'left' | 'lost') => {
      clearTimeout(leaving)
      socket.disconnect()
      resolve(how)
    }
    socket.on('connect', () => {
      figures.joined++
      figures.connected++
    })
    socket.on('connect_error', () => end('lost'))
    socket.on('disconnect', (reason) => {
      figures.connected--
      end(reason === 'io client disconnect' ? 'left' : 'lost')
    })
  })
}
