import { readFile, rename, writeFile } from 'node:fs/promises'
import type { AlarmCause } from '@solstice/contracts'
import { type FrameChunk, oggPages } from '@solstice/station'
import t, { type Test } from 'tap'
import { decode, melody } from '../harness/audio/audio.ts'
import { logicalStreams } from '../harness/audio/logical-streams.ts'
import { childrenOf, isAlive, type Process } from '../harness/processes/processes.ts'
import { startFaultyReplica } from '../harness/servers/faulty-replica.ts'
import {
  followBroadcast,
  listen,
  mustBeWhole,
  prepareStation,
  type Station,
} from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const BYTES_PER_S = 16_000
// Most of the time is spent listening: the stations of this file run side by side.
t.jobs = 3
const TONE_S = 4
/** Long enough for a tone to be heard from its beginning to its end. */
const LISTENED_BYTES = 13 * BYTES_PER_S
const tones = [
  { name: 'Low', hz: 440, seconds: TONE_S },
  { name: 'High', hz: 880, seconds: TONE_S },
]
const pitches = tones.map((tone) => tone.hz)

function assertConsecutive(t: Test, chunks: FrameChunk[]) {
  const holes = chunks.flatMap((chunk, i) => {
    const before = chunks[i - 1]
    if (!before || chunk.frame === before.frame + before.frames) return []
    return [`frame ${chunk.frame} after ${before.frame + before.frames - 1}`]
  })
  t.same(holes, [], `${chunks.length} chunks, every frame number once`)
}

/** Fails where the recording has a quiet moment, or a tone did not last its time. */
async function assertContinuous(t: Test, mp3: Buffer, toneS = TONE_S) {
  const samples = await decode(mp3)
  const all = melody(samples.subarray(0, samples.length - 4410), pitches)
  // The burst may begin before the station's very first track.
  const heard = all.slice(all.findIndex((hz) => hz !== null))
  t.notOk(heard.includes(null), 'never silent')
  const changes = heard.flatMap((hz, i) => (i > 0 && hz !== heard[i - 1] ? [i] : []))
  const lengths = changes.slice(1).map((at, i) => at - changes[i]!)
  for (const length of lengths)
    t.equal(Math.round(length / 20) % toneS, 0, `a tone of ${length * 50} ms is whole`)
}

/** A station with more mounts than the first. */
const prepareWithMounts = (t: Test, songs = tones) =>
  prepareStation(t, songs, { STREAM_MOUNTS: 'mp3:128,mp3:64,aac:64,opus:64' })

/** The mounts beside the first. */
async function followOthers(t: Test, station: Station) {
  const mp3 = await followBroadcast(t, station, 'mp3-64')
  const aac = await followBroadcast(t, station, 'aac-64')
  const opus = await followBroadcast(t, station, 'opus-64')
  return {
    assertWhole() {
      for (const mount of [mp3, aac]) if (mustBeWhole(t, mount)) assertConsecutive(t, mount.chunks)
      if (!mustBeWhole(t, opus)) return
      assertConsecutive(t, opus.chunks)
      const began = opus.chunks.findIndex(({ audio }) => oggPages(audio)[0]?.mark === 'begin')
      const pages = Buffer.concat(opus.chunks.slice(began).map(({ audio }) => audio))
      t.ok(logicalStreams(pages).length > 0, 'a strict reader of Ogg finds no fault')
    },
  }
}

/** A worker that holds the lease: workers started after it stand by. */
async function startFirst(station: Station): Promise<Process> {
  const worker = await station.startWorker()
  await worker.printed(/the station is on air/)
  return worker
}

async function leftOvers(worker: Process): Promise<number[]> {
  return (await childrenOf(worker.child.pid!))
    .filter((child) => /ffmpeg/.test(child.command))
    .map((child) => child.pid)
}

/**
 * A replica hands out other frames and another title, then the only worker is suspended: the monitor raises alarms with these
 * causes, which end when the fault is over.
 */
async function assertFaultsAreAlarms(t: Test, station: Station, source: string, worker: Process) {
  const faulty = await startFaultyReplica(t, source)
  station.env.MONITOR_URLS = `${source},${faulty.url}`
  const monitor = await station.startMonitor()
  await monitor.printed(/monitor listening/)
  const data = await station.openData()
  const alarms = (source: string, cause: AlarmCause) => data.alarms.find({ source, cause })
  for (const [fault, cause] of [
    ['other bytes', 'other_bytes'],
    ['title', 'title'],
  ] as const) {
    faulty.set(fault)
    await until(`${cause} begins`, async () => (await alarms(faulty.url, cause)).length > 0)
    t.same(await alarms(source, cause), [], 'the replica behind it is well')
  }
  faulty.set('none')
  worker.child.kill('SIGSTOP')
  const open = async () => (await alarms(source, 'no_bytes')).find(({ endedAt }) => endedAt === null)
  await until('the alarm begins', async () => (await open()) !== undefined)
  t.match(await open(), { evidence: /nothing left to play/ })
  worker.child.kill('SIGCONT')
  await until('the alarm ends', async () => (await open()) === undefined)
  const stored = async () => (await data.alarms.find({ hasEvidence: true }))[0]
  await until('what was heard is stored', async () => (await stored()) !== undefined)
  const sound = await readFile(`${station.env.MEDIA_DIR}/alarms/${(await stored())!.id}.mp3`)
  t.ok((await decode(sound)).length > 44_100, 'more than a second')
  t.match(await (await fetch(`${source}/api/status`)).json(), {
    isOnAir: Boolean,
    incident: { from: Number },
    uptime: { days: Array },
  })
  await until('both are in the audit log', async () => {
    const operations = (await data.audit.find()).map(({ operationType }) => operationType)
    return operations.includes('alarm_begin') && operations.includes('alarm_end')
  })
  await data.close()
}

const gone = (pids: number[]) => until('the processes are gone', () => !pids.some(isAlive))

t.test(
  'kill -9 of the worker, with a standby: the same track continues at the same frame',
  { buffered: true },
  async (t) => {
    const station = await prepareWithMounts(t)
    const air = await followBroadcast(t, station)
    const others = await followOthers(t, station)
    const [api, worker] = await Promise.all([station.startApi(), startFirst(station)])
    await station.startWorker()
    const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
    await air.more(4)
    const ffmpegs = await leftOvers(worker)
    t.ok(ffmpegs.length >= 1)
    await worker.end('SIGKILL')
    await air.more(16)
    assertConsecutive(t, air.chunks)
    others.assertWhole()
    if (mustBeWhole(t, air)) await assertContinuous(t, await listening.received(LISTENED_BYTES))
    await gone(ffmpegs)
    t.pass('no ffmpeg of the dead worker is left')
  },
)

t.test('a worker that is told to stop releases the lease at once', { buffered: true }, async (t) => {
  const station = await prepareStation(t, tones)
  const air = await followBroadcast(t, station)
  const [api, worker] = await Promise.all([station.startApi(), startFirst(station)])
  const standby = await station.startWorker()
  const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
  await air.more(4)
  await worker.end('SIGTERM')
  t.equal(await worker.exited, 0)
  await standby.printed(/the station is on air/)
  await air.more(16)
  assertConsecutive(t, air.chunks)
  if (mustBeWhole(t, air)) await assertContinuous(t, await listening.received(LISTENED_BYTES))
})

t.test(
  'kill -9 of the only worker: the next one makes up for the missing sound',
  { buffered: true },
  async (t) => {
    // The sound of alarms is looked for in a folder.
    const station = await prepareStation(t, tones, { MEDIA_STORAGE: 'local' })
    const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
    const air = await followBroadcast(t, station)
    const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
    await air.more(4)
    await worker.end('SIGKILL')
    const next = await station.startWorker()
    await air.more(16)
    assertConsecutive(t, air.chunks)
    if (mustBeWhole(t, air)) await assertContinuous(t, await listening.received(LISTENED_BYTES))
    await assertFaultsAreAlarms(t, station, api.url, next)
  },
)

t.test(
  'a suspended worker that resumes finds another on air, and stays silent',
  { buffered: true },
  async (t) => {
    const station = await prepareWithMounts(t)
    const worker = await startFirst(station)
    const standby = await station.startWorker()
    const air = await followBroadcast(t, station)
    const others = await followOthers(t, station)
    await air.more(4)
    process.kill(worker.child.pid!, 'SIGSTOP')
    await standby.printed(/the station is on air/)
    process.kill(worker.child.pid!, 'SIGCONT')
    await worker.printed(/lease lost/)
    await air.more(8)
    assertConsecutive(t, air.chunks)
    others.assertWhole()
  },
)

t.test('killed and hanging ffmpeg processes are replaced inaudibly', { buffered: true }, async (t) => {
  // Long enough for their decoders to be still at work when they are killed.
  const toneS = 7
  const long = tones.map((tone) => ({ ...tone, seconds: toneS }))
  const station = await prepareWithMounts(t, long)
  const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
  const air = await followBroadcast(t, station)
  const others = await followOthers(t, station)
  const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
  for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGKILL'] as const) {
    await air.more(4)
    const victims = await leftOvers(worker)
    for (const pid of victims.filter(isAlive)) process.kill(pid, signal)
    await air.more(6)
    await gone(signal === 'SIGKILL' ? victims : [])
  }
  await air.more(4)
  assertConsecutive(t, air.chunks)
  others.assertWhole()
  if (mustBeWhole(t, air)) await assertContinuous(t, listening.bytes(), toneS)
})

t.test(
  'kill -9 of Redis: broadcast, queue and listeners survive until it returns',
  { buffered: true },
  async (t) => {
    const station = await prepareWithMounts(t)
    const [api] = await Promise.all([station.startApi(), station.startWorker()])
    const air = await followBroadcast(t, station)
    const others = await followOthers(t, station)
    const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
    await air.more(6)
    // The journal is flushed once a second: changes acknowledged longer ago survive.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await station.redis.process.end('SIGKILL')
    await station.redis.restart()
    await air.more(16)
    assertConsecutive(t, air.chunks)
    others.assertWhole()
    if (mustBeWhole(t, air)) await assertContinuous(t, await listening.received(LISTENED_BYTES))
    t.notOk(listening.response.destroyed, 'no listener was disconnected')
  },
)

t.test('an unreadable file is skipped, and does not return', { buffered: true }, async (t) => {
  const station = await prepareStation(t, tones, { MEDIA_STORAGE: 'local' })
  await writeFile(`${station.env.MEDIA_DIR}/music/day/High.mp3`, Buffer.alloc(40_000, 'not an MP3'))
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const air = await followBroadcast(t, station)
  const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
  const samples = await decode(await listening.received(LISTENED_BYTES))
  const heard = melody(samples.subarray(44_100, samples.length - 4410), [440])
  if (mustBeWhole(t, air)) t.notOk(heard.slice(20).includes(null), 'the other track goes on without a gap')
})

t.test('music that was away as a whole is heard again when it returns', { buffered: true }, async (t) => {
  const station = await prepareStation(t, tones, { MEDIA_STORAGE: 'local' })
  const music = `${station.env.MEDIA_DIR}/music`
  await rename(music, `${music} elsewhere`)
  const worker = await station.startWorker()
  const lost = 'track cannot be decoded further'
  await worker.printed(new RegExp(`${lost}[^]*${lost}`))
  await rename(`${music} elsewhere`, music)
  await worker.printed(new RegExp(`${lost}[^]*${lost}[^]*"msg":"on air"`))
  t.pass('it is on air')
})
