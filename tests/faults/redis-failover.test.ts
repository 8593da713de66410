import { get, type IncomingMessage } from 'node:http'
import type { Command, Outcome, PlayoutState, TrackRef } from '@solstice/playout'
import { type DataStore, trackRef } from '@solstice/station'
import t, { type Test } from 'tap'
import { inForm } from '../harness/long-form.ts'
import type { Process } from '../harness/processes/processes.ts'
import { startRedisGroup } from '../harness/servers/sentinels.ts'
import { kofiDonation, kofiPosts, openPaymentServices } from '../harness/servers/services/payment-services.ts'
import { followOthers, prepareWithMounts } from '../harness/stations/heard.ts'
import { playSegments } from '../harness/stations/players/segments.ts'
import { followBroadcast, listen, mustBeWhole } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const { kills, replicas, recorders, crowd, ordersPerKill, payments } = inForm({
  short: { kills: 1, replicas: 1, recorders: 5, crowd: 0, ordersPerKill: 3, payments: 1 },
  long: { kills: 20, replicas: 2, recorders: 20, crowd: 180, ordersPerKill: 4, payments: 2 },
})
/** What listeners hold in reserve. Only the long form has the machine for itself. */
const RESERVE_MS = inForm({ short: 15_000, long: 8_000 })
const isQuiet = inForm({ short: false, long: true })
/** A lease is kept for longer than that without Redis. */
const QUICK_FAILOVER_MS = 6_000
const KOFI = 'matching_provider_2'
/** Long enough for none to be played to its end and forgotten while it is counted. */
const songs = Array.from({ length: 6 }, (_, i) => ({ name: `Song ${i}`, hz: 300 + i * 100, seconds: 8 }))

t.test('the primary of Redis is killed under load: nothing acknowledged is lost or doubled', async (t) => {
  const { group, air, mounts, segments, tracks, data, workers, urlOf } = await openStation(t)
  const streamUrl = (i: number) => `${urlOf(i)}/api/stream/public.mp3`
  const streams = await Promise.all(Array.from({ length: recorders }, (_, i) => listen(t, streamUrl(i))))
  const others = await Promise.all(Array.from({ length: crowd }, (_, i) => attend(t, streamUrl(i))))
  const queue = await openQueue(t, air, tracks)
  const shop = openShop(urlOf)
  await air.more(6)

  let takeovers = 0
  for (let kill = 0; kill < kills; kill++) {
    for (let i = 0; i < payments; i++) await shop.order()
    queue.request(kill, 0)
    await queue.order(kill, 0)
    for (let i = 1; i < ordersPerKill; i++) void queue.order(kill, i)
    queue.request(kill, 1)
    const posted = shop.pay()
    const [killedAtMs, from] = [Date.now(), air.chunks.length]
    const killed = await group.killPrimary()
    const primaryAfterMs = Date.now() - killedAtMs
    queue.request(kill, 2)
    // What is on its way when the primary dies may still come from its readers.
    await air.until(air.clock.nowMs())
    const soundAfterMs = Date.now() - killedAtMs
    await Promise.all([queue.answered(), posted])
    await group.restart(killed)
    await air.more(4)
    await queue.assertKept(t, kill)
    const told = workers.flatMap((worker) => leaseSince(worker, killedAtMs))
    takeovers += told.length
    if (told.length > 0) t.comment(group.said)
    const times = { primaryAfterMs, soundAfterMs, chunks: air.chunks.length - from, lease: told }
    t.comment(`kill ${kill}: ${JSON.stringify(times)}`)
    if (isQuiet && primaryAfterMs < QUICK_FAILOVER_MS) t.same(told, [], 'the worker on air stays there')
  }
  t.comment(`longest time without new sound: ${Math.round(air.longestAbsenceMs)} ms`)
  // On a starved machine a server fails over twice, and another worker repeats a chunk that only the lost one had.
  const isWhole = mustBeWhole(t, air) && (isQuiet || takeovers === 0)
  if (isWhole) t.same(holesIn(air.chunks), [], `every frame number once, in ${air.chunks.length} chunks`)
  if (isWhole) t.ok(air.longestAbsenceMs < RESERVE_MS, 'listeners hold more than the failover takes')
  await assertHeard(t, streams, air.chunks, isWhole)
  if (isWhole) mounts.assertWhole()
  await segments.assertWhole(t, (mount) => isWhole && mustBeWhole(t, mount))
  const left = others.filter(({ destroyed }) => destroyed)
  t.equal(left.length, 0, 'nobody of the crowd is disconnected')
  await assertPaid(t, data, shop.paid)
})

/** Two workers, jobs and replicas of the API on a group of three servers. */
async function openStation(t: Test) {
  const [group, services] = await Promise.all([startRedisGroup(t, 3), openPaymentServices(t)])
  const station = await prepareWithMounts(t, songs, {
    ...services.env,
    ...group.env,
    DONATIONS_PROVIDER: 'kofi',
    QUEUE_ADD_COOLDOWN_S: '0',
    TRUST_PROXY_HOPS: '1',
  })
  await group.cli('set', 'solstice:reconciled', '1')
  const data = await station.openData()
  t.teardown(() => data.close())
  const tracks = (await data.tracks.find()).map((track) => trackRef(track))
  const air = await followBroadcast(t, station)
  const mounts = await followOthers(t, station)
  const workers = await Promise.all([station.startWorker(), station.startWorker()])
  const apis = await Promise.all(Array.from({ length: replicas }, () => station.startApi()))
  await station.startJobs()
  const urls = apis.map(({ url }) => url)
  const segments = playSegments(t, urls, { 'mp3-128': air, 'aac-64': mounts.mounts[1]! })
  return { group, air, mounts, segments, tracks, data, workers, urlOf: (i: number) => urls[i % replicas]! }
}

/** Those who ask for songs, and what became of it. */
async function openQueue(t: Test, air: Air, tracks: TrackRef[]) {
  /** The state of the air that came last, and every place that an order ever had in the queue. */
  let state: PlayoutState | undefined
  const placesOf = new Map<string, Set<string>>()
  const unfollow = await air.bus.follow((news) => {
    state = news
    for (const { orderId, entryId } of news.playlist.entries)
      if (orderId) placesOf.set(orderId, (placesOf.get(orderId) ?? new Set()).add(entryId))
  })
  t.teardown(unfollow)
  const paid = new Map<string, Promise<Outcome>>()
  const asked: Promise<{ uid: string; outcome: Outcome | null }>[] = []
  /** A payment is handed over until it is answered, as the jobs do. */
  const insist = async (command: Command): Promise<Outcome> => {
    for (;;) {
      const outcome = await air.bus.send(command).catch(() => null)
      if (outcome) return outcome
    }
  }
  const wasHeard = (entryId: string) =>
    air.chunks.some(({ markers }) => markers.some((marker) => marker.entryId === entryId))
  return {
    order(kill: number, i: number) {
      const orderId = `order ${kill}.${i}`
      const track = tracks[(kill + i) % tracks.length]!
      const order = { orderType: 'donated', tier: 1, orderId } as const
      const outcome = insist({ type: 'add-song', track, mode: 'day', ...order })
      paid.set(orderId, outcome)
      return outcome
    },
    request(kill: number, i: number) {
      const uid = `${kill}.${i}`.padEnd(36, 'x')
      const track = tracks[i % tracks.length]!
      const sent = air.bus.send({ type: 'request-track', uid, socketId: uid, track, mode: 'day' })
      asked.push(sent.catch(() => null).then((outcome) => ({ uid, outcome })))
    },
    answered: () => Promise.all([...paid.values(), ...asked]),
    /** Whatever was acknowledged in this round is there once, in the state that came last. */
    async assertKept(t: Test, kill: number) {
      const requests = await Promise.all(asked.splice(0))
      const { playlist, trackRequests } = state!
      for (const [id, outcome] of paid) {
        if (!id.startsWith(`order ${kill}.`)) continue
        t.ok((await outcome).ok)
        const places = [...(placesOf.get(id) ?? [])]
        t.equal(places.length, 1, `${id} never had two places`)
        const isThere = playlist.entries.some(({ orderId }) => orderId === id) || wasHeard(places[0]!)
        t.ok(isThere, `${id} waits or was heard`)
      }
      for (const { uid } of requests.filter((one) => one.outcome?.ok))
        t.equal(trackRequests.filter((one) => one.uid === uid).length, 1, `${uid} waits, once`)
    },
  }
}

/** Each payment came to its order, and counted once. */
async function assertPaid(t: Test, data: DataStore, ids: string[]) {
  const find = () => Promise.all(ids.map((id) => data.donations.get(id)))
  await until('all payments are applied', async () => (await find()).every((order) => order?.queue))
  for (const donationId of ids) {
    t.match((await data.donations.get(donationId))?.status, /^paid/)
    const events = (await data.ledger.find({ donationId })).map(({ event }) => event)
    t.equal(events.filter((event) => event === 'claimed').length, 1, 'each payment counts once')
  }
}

type Air = Awaited<ReturnType<typeof followBroadcast>>
type Streams = Awaited<ReturnType<typeof listen>>[]

/** What a worker said of the lease, with the time since a moment, ms. */
function leaseSince({ output, child }: Process, sinceMs: number): string[] {
  return output.split('\n').flatMap((line) => {
    if (!line.includes('"about":"lease"')) return []
    const { time, msg } = JSON.parse(line) as { time: number; msg: string }
    return time < sinceMs ? [] : `${time - sinceMs} ms: ${msg} (${child.pid})`
  })
}

const holesIn = (chunks: Air['chunks']) =>
  chunks
    .filter((chunk, i, all) => i && chunk.frame !== all[i - 1]!.frame + all[i - 1]!.frames)
    .map(({ frame }) => frame)

/** Nobody was disconnected, and everybody got the same bytes. */
async function assertHeard(t: Test, streams: Streams, chunks: Air['chunks'], isWhole: boolean) {
  const sound = Buffer.concat(chunks.map(({ audio }) => audio))
  for (const stream of streams) {
    t.notOk(stream.response.destroyed, 'no listener is disconnected')
    const from = sound.indexOf(stream.bytes().subarray(0, 4_000))
    t.ok(from >= 0)
    if (!isWhole) continue
    const heard = await stream.received(sound.length - from)
    t.ok(heard.subarray(0, sound.length - from).equals(sound.subarray(from)), 'all of the sound')
  }
}

/** Listens without keeping what is heard. */
async function attend(t: Test, url: string): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false }, resolve).once('error', reject)
  })
  t.equal(response.statusCode, 200)
  response.on('error', () => {}).resume()
  t.teardown(() => response.destroy())
  return response
}

/** Listeners who order songs, and the service by which they pay. */
function openShop(urlOf: (i: number) => string) {
  const paid: string[] = []
  const open: { donationId: string; matchCode: string }[] = []
  let count = 0
  return {
    /** Ids of the orders that were paid. */
    paid,
    async order() {
      for (;;) {
        count++
        const answer = await fetch(`${urlOf(count)}/api/public/donations/create`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${count % 200}` },
          body: JSON.stringify({ songId: `day/Song ${count % songs.length}.mp3` }),
        })
        // Orders for the song on air or the next one are refused.
        if (answer.status === 200) return void open.push((await answer.json()) as (typeof open)[number])
      }
    },
    /** Pays all orders; the service repeats what is not acknowledged. */
    async pay() {
      for (const { donationId, matchCode } of open.splice(0)) {
        const about = { message: `for ${matchCode}`, amount: '100.00', currency: 'USD', atMs: Date.now() }
        const posted = kofiPosts(kofiDonation(about))
        const deliver = (i: number) =>
          fetch(`${urlOf(i)}/webhooks/donations/${KOFI}`, { method: 'POST', ...posted })
        for (let i = 0; (await deliver(i)).status !== 200; i++);
        paid.push(donationId)
      }
    },
  }
}
