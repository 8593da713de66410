import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { RadioState } from '@solstice/contracts'
import { sleep } from '@solstice/station'
import t from 'tap'
import { inForm } from '../harness/long-form.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { lastReadyMs } from '../harness/processes/last-ready.ts'
import { watchMachine } from '../harness/processes/machine-speed.ts'
import { openProbe } from '../harness/processes/probe.ts'
import { type Process, start, temporaryFolder } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { kofiDonation, kofiPosts, type Posted } from '../harness/servers/services/payment-services.ts'
import type { OpenApp } from '../harness/stations/app.ts'
import { MOUNTS, openOnLines, SONGS } from '../harness/stations/on-lines.ts'
import { startAir } from '../harness/stations/workers.ts'
import { until } from '../harness/until.ts'

const KOFI = 'matching_provider_2'
const MAX_READY_MS = 3_000
/** Only the long form has the machine to itself. */
const MAX_HEALTH_P99_MS = inForm({ short: Number.POSITIVE_INFINITY, long: 50 })
/** An idle server answers sooner where the machine has time for one that isn't. */
const QUIET_P99_MS = 10

const {
  server,
  settings,
  toPostgres,
  toRedis,
  said,
  one,
  two,
  urls,
  air,
  refusing,
  chunks,
  moreSound,
  assertSound,
  assertSegmentsWhole,
  starts,
  ask,
  askTwo,
  token,
  moderator,
  skipper,
  createGroup,
} = await openOnLines(t)
const machine = watchMachine(t)
const probe = await openProbe(t, `${urls[0]}/healthz`)

t.test('PostgreSQL is killed again and again: no acknowledged change is lost', async (t) => {
  const from = chunks.length
  const kept: string[] = []
  const made = [0, 0]
  const refused: { status: number; headers: Record<string, unknown> }[] = []
  let isOver = false
  const overRest = async (to: typeof ask, name: string) => {
    for (let n = 0; !isOver; n++) {
      const answer = await createGroup(to, `${name} ${n}`)
      if (answer.status === 200) kept.push(`${name} ${n}`)
      else refused.push(answer)
      await sleep(50)
    }
  }
  // An account has one admin socket.
  const tokens = [moderator, token]
  const overSocket = async (i: 0 | 1) => {
    const { socket, first, ask } = openSocket(t, urls[i]!)
    socket.emit('admin_active', tokens[i])
    await first('admin_confirmed')
    while (!isOver) {
      const answer = (await ask('moderator_regenerate_guest_code', { ttlHours: 1 + i })) as { ok?: boolean }
      if (answer.ok) made[i]!++
      await sleep(50)
    }
  }
  const [listener, admin] = [openSocket(t, urls[1]!), openSocket(t, urls[1]!)]
  admin.socket.emit('admin_active', skipper)
  await Promise.all([listener.first('sync'), admin.first('admin_confirmed')])
  const writing = [overRest(ask, 'one'), overRest(askTwo, 'two'), overSocket(0), overSocket(1)]
  const more = async () => {
    const [groups, one, two] = [kept.length, ...made] as [number, number, number]
    await until(
      'more groups and codes are kept',
      () => kept.length > groups + 5 && made[0]! > one + 2 && made[1]! > two + 2,
    )
  }
  for (let round = 0; round < inForm({ short: 3, long: 20 }); round++) {
    await more()
    await server.crash()
    if (round === 1) {
      listener.forget()
      // A change made on air is not refused because it cannot be written down.
      admin.socket.emit('admin_skip_song')
      await admin.first('admin_success')
      t.same(admin.all('admin_error'), [])
      await until('the audit entry spooled', () =>
        said.some((line) => /audit entry spooled/.test(line) && /"queue_skip"/.test(line)),
      )
      await until('a change is refused', () => refused.length > 0)
      await listener.first('sync')
      t.match(await askTwo('GET /api/admin/song-groups'), { status: 200 }, 'cached data is still served')
      await moreSound(8)
    }
    await server.restart()
  }
  await more()
  isOver = true
  await Promise.all(writing)
  for (const answer of refused)
    t.match(answer, {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { error: { code: 'DATA_UNAVAILABLE' } },
    })
  const names = (await two.ports.data.groups.find()).map(({ name }) => name)
  t.same(
    kept.filter((name) => !names.includes(name)),
    [],
    `${kept.length} groups are there`,
  )
  t.equal(new Set(names).size, names.length, 'none of them twice')
  const codes = await two.ports.data.audit.find({ operationType: 'guest_code_regenerate' })
  for (const i of [0, 1])
    t.ok(
      codes.filter(({ data }) => (data as { ttlHours?: number }).ttlHours === 1 + i).length >= made[i]!,
      `${made[i]} codes`,
    )
  await until(
    'the skip is in the audit log',
    async () => (await two.ports.data.audit.find({ operationType: 'queue_skip' })).length === 1,
  )
  await moreSound(4)
  assertSound(t, from, 'the sound goes on')
  // Changes begun while nothing could be written are written later.
  const history = () => two.ports.data.history.find()
  const missing = async () => {
    const known = await history()
    return [...starts].filter(
      ([playedAt, id]) => !known.some((one) => one.playedAt === playedAt && one.trackId === id),
    )
  }
  const wanted = starts.size
  t.ok(wanted > 2, `${wanted} songs began`)
  await until('all starts are known', async () => (await missing()).length === 0)
  const played = (await history()).map(({ playedAt }) => playedAt)
  t.equal(new Set(played).size, played.length, 'and once')
})

t.test('a PostgreSQL that takes 5 s to answer delays nothing but changes', async (t) => {
  const from = chunks.length
  toPostgres.delayMs = 5_000
  let settled = 0
  const writes = Array.from({ length: 60 }, (_, i) =>
    createGroup(ask, `slow ${i}`).finally(() => {
      settled++
    }),
  )
  const unanswered: number[] = []
  let mostOpen = 0
  const { asked, idle } = await probe.during(async () => {
    while (settled < writes.length) {
      const answers = await Promise.all(
        ['/healthz', '/api/public/config', '/api/history'].map((url) => one.app.inject(url)),
      )
      unanswered.push(...answers.map(({ statusCode }) => statusCode).filter((status) => status !== 200))
      mostOpen = Math.max(mostOpen, toPostgres.open)
      await sleep(50)
    }
  })
  t.same(unanswered, [])
  const told = [asked, idle].map(({ p99, count }) => `${p99.toFixed()} ms for 99 % of ${count} replies`)
  t.comment(`/healthz took ${told[0]}, an idle server ${told[1]}`)
  if (machine.isQuick(t) && idle.p99 < QUIET_P99_MS)
    t.ok(asked.p99 < MAX_HEALTH_P99_MS, 'health is told at once')
  t.ok(mostOpen <= 24, `${mostOpen} connections at most`)
  await moreSound(4)
  assertSound(t, from, 'the sound goes on')
  toPostgres.delayMs = 0
  const refused = (await Promise.all(writes)).map(
    ({ status, headers }) => `${status} ${headers['retry-after']}`,
  )
  t.same(refused, Array(writes.length).fill('503 5'))
  await until('changes are made again', async () => (await createGroup(ask, 'quick')).status !== 503)
})

t.test('payments and changes made while PostgreSQL is away count once, whoever dies meanwhile', async (t) => {
  // A replica on another machine, with a disk of its own.
  const folder = await temporaryFolder(t)
  const elsewhere = async (): Promise<{ url: string; process: Process }> => {
    const program = await programOf('apps/api/src/main.ts')
    const { jwtSecret, mediaDir } = one.ports.config
    const process = start(
      t,
      'node',
      [program],
      {
        ...settings,
        JWT_SECRET: jwtSecret,
        MEDIA_DIR: mediaDir,
        DATA_DIR: folder,
        HOST: '127.0.0.1',
        PORT: '0',
        LYRICS_API_URL: '',
        LOG_LEVEL: 'info',
      },
      'ipc',
    )
    const at = /Server listening at (http:\/\/[\d.:]+)/
    return {
      process,
      get url() {
        return at.exec(process.output)?.[1] ?? ''
      },
    }
  }
  const doomed = await elsewhere()
  await doomed.process.printed(/Server listening/)
  const { data } = two.ports
  const admin = openSocket(t, doomed.url)
  admin.socket.emit('admin_active', skipper)
  await admin.first('admin_confirmed')
  const orders: { donationId: string; posted: Posted }[] = []
  for (let i = 0; orders.length < 20; i++) {
    const answer = await two.app.inject({
      method: 'POST',
      url: '/api/public/donations/create',
      headers: { 'x-forwarded-for': `203.0.113.${i % 200}` },
      payload: { songId: `day/${i % SONGS}.mp3` },
    })
    // Orders for the song on air or the next one are refused.
    if (answer.statusCode !== 200) continue
    const { donationId, matchCode } = answer.json()
    const about = { message: `for ${matchCode}`, amount: '100.00', currency: 'USD', atMs: Date.now() }
    orders.push({ donationId, posted: kofiPosts(kofiDonation(about)) })
  }
  await server.crash()
  const places = [urls[0]!, urls[1]!, doomed.url, doomed.url]
  const answers = await Promise.all(
    orders.map(async ({ posted }, i) => {
      const url = `${places[i % places.length]}/webhooks/donations/${KOFI}`
      return (await fetch(url, { method: 'POST', headers: posted.headers, body: posted.body })).status
    }),
  )
  t.same(answers, Array(20).fill(200))
  admin.socket.emit('admin_remove_song', 5)
  await admin.first('admin_success')
  t.same(admin.all('admin_error'), [])
  const spooled = async () => {
    const names = await Promise.all(
      [folder, join(one.folder, 'data')].map((data) => readdir(join(data, 'deliveries'))),
    )
    return names.map((files) => files.length)
  }
  t.same(await spooled(), [10, 10])
  const entries = () => readdir(join(folder, 'audit-entries'))
  await until('the entry waits on disk', async () => (await entries().catch(() => [])).length === 1)
  await doomed.process.end('SIGKILL')
  const heir = await elsewhere()
  await server.restart()
  await heir.process.printed(/Server listening/)
  const statuses = async () =>
    (await Promise.all(orders.map(({ donationId }) => data.donations.get(donationId)))).map(
      (order) => order?.queue ?? null,
    )
  await until('all payments are applied', async () => !(await statuses()).includes(null))
  await until('no delivery waits on disk', async () => (await spooled()).every((count) => count === 0))
  await until('the inbox is empty', async () => (await data.inbox.find()).length === 0)
  await until('the entry is written', async () => (await entries()).length === 0)
  t.equal(
    (await data.audit.find({ operationType: 'queue_remove' })).length,
    1,
    'the audit log has what was done',
  )
  for (const { donationId } of orders) {
    const events = (await data.ledger.find({ donationId })).map(({ event }) => event)
    t.equal(events.filter((event) => event === 'claimed').length, 1)
    t.match((await data.donations.get(donationId))?.status, /^paid/)
  }
  await heir.process.end()
})

t.test('a Redis that briefly accepts no writes, as with a full disk, causes no audible fault', async (t) => {
  const from = chunks.length
  const { redis } = two.ports
  const refusedChunks = async () => {
    const [, count] = /cmdstat_xadd:.*rejected_calls=(\d+)/.exec(await redis.info('commandstats')) ?? []
    return Number(count ?? 0)
  }
  await redis.config('SET', 'min-replicas-to-write', '1')
  await until('a chunk is refused', async () => (await refusedChunks()) > 0)
  await redis.config('SET', 'min-replicas-to-write', '0')
  await moreSound(4)
  assertSound(t, from, 'the sound goes on')
  for (const mount of MOUNTS) {
    // Any other refused write ends the broadcast, which then starts anew.
    said.length = 0
    refusing.nextOf = mount
    await until(`the broadcast ends for ${mount}`, () =>
      said.some((line) => line.includes('state could not be saved; going off air')),
    )
    await moreSound(4)
    assertSound(t, from, `the sound goes on after a refused chunk of ${mount}`)
  }
  await assertSegmentsWhole(t)
})

t.test('a machine cut off from Redis leaves the air before another one takes it', async (t) => {
  const ready = async (open: OpenApp) => (await open.app.inject('/readyz')).statusCode
  await startAir(t, two.ports)
  const listener = openSocket(t, urls[0]!)
  await listener.first('sync')
  const from = chunks.length
  said.length = 0
  const saying = (message: string, who: string) =>
    said.findIndex((line) => line.includes(message) && line.includes(`"who":"${who}"`))
  toRedis.isHanging = true
  const readyMs = Math.round(await lastReadyMs(() => ready(one)))
  t.comment(`ready for ${readyMs} ms`)
  if (machine.isQuick(t)) t.ok(readyMs <= MAX_READY_MS, 'it notices within 3 s')
  t.equal((await one.app.inject('/healthz')).statusCode, 200)
  await until('the other one is on the air', () => saying('the station is on air', 'two') >= 0)
  t.ok(saying('lease lost', 'one') >= 0)
  t.ok(saying('lease lost', 'one') < saying('lease acquired', 'two'), 'never two on the air')
  await until('the other replica is ready', async () => (await ready(two)) === 200)
  await moreSound(6)
  assertSound(t, from, 'the sound goes on at the other one')

  listener.forget()
  const syncs = () => listener.all('sync') as RadioState[]
  await until('a replica that is cut off says something', () => syncs().length > 1)
  const [stale, later] = syncs().slice(-2) as [RadioState, RadioState]
  t.same([later.track, later.seek], [stale.track, stale.seek], 'its display stops where its sound ends')
  t.ok(later.serverTimeMs > stale.serverTimeMs)
  t.match(await two.ports.bus.send({ type: 'skip' }), { ok: true })
  const serial = air.state.serial

  toRedis.isHanging = false
  await until('the replica is ready', async () => (await ready(one)) === 200)
  await air.until((state) => state.serial > serial)
  listener.forget()
  await listener.first<RadioState>('sync', ({ track, seek }) => {
    const { onAir } = air.state
    return onAir.phase === 'track' && track === onAir.entry.track.id && seek !== stale.seek
  })
  t.equal(said.filter((line) => line.includes('lease acquired')).length, 1, 'it stands by')
  await moreSound(4)
  assertSound(t, from, 'and disturbs nothing')
  await assertSegmentsWhole(t)
})

t.test('Redis is emptied: the same queue continues, and listeners hear it', async (t) => {
  const request = get(`${urls[1]}/api/stream/public.mp3`, { agent: false })
  const [stream] = (await once(request, 'response')) as [IncomingMessage]
  t.teardown(() => stream.destroy())
  let heard: Buffer = Buffer.alloc(0)
  stream.on('data', (bytes: Buffer) => {
    heard = Buffer.concat([heard, bytes])
  })
  const from = chunks.length
  const { playlist } = air.state
  await two.ports.redis.flushall()
  await until('the air is kept again', async () => (await two.ports.redis.exists('solstice:air')) === 1)
  await moreSound(6)
  assertSound(t, from, 'the sound goes on')
  const before = playlist.entries.map(({ entryId }) => entryId)
  const now = air.state.playlist.entries
  const kept = now.map(({ entryId }) => entryId).filter((id) => before.includes(id))
  // Those that have been played meanwhile leave the list.
  const played = before.indexOf(kept[0]!)
  t.ok(played >= 0 && played <= playlist.index, 'nothing that was to come is gone')
  t.same(kept, before.slice(played))
  const added = now.slice(0, before.length - played).filter(({ entryId }) => !before.includes(entryId))
  t.ok(
    added.every(({ orderId }) => orderId !== undefined),
    'only paid songs come in between',
  )
  await assertSegmentsWhole(t)
  const { audio } = chunks.at(-1)!
  await until('the last chunk is heard', () => heard.includes(audio))
  t.match(await ask('GET /api/admin/song-groups'), { status: 200 }, 'everybody stays logged in')
})
