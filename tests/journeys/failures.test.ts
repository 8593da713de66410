import { readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import type { AlarmCause, RadioState, ServerPayload } from '@solstice/contracts'
import { chunkEndMs } from '@solstice/station'
import t, { type Test } from 'tap'
import { decode, melody } from '../harness/audio/audio.ts'
import { damagedFiles } from '../harness/audio/damaged-files.ts'
import { inForm } from '../harness/long-form.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { isAlive, type Process, temporaryFolder } from '../harness/processes/processes.ts'
import { startFaultyReplica } from '../harness/servers/faulty-replica.ts'
import {
  assertConsecutive,
  assertContinuous,
  ffmpegsOf,
  followOthers,
  LISTENED_BYTES,
  prepareWithMounts,
  startFirst,
  tones,
} from '../harness/stations/heard.ts'
import {
  followBroadcast,
  listen,
  mustBeWhole,
  prepareStation,
  type Station,
} from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const TONE_S = 3
/** Damaged files of which everything that can be heard is a tone. */
const SOUND_OR_NOTHING = [
  'nothing',
  'one byte',
  'a picture',
  'noise',
  'two rates in one',
  'saying that it lasts for days',
]

// Most of the time is spent listening: the stations of this file run side by side.
t.jobs = 3

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
    const ffmpegs = await ffmpegsOf(worker)
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
    const victims = await ffmpegsOf(worker)
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
  'without ffmpeg the station says that it has no sound, and sync mode works',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, tones, {
      FFMPEG_PATH: '/nowhere/ffmpeg',
      STREAM_MOUNTS: 'mp3:128,aac:64',
    })
    const [{ url }, worker] = await Promise.all([
      station.startApi(undefined, 1, {}, '/readyz'),
      startFirst(station),
    ])
    await worker.printed(/ffmpeg cannot be started; no stream/)
    const socket = openSocket(t, url)
    const sync = await socket.first<RadioState>('sync', ({ track }) => track !== null)
    for (const path of ['public.mp3', 'public-64.aac']) {
      const refused = await fetch(`${url}/api/stream/${path}`)
      t.equal(refused.status, 503, path)
      t.match(await refused.json(), { error: { code: 'STREAM_NOT_READY' } })
    }
    // On a machine that others take, a replica may say before that it is overloaded.
    await until('the replica says that it has no sound', async () => {
      const unready = await fetch(`${url}/readyz/stream`)
      t.equal(unready.status, 503)
      return ((await unready.json()) as { error: { reason?: string } }).error.reason === 'no_sound'
    })
    t.match(await (await fetch(`${url}/api/status`)).json(), {
      isOnAir: false,
      mounts: [{ isOnAir: false }, { isOnAir: false }],
    })
    socket.socket.emit('listener_init')
    const { uid, artToken } = await socket.first<ServerPayload<'listener_uid'>>('listener_uid')
    const headers = { 'x-art-token': artToken, 'x-listener-uid': uid }
    const { token } = (await (await fetch(`${url}/api/audio-key`, { headers })).json()) as { token: string }
    const query = new URLSearchParams({ track: sync.track!, artToken, audioToken: token })
    const sound = await decode(
      Buffer.from(await (await fetch(`${url}/api/audio/stream?${query}`)).arrayBuffer()),
    )
    t.ok(sound.length > 3 * 44_100, 'its track can be heard')
    await socket.first<RadioState>('sync', ({ track }) => track !== sync.track)
    t.notMatch(worker.output, /cannot be decoded/, 'no track is blamed')
  },
)

t.test(
  'damaged files are skipped or heard without a gap, and the queue goes on',
  { buffered: true },
  async (t) => {
    const corpus = Object.entries(await damagedFiles(await temporaryFolder(t)))
    const files = inForm({ short: corpus.filter(([name]) => SOUND_OR_NOTHING.includes(name)), long: corpus })
    const cut = { name: 'cut after six seconds', hz: 440, seconds: 12 }
    const damaged = [cut, ...files.map(([name]) => ({ name, hz: 440, seconds: TONE_S }))]
    const station = await prepareStation(t, [...tones, ...damaged], { MEDIA_STORAGE: 'local' })
    const path = (name: string) => `${station.env.MEDIA_DIR}/music/day/${name}.mp3`
    await Promise.all(files.map(([name, bytes]) => writeFile(path(name), bytes)))
    await truncate(path(cut.name), Math.floor((await stat(path(cut.name))).size / 2))
    const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
    const air = await followBroadcast(t, station)
    const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
    const tried = ({ name }: { name: string }) => worker.output.lastIndexOf(`"day/${name}.mp3"`)
    while (!damaged.every((file) => tried(file) >= 0)) await air.more(1)
    const last = Math.max(...damaged.map(tried))
    await air.when('a song goes on air', () => tones.some((tone) => tried(tone) > last))
    await air.more(8)
    const data = await station.openData()
    t.teardown(() => data.close())
    const left = await data.audit.find({ operationType: 'track_unplayable' })
    const named = left.map(({ data }) => (data as { title: string }).title)
    t.equal(new Set(named).size, named.length, 'the audit log names each once')
    for (const name of ['nothing', 'one byte', 'a picture']) t.ok(named.includes(name), name)
    assertConsecutive(t, air.chunks)
    if (!mustBeWhole(t, air)) return
    const late = air.chunks.filter(
      (chunk, i, all) => i > 0 && Math.abs(chunk.atMs - chunkEndMs(all[i - 1]!)) > 1,
    )
    t.same(late, [], 'the broadcast has no gap')
    const samples = await decode(listening.bytes())
    const heard = melody(samples.subarray(44_100, samples.length - 4410), [440, 880]).slice(20)
    // A file of two has the pause of an encoder between them. Some of the whole corpus is silence, which is left after 8 s, or ends
    // within its first 5 s, which 2 s of silence follow (B2).
    const longest = Math.max(
      ...heard
        .map((hz) => (hz === null ? ' ' : 'x'))
        .join('')
        .split('x')
        .map(({ length }) => length),
    )
    t.ok(
      longest <= inForm({ short: 2, long: 10 * 20 }),
      `${heard.length * 50} ms heard; silent for ${longest * 50} ms at most`,
    )
  },
)

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
