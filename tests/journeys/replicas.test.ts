import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { User } from '@solstice/contracts'
import { sleep } from '@solstice/station'
import { io } from 'socket.io-client'
import t, { type Test } from 'tap'
import { inForm } from '../harness/long-form.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { followEvents } from '../harness/people/event-source.ts'
import { openOnEach, openSocket } from '../harness/people/socket-client.ts'
import { beginUpload, logIn, uploadTrack } from '../harness/people/uploads.ts'
import { openBlocking } from '../harness/processes/blocked.ts'
import { childrenOf, freePort, isAlive, temporaryFolder } from '../harness/processes/processes.ts'
import { startNginx } from '../harness/servers/nginx.ts'
import {
  assertPlayedWhole,
  assertSameSamples,
  assertSamplesOf,
  isWhole,
  openFfmpegPlayer,
  openHlsPlayer,
} from '../harness/stations/players/hls-player.ts'
import { askWhile, startLoad } from '../harness/stations/players/load.ts'
import { playMounts, STREAM_MOUNTS } from '../harness/stations/players/mounts.ts'
import { beginningOf, openPlayer } from '../harness/stations/players/stream-player.ts'
import { followBroadcast, mustBeWhole, prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const LOGINS = 4
/** Of the second replica. */
const PROCESSES = 2
/** The same on a machine with as many cores. */
const ONE_PER_CORE = { API_PROCESSES: 'auto' }
/** Connections to the events of what is on air. */
const PER_ADDRESS = 50
/** Twice as long as a replica may hesitate and count as ready. */
const BLOCKED_MS = 2_000
/** Listeners on two replicas of which one dies. */
const CROWD = inForm({ short: 8, long: 200 })
/** More than what a player holds, so that whoever was cut off has come back. */
const CROWD_FRAMES = 300
const MAX_AWAY_MS = 2_000
const SECRET = 'a-token-that-is-in-no-log'
const tones = [
  { name: 'Low', hz: 440, seconds: 40 },
  { name: 'High', hz: 880, seconds: 40 },
  { name: 'Wish', hz: 660, seconds: 40 },
]

t.test(
  'two replicas behind nginx, one of several processes, are one station while they come and go',
  async (t) => {
    const web = await temporaryFolder(t)
    await mkdir(join(web, 'assets'))
    await writeFile(join(web, 'index.html'), '<!doctype html><title>The page</title>')
    const station = await prepareStation(t, tones, {
      ...SUPER_ADMIN,
      TRUST_PROXY_HOPS: '1',
      DRAIN_DELAY_S: '3',
      LOGIN_ATTEMPTS_PER_15_MIN: String(LOGINS),
      WEB_DIST: web,
      DEMO_LIBRARY: 'false',
      STREAM_MOUNTS,
    })
    const ports = [await freePort(), await freePort()] as const
    const [[one, two], worker] = await Promise.all([
      Promise.all([
        station.startApi(ports[0]),
        station.startApi(ports[1], PROCESSES, availableParallelism() === PROCESSES ? ONE_PER_CORE : {}),
      ]) as Promise<[Api, Api]>,
      station.startWorker(),
      station.startJobs(),
    ])
    await worker.printed(/the station is on air/)
    const standby = await station.startWorker()
    const nginx = await startNginx(t, [...ports])
    const air = await followBroadcast(t, station)
    const [otherAir, aacAir, opusAir] = await Promise.all(
      (['mp3-64', 'aac-64', 'opus-96'] as const).map((mount) => followBroadcast(t, station, mount)),
    )
    const mounts = [air, otherAir!, aacAir!, opusAir!]
    const token = await logIn(one.url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
    const track = await readFile(join(station.env.MEDIA_DIR!, 'music/day/Wish.mp3'))

    await t.test('pages, replies and uploads pass, metrics do not', async (t) => {
      const page = await fetch(nginx.url, { headers: { accept: 'text/html' } })
      t.match(await page.text(), /The page/)
      const config = await fetch(`${nginx.url}/api/public/config`, {
        headers: { 'x-request-id': 'my-request.1' },
      })
      t.equal(config.headers.get('x-request-id'), 'my-request.1')
      t.match(await config.json(), { capabilities: { uploadTracks: true } })
      for (const path of ['/metrics', '//metrics', '/%6Detrics', '/metrics?x', '/./metrics'])
        t.equal((await fetch(nginx.url + path)).status, 404, path)
      t.equal(
        (await fetch(`${one.url}/metrics`)).status,
        200,
        'the replica itself tells them to this machine',
      )
      const upload = await uploadTrack(nginx.url, token, 'Through nginx.mp3', track, track.length)
      t.match(upload, { status: 200 })
      for (const [bearer, bytes, code] of [
        [token, 101 * 2 ** 20, 'PAYLOAD_TOO_LARGE'],
        ['nobody', 2 ** 24, 'UNAUTHORIZED'],
      ] as const) {
        const refused = await uploadTrack(nginx.url, bearer, 'Refused.mp3', track, bytes)
        t.match(
          JSON.parse(refused.body),
          { error: { code } },
          'a client that is still sending can read the reason',
        )
      }
      const tooLarge = await fetch(`${nginx.url}/webhooks/donations/nobody`, {
        method: 'POST',
        body: Buffer.alloc(300_000, ' '),
        headers: { 'content-type': 'application/json' },
      })
      t.not(tooLarge.headers.get('content-type'), 'text/html', 'refusals are of the API')
    })

    await t.test('both count login attempts together, whatever address the client claims', async (t) => {
      const attempt = async (url: string, forwarded: string) => {
        const answer = await fetch(`${url}/api/admin/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
          body: JSON.stringify({ login: 'admin', password: 'wrong' }),
        })
        return answer.status
      }
      const me = '203.0.113.7, 127.0.0.1'
      const places = [one.url, two.url, nginx.url, two.url]
      const statuses: number[] = []
      for (const url of places) statuses.push(await attempt(url, url === nginx.url ? '198.51.100.1' : me))
      t.same(statuses, [401, 401, 401, 429], 'the login before counts, too')
      t.equal(await attempt(nginx.url, '198.51.100.2'), 429)
    })

    // For the rest of the test: it recovers by itself.
    const roamer = io(nginx.url, {
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: 100,
      reconnectionDelayMax: 500,
    })
    t.teardown(() => roamer.disconnect())
    const ends: string[] = []
    roamer.on('disconnect', (reason) => ends.push(reason))

    await t.test('sockets of both, WebSocket or polling, share one audience and one cooldown', async (t) => {
      const headers = { 'x-forwarded-for': '203.0.113.9' }
      const [ann, sameAnn] = [openSocket(t, one.url, { headers }), openSocket(t, two.url, { headers })]
      const polling = openSocket(t, nginx.url, { transports: ['polling'] })
      const upgrading = openSocket(t, nginx.url, { transports: ['polling', 'websocket'] })
      const boss = openSocket(t, two.url, { headers: { 'x-forwarded-for': '203.0.113.10' } })
      for (const client of [ann, sameAnn, polling, upgrading])
        await client.first<User[]>('usersUpdate', (list) => list.length === 6)
      await polling.first('sync')
      if (upgrading.socket.io.engine.transport.name !== 'websocket')
        await once(upgrading.socket.io.engine as unknown as NodeJS.EventEmitter, 'upgrade')
      t.equal(upgrading.socket.io.engine.transport.name, 'websocket')
      boss.socket.emit('admin_active', token)
      const uids: string[] = []
      for (const client of [ann, sameAnn]) {
        await client.first<boolean>('admin_online', (isOnline) => isOnline)
        client.socket.emit('listener_init')
        uids.push((await client.first<{ uid: string }>('listener_uid')).uid)
      }
      t.equal(uids[0], uids[1])
      t.same(await ann.ask('suggest_song', { id: 'day/Wish.mp3' }), { ok: true })
      t.match(await sameAnn.ask('suggest_song', { id: 'day/Wish.mp3' }), { error: 'cooldown' })
    })

    await t.test('the processes of a replica are one, and one that dies is replaced', async (t) => {
      const clients = await openOnEach(t, two.url, PROCESSES)
      // Their requests reach now this process and now that one.
      const polling = openSocket(t, two.url, { transports: ['polling'] })
      const upgrading = openSocket(t, two.url, { transports: ['polling', 'websocket'] })
      for (const client of [polling, upgrading]) await client.first('sync')
      for (let sent = 1; sent <= 4; sent++)
        t.match(await polling.ask('stream_ping', sent), { clientTs: sent }, 'a polling client is answered')
      const { engine } = upgrading.socket.io
      await until('the other one has its WebSocket', () => engine.transport.name === 'websocket')
      t.match(await upgrading.ask('stream_ping', 1), { clientTs: 1 })
      const report = await (await fetch(`${two.url}/metrics`)).text()
      for (const process of ['1', '2'])
        t.match(report, new RegExp(`solstice_sockets{process="${process}"} [1-9]`))
      const office = { 'x-forwarded-for': '203.0.113.30' }
      const join = async () => (await followEvents(t, `${two.url}/api/now-playing/events`, office)).status
      const joined: number[] = []
      for (let i = 0; i < PER_ADDRESS; i++) joined.push(await join())
      t.same(new Set(joined), new Set([200]))
      await until('its address has no room at either', async () => {
        for (let i = 0; i < PROCESSES; i++) joined.push(await join())
        return joined.slice(-PROCESSES).every((status) => status === 429)
      })
      const held = joined.filter((status) => status === 200).length
      t.ok(held < 1.2 * PER_ADDRESS, `${held} connections of an address are held by both together`)

      const gone = (await childrenOf(two.process.child.pid!)).find(({ command }) => / 2 \S+$/.test(command))!
      process.kill(gone.pid, 'SIGKILL')
      await two.process.printed(/"process":2,[^\n]*"signal":"SIGKILL"[^\n]*starting another/)
      const ofGone = clients.filter(({ number }) => number === '2')
      await until('its sockets have ended', () => ofGone.every(({ client }) => !client.socket.connected))
      await until('what it held leaves room', async () => (await join()) === 200)
      for (const { number, client } of clients)
        if (number !== '2')
          t.match(await client.ask('stream_ping', 1), { clientTs: 1 }, 'nobody else notices')
      await openOnEach(t, two.url, PROCESSES)
    })

    const { listened, assertWhole: assertHeardWhole } = await playMounts(t, nginx.url, mounts)
    const player = listened[0]!.listening

    await t.test('from the same frame on both send the same bytes of each mount, with titles', async (t) => {
      for (const { path } of listened) {
        const head = await fetch(`${one.url}/api/stream/${path}`, { method: 'HEAD' })
        const frame = head.headers.get('x-stream-frame')
        const [a, b] = await Promise.all(
          [one, two].map(({ url }) => beginningOf(`${url}/api/stream/${path}?from=${frame}`)),
        )
        t.equal(a!.frame, frame, `${path}: it begins where it was asked to`)
        t.equal(b!.frame, frame)
        t.equal(a!.hasTitles, path !== 'public.opus')
        t.ok(a!.bytes.equals(b!.bytes), `${path}: ${a!.bytes.length} bytes`)
      }
    })

    const origins = ports.map((port) => `http://127.0.0.1:${port}`)
    const hls = [
      { id: 'mp3-128', codec: 'mp3', mount: air },
      { id: 'mp3-64', codec: 'mp3', mount: otherAir! },
      { id: 'aac-64', codec: 'aac', mount: aacAir! },
    ].map(({ id, ...one }) => {
      const url = `/api/hls/${id}/live.m3u8`
      return { ...one, url, player: openHlsPlayer(t, origins, url) } as typeof one & HlsListening
    })

    const load = startLoad(t, nginx.url, SECRET)
    const assertWhole = async (t: Test) => {
      await assertHeardWhole(t)
      t.same(load.failed, [], 'nothing that may be asked twice was lost')
    }

    await t.test('a replica that is told to stop finishes its work', async (t) => {
      const upload = await beginUpload(one.url, token, track)
      const gone = one.process.end('SIGTERM')
      await one.process.printed(/SIGTERM/)
      const ready = await fetch(`${one.url}/readyz`)
      t.equal(ready.status, 503)
      t.match(await ready.json(), { error: { reason: 'draining' } })
      await until('nothing is accepted any more', async () => !(await answers(one.url)))
      t.match(await upload.end(), { statusCode: 200 })
      await gone
      t.equal(await one.process.exited, 0)
      await load.more(30)
      await assertWhole(t)
    })

    const blocking = await openBlocking(t)
    const again = await station.startApi(ports[0], 1, blocking.env)
    await t.test('so does the other one, once the first is back', async (t) => {
      const processes = await childrenOf(two.process.child.pid!)
      t.equal(processes.length, PROCESSES)
      await two.process.end('SIGTERM')
      t.equal(await two.process.exited, 0)
      for (const { pid } of processes) t.notOk(isAlive(pid), 'all of its processes have ended')
      await load.more(30)
      await assertWhole(t)
      for (const { listening } of listened) {
        t.ok(listening.resumed.length > 0, 'the player was on one of them')
        t.same([...new Set(listening.leftOver)], [0], 'and left behind a whole frame or page')
      }
      if (!roamer.connected) await once(roamer as unknown as NodeJS.EventEmitter, 'connect')
      t.ok(ends.length > 0)
      t.notOk(ends.includes('io server disconnect'), 'clients come back by themselves')
    })

    const back = await station.startApi(ports[1], PROCESSES)
    // A playlist ends with a whole segment, and ffmpeg begins with the third from its end.
    const beginsWith = () => [4, 3, 2].map((before) => Math.floor(air.chunks.at(-1)!.frame / 232) - before)
    await until('its first segment was followed', () => air.chunks[0]!.frame <= beginsWith()[0]! * 232)
    const begins = beginsWith()
    const ffmpeg = openFfmpegPlayer(t, nginx.url + hls[0]!.url)

    await t.test('the replacement of a worker goes unnoticed', async (t) => {
      const before = player.resumed.length
      await worker.end('SIGTERM')
      await standby.printed(/the station is on air/)
      await station.startWorker()
      await assertWhole(t)
      t.equal(player.resumed.length, before, 'nobody was cut off')
    })

    await t.test('so do the deaths of its encoders, and its own', async (t) => {
      const encoders = (await childrenOf(standby.child.pid!)).filter(({ command }) =>
        command.includes('ffmpeg'),
      )
      for (const { pid } of encoders) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await air.more(4)
      await standby.end('SIGKILL')
      await air.more(8)
      await assertWhole(t)
    })

    await t.test('a suspended replica keeps its requests, and gets no new ones', async (t) => {
      again.process.child.kill('SIGSTOP')
      t.same(await askWhile(nginx.url, () => again.process.child.kill('SIGCONT')), [200])
    })

    await t.test(
      'so does one whose event loop is blocked, which then is not ready for a while',
      async (t) => {
        await until('it is ready', async () => (await fetch(`${again.url}/readyz`)).ok)
        const socket = openSocket(t, again.url)
        await socket.first('sync')
        const own = openPlayer(t, `${again.url}/api/stream/public.mp3`)
        await own.more(40)
        const unblock = await blocking.block(again.process)
        await Promise.all([air.more(4), sleep(BLOCKED_MS)])
        t.notMatch(again.process.output, /^unblocked$/m, 'the worker goes on meanwhile')
        // It says so for some seconds, so it is asked from now on.
        let reason: unknown
        const told = until('it says why it should be avoided', async () => {
          const answer = await fetch(`${again.url}/readyz`)
          reason = ((await answer.json()) as { error?: { reason: string } }).error?.reason
          return answer.status === 503
        })
        t.same(await askWhile(nginx.url, unblock), [200])
        await told
        t.match(reason, /^(overloaded|no_redis)$/, 'Redis may have been given up meanwhile')
        t.equal((await fetch(`${nginx.url}/readyz`)).status, 200, 'the other one is')
        t.match(await socket.ask('stream_ping', 1), { clientTs: 1 }, 'its connections survive')
        await own.more(40)
        t.same(own.resumed, [])
        await assertWhole(t)
        t.ok(Buffer.concat(air.chunks.map(({ audio }) => audio)).includes(own.audio), 'and miss nothing')
      },
    )

    await t.test('the death of a replica goes unnoticed', async (t) => {
      const crowd = Array.from({ length: CROWD }, () =>
        openPlayer(t, `${nginx.url}/api/stream/public.mp3`, { keepsSound: false }),
      )
      await Promise.all(crowd.map((one) => one.more(1)))
      await again.process.end('SIGKILL')
      await Promise.all([load.more(60), ...crowd.map((one) => one.more(CROWD_FRAMES))])
      await assertWhole(t)
      const resumed = crowd.flatMap((one) => one.resumed)
      t.ok(resumed.length > 0 && resumed.length < CROWD, `${resumed.length} of ${CROWD} were on it`)
      if (isWhole(air.chunks) || mustBeWhole(t, air))
        for (const { asked, got } of resumed) t.equal(got, asked, 'each goes on at its next frame')
      const awayMs = Math.round(Math.max(...resumed.map(({ afterMs }) => afterMs)))
      t.comment(`served by the other one after at most ${awayMs} ms`)
      if (air.machine.isQuick(t)) t.ok(awayMs < MAX_AWAY_MS, 'within 2 s')
      t.ok(await answers(back.url))
      const headers = { authorization: `Bearer ${token}` }
      const { status } = await fetch(`${nginx.url}/api/admin/verify`, { headers })
      t.equal(status, 200, 'a login outlives its replica')
      if (!roamer.connected) await once(roamer as unknown as NodeJS.EventEmitter, 'connect')
    })

    await t.test('players of HLS that asked another replica each time heard all of it', async (t) => {
      const last = Math.floor(air.chunks.at(-1)!.frame / 232)
      for (const { codec, url, player, mount } of hls) {
        await player.until(last)
        if (!isWhole(mount.chunks) && !mustBeWhole(t, mount)) continue
        assertPlayedWhole(t, player.played, mount.chunks, codec)
        await assertSameSamples(t, nginx.url + url, mount.chunks, codec)
      }
    })

    await t.test('so did ffmpeg, through nginx', async (t) => {
      const samples = await ffmpeg.stop()
      if (!isWhole(air.chunks) && !mustBeWhole(t, air)) return
      await assertSamplesOf(t, samples, begins, air.chunks, 'mp3')
    })

    for (const { output } of [nginx.process, again.process, back.process]) t.notMatch(output, SECRET)
  },
)

/** A mount whose segments are played. */
interface HlsListening {
  codec: 'mp3' | 'aac'
  url: string
  player: ReturnType<typeof openHlsPlayer>
}

type Api = Awaited<ReturnType<Awaited<ReturnType<typeof prepareStation>>['startApi']>>

const answers = (url: string) =>
  fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  )
