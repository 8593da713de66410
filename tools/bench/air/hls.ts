import { connect, type Socket } from 'node:net'
import { sleep } from '@solstice/station'
import { freePort, type Teardown } from '../../../tests/harness/processes/processes.ts'
import { startNginx } from '../../../tests/harness/servers/nginx.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import { until } from '../../../tests/harness/until.ts'
import { usageOf } from '../usage.ts'
import { filesOf, startBareOrigin, startFileServer } from './hls-floors.ts'

const MOUNTS = ['mp3-64', 'aac-64'] as const
const SEGMENT_MS = 6_060
const CONNECTIONS = 200

export interface HlsFigures {
  /** Answers of nginx per second, and as many as the listeners wanted. */
  answeredPerS: number
  wantedPerS: number
  failed: number
  megabytesPerS: number
  /** Requests per second and mount that reached a replica. */
  originPerS: number
  /** CPU of both replicas and of nginx, as part of a core; `idle` without listeners. */
  originCpu: number
  idleCpu: number
  nginxCpu: number
  /** The same listeners at a bare server behind the same nginx, and at an nginx with files of the same size. */
  bareOriginCpu: number
  fileServerCpu: number
  fileServerPerS: number
}

/** Listeners of HLS behind nginx and two replicas: each asks for a playlist, then a segment, every 6 s. */
export async function measureHls(t: Teardown, listeners: number, windowS: number): Promise<HlsFigures> {
  const tones = [{ name: 'Low', hz: 220, seconds: 120 }]
  const station = await prepareStation(t, tones, {
    ...{ DEMO_LIBRARY: 'false', TRUST_PROXY_HOPS: '1', STREAM_MOUNTS: 'mp3:64,aac:64' },
  })
  const ports = [await freePort(), await freePort()]
  const [replicas, worker] = await Promise.all([
    Promise.all(ports.map((port) => station.startApi(port))),
    station.startWorker(),
  ])
  const nginx = await startNginx(t, ports)
  const playlist = (mount: string) => `/api/hls/${mount}/live.m3u8`
  await until('there are playlists', async () => {
    const answers = await Promise.all(MOUNTS.map((mount) => fetch(replicas[0]!.url + playlist(mount))))
    return answers.every(({ ok }) => ok)
  })
  const pids = replicas.map(({ process }) => process.child.pid!)
  const idleCpu = await cpuOver(windowS, pids)
  const service = await loadOf(t, nginx.port, listeners, windowS, () => askedOf(replicas), [
    pids,
    [nginx.process.child.pid!],
  ])

  const files = (await Promise.all(MOUNTS.map((mount) => filesOf(replicas[0]!.url, playlist(mount))))).flat()
  for (const { end } of [worker, nginx.process, ...replicas.map(({ process }) => process)]) await end()
  const bare = await startBareOrigin(t, files)
  const bareLoad = await loadOf(t, bare.nginx.port, listeners, windowS, async () => 0, [
    [bare.origin.child.pid!],
  ])
  const fileServer = await startFileServer(t, files)
  const fileLoad = await loadOf(t, fileServer.port, listeners, windowS, async () => 0, [
    [fileServer.process.child.pid!],
  ])
  const [originCpu, nginxCpu] = service.cpus as [number, number]
  return {
    answeredPerS: service.answeredPerS,
    wantedPerS: (2 * listeners * 1000) / SEGMENT_MS,
    failed: service.failed,
    megabytesPerS: service.megabytesPerS,
    originPerS: service.askedPerS / MOUNTS.length,
    ...{ originCpu, idleCpu, nginxCpu, bareOriginCpu: bareLoad.cpus[0]!, fileServerCpu: fileLoad.cpus[0]! },
    fileServerPerS: fileLoad.answeredPerS,
  }
}

/** So many listeners for a while, and the CPU that groups of processes take for them. */
async function loadOf(
  t: Teardown,
  port: number,
  listeners: number,
  windowS: number,
  asked: () => Promise<number>,
  groups: number[][],
) {
  const load = startLoad(t, port, listeners)
  await sleep(2 * SEGMENT_MS)
  const askedBefore = await asked()
  const before = load.totals()
  const startedMs = performance.now()
  const cpus = await Promise.all(groups.map((pids) => cpuOver(windowS, pids)))
  const tookS = (performance.now() - startedMs) / 1000
  const after = load.totals()
  const askedPerS = ((await asked()) - askedBefore) / tookS
  await load.end()
  return {
    cpus,
    askedPerS,
    answeredPerS: (after.answered - before.answered) / tookS,
    failed: after.failed - before.failed,
    megabytesPerS: (after.bytes - before.bytes) / tookS / 1e6,
  }
}

async function cpuOver(windowS: number, pids: number[]): Promise<number> {
  const used = async () => (await Promise.all(pids.map(usageOf))).reduce((sum, { cpuS }) => sum + cpuS, 0)
  const [before, startedMs] = [await used(), performance.now()]
  await sleep(windowS * 1000)
  return ((await used()) - before) / ((performance.now() - startedMs) / 1000)
}

/** Requests for HLS that these replicas have answered. */
async function askedOf(replicas: { url: string }[]): Promise<number> {
  const reports = await Promise.all(replicas.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
  const counts = reports.flatMap((report) => [
    ...report.matchAll(/^solstice_http_request_duration_seconds_count\{[^}]*\/api\/hls[^}]*\} (\d+)/gm),
  ])
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Sends the requests of so many listeners over some connections, evenly over the duration of a segment. */
function startLoad(t: Teardown, port: number, listeners: number) {
  const totals = { answered: 0, failed: 0, bytes: 0 }
  let isOver = false
  const one = async (index: number, ask: Ask) => {
    const mount = MOUNTS[index % MOUNTS.length]!
    const playlist = await ask(`/api/hls/${mount}/live.m3u8?listener=${index}`, true)
    const name = playlist.body.trim().split('\n').at(-1)
    if (playlist.status !== 200 || !name) return
    await ask(`/api/hls/${mount}/${name}`, false)
  }
  const connections = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    const line = openLine(port)
    const ask: Ask = async (path, isText) => {
      const answer = await line.ask(path, isText).catch(() => ({ status: 0, body: '', bytes: 0 }))
      totals.bytes += answer.bytes
      if (answer.status === 200) totals.answered++
      else totals.failed++
      return answer
    }
    const mine = Math.ceil((listeners - connection) / CONNECTIONS)
    const beganMs = performance.now()
    for (let turn = 0; !isOver; turn++) {
      const dueMs = beganMs + ((turn + connection / CONNECTIONS) * SEGMENT_MS) / mine
      const waitMs = dueMs - performance.now()
      if (waitMs > 1) await sleep(waitMs)
      await one(connection + (turn % mine) * CONNECTIONS, ask)
    }
    line.end()
  })
  const end = async () => {
    isOver = true
    await Promise.all(connections)
  }
  t.teardown(end)
  return { totals: () => ({ ...totals }), end }
}

interface Answer {
  status: number
  /** Only of texts. */
  body: string
  bytes: number
}
type Ask = (path: string, isText: boolean) => Promise<Answer>

/** A connection that is kept, and opened anew when nginx closes it; one request at a time. */
function openLine(port: number) {
  let socket: Socket | null = null
  const ask = (path: string, isText: boolean) =>
    new Promise<Answer>((resolve, reject) => {
      if (!socket || socket.destroyed) socket = connect(port, '127.0.0.1')
      const line = socket
      let head = ''
      let parts: Buffer[] = []
      let left = -1
      let bytes = 0
      const finish = (error?: Error) => {
        line.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error')
        line.on('error', () => {})
        if (error) return reject(error)
        if (/^connection: close/im.test(head)) line.destroy()
        resolve({ status: Number(head.slice(9, 12)), body: Buffer.concat(parts).toString(), bytes })
      }
      line.on('error', finish)
      line.on('close', () => finish(new Error('closed')))
      line.on('data', (data: Buffer) => {
        let body = data
        bytes += data.length
        if (left < 0) {
          const text = head + data.toString('latin1')
          const end = text.indexOf('\r\n\r\n')
          if (end < 0) {
            head = text
            return
          }
          body = data.subarray(end + 4 - head.length)
          head = text.slice(0, end)
          left = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
        }
        left -= body.length
        if (isText) parts = [...parts, body]
        if (left <= 0) finish()
      })
      line.write(`GET ${path} HTTP/1.1\r\nHost: radio.example\r\n\r\n`)
    })
  return { ask, end: () => socket?.destroy() }
}
