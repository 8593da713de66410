import { existsSync } from 'node:fs'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AlarmCause } from '@solstice/contracts'
import { chunkEndMs, FRAME_MS, SAMPLE_RATE } from '@solstice/station'
import t, { type Test } from 'tap'
import { decode } from '../harness/audio/audio.ts'
import { pitchOf } from '../harness/audio/sine.ts'
import { inForm } from '../harness/long-form.ts'
import { childrenOf, isAlive, type Process, temporaryFolder } from '../harness/processes/processes.ts'
import { type ReplicaFault, startFaultyReplica } from '../harness/servers/faulty-replica.ts'
import { followBroadcast, prepareStation, type Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const isLong = inForm({ short: false, long: true })
const TRACK_S = inForm({ short: 120, long: 300 })
const LOST_FRAMES = 40
const STATION = 'station'
const CALM_MS = inForm({ short: 4_000, long: 30_000 })
/** Sound near the end of a track, a mix, is not held against its file. */
const LATEST_MS = (TRACK_S - 60) * 1000
const SAMPLES_PER_MS = SAMPLE_RATE / 1000
/** Pitches that rise, so that no second is like another, and names of the same length. */
const songs = [
  { name: 'Rise', hz: 300, rise: 7, seconds: TRACK_S, isMono: true },
  { name: 'Soar', hz: 500, rise: 5, seconds: TRACK_S, isMono: true },
]
/** Alarms begin this long after their faults can be heard at most. */
const SOON_MS = 5_000
const SILENCE_SOON_MS = 10_000
/** Time from switching on a fault until it can be heard: listeners get the first seconds of sound at once, and a playlist changes every 6 s. */
const HEARD_AFTER_MS: Partial<Record<string, number>> = {
  'missing frames': 6_000,
  'broken frames': 6_000,
  'old playlist': 6_000,
}

const inShort: readonly (readonly [ReplicaFault, AlarmCause])[] = [
  ['missing frames', 'missing_frames'],
  ['late title', 'title'],
]
const ofReplica: typeof inShort = [
  ...inShort,
  ['old ring', 'old_sound'],
  ['title', 'title'],
  ['other bytes', 'other_bytes'],
  ['same block', 'repeating'],
  ['broken frames', 'broken_frames'],
  ['stale sync', 'stale_sync'],
  ['silent sockets', 'stale_sync'],
  ['drift', 'drift'],
  ['old playlist', 'old_playlist'],
]

/** Faults of decoders, as filters of ffmpeg. */
const ofDecoder: readonly (readonly [what: string, filter: string, cause: AlarmCause])[] = [
  ['a mixer at -30 dB', 'aresample=44100,volume=-30dB', 'loudness'],
  ['a stuck decoder', 'aresample=44100,aloop=loop=-1:size=16384:start=22050', 'repeating'],
  ['a silent decoder', 'aresample=44100,volume=0', 'silence'],
]

/** An ffmpeg that does what the worker asks, but decodes songs, or encodes the broadcast, through a filter once there is one. */
async function faultyFfmpeg(t: Test) {
  const folder = await temporaryFolder(t)
  const [path, decoding, encoding] = ['ffmpeg', 'decoding', 'encoding'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const script = `#!/bin/sh
filter='${decoding}'
case "$*" in *pipe:0*) filter='${encoding}' ;; esac
if [ -f "$filter" ]; then
  for last; do :; done
  n=$#; i=1
  while [ $i -lt $n ]; do set -- "$@" "$1"; shift; i=$((i + 1)); done
  shift
  exec ffmpeg "$@" -af "$(cat "$filter")" "$last"
fi
exec ffmpeg "$@"
`
  await writeFile(path, script)
  await chmod(path, 0o755)
  return {
    path,
    set: (text: string) => writeFile(decoding, text),
    setEncoder: (text: string) => writeFile(encoding, text),
    clear: () => Promise.all([decoding, encoding].map((filter) => rm(filter, { force: true }))),
  }
}

/** Kills what the worker decodes and encodes with, so that it starts them again. */
async function restartFfmpeg(worker: Process) {
  const children = (await childrenOf(worker.child.pid!)).filter(({ command }) => /ffmpeg/.test(command))
  for (const { pid } of children) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
}

type Air = Awaited<ReturnType<typeof followBroadcast>>

/** Position within the track at which the broadcast is, ms. */
function positionOf({ chunks }: Air): number {
  const { frame, frames } = chunks.at(-1)!
  const marker = chunks.flatMap(({ markers }) => markers).at(-1)
  return marker?.entryId == null ? 0 : marker.positionMs + (frame + frames - marker.frame) * FRAME_MS
}

/** Resolves when the broadcast has come to the first sound of the worker's newest decoder. */
async function soundOfNewDecoder(worker: Process, air: Air, before: number) {
  const replaced = /"position":(\d+),"msg":"decoder replaced"/
  await until('the decoder is replaced', () => replaced.test(worker.output.slice(before)))
  const fromMs = Number(replaced.exec(worker.output.slice(before))![1]) / SAMPLES_PER_MS
  await air.when('its sound is broadcast', () => positionOf(air) >= fromMs)
}

/** Loses frames on their way to Redis while no worker is on air; the next one goes on behind them. */
async function loseFrames({ bus }: Air, lost: number) {
  const lease = await bus.acquireLease(new AbortController().signal)
  const last = (await lease.lastChunk())!
  const frame = last.frame + last.frames + lost
  const marker = last.markers.at(-1)
  await lease.publish({
    ...last,
    frame,
    atMs: chunkEndMs(last) + lost * FRAME_MS,
    byte: last.byte + last.audio.length,
    markers:
      marker?.entryId == null
        ? []
        : [{ ...marker, frame, positionMs: marker.positionMs + (frame - marker.frame) * FRAME_MS }],
  })
  await lease.release()
}

/** The sound of an alarm is that of 5 s before and after its beginning, with a second that is missing where it was noticed. */
async function assertEvidence(t: Test, { env }: Station, alarmId: number) {
  const path = join(env.MEDIA_DIR!, 'alarms', `${alarmId}.mp3`)
  await until('the sound of the alarm is stored', () => existsSync(path))
  const sound = await decode(await readFile(path))
  const seconds = sound.length / SAMPLE_RATE
  t.ok(seconds > 9 && seconds < 10.5, `${seconds} s are kept`)
  const pitches = Array.from({ length: Math.floor(seconds * 4) }, (_, i) =>
    pitchOf(sound.subarray((i * SAMPLE_RATE) / 4, ((i + 1) * SAMPLE_RATE) / 4)),
  )
  // The pitch rises by 1.75 Hz from one to the next, and by 7 more where a second is missing.
  const jump = pitches.findIndex((hz, i) => i > 1 && hz - pitches[i - 2]! > 7) / 4
  t.comment(`the sound of an alarm: ${seconds.toFixed(1)} s, with the fault at ${jump} s`)
  t.ok(jump > 1 && jump < 7, `the second is missing at ${jump} s`)
}

t.test('each fault is heard, soon and with its cause', async (t) => {
  const ffmpeg = await faultyFfmpeg(t)
  const station = await prepareStation(t, songs, {
    MEDIA_STORAGE: 'local',
    ...(isLong && { STREAM_MOUNTS: 'mp3:128,aac:64,opus:64' }),
  })
  const own = station.env.FFMPEG_PATH
  station.env.FFMPEG_PATH = ffmpeg.path
  const worker = await station.startWorker()
  const air = await followBroadcast(t, station)
  station.env.FFMPEG_PATH = own ?? 'ffmpeg'
  const api = await station.startApi()
  const faulty = await startFaultyReplica(t, api.url)
  station.env.MONITOR_URLS = `${api.url},${faulty.url}`
  const jobs = await station.startJobs()
  await jobs.printed(/monitor listening/)
  const data = await station.openData()
  t.teardown(() => data.close())
  await until('the songs are measured', async () => (await data.measurements.find()).length === songs.length)
  const begun = async (source: string, cause: AlarmCause) =>
    (await data.alarms.find({ source, cause })).at(-1)
  const isOver = async () => (await data.alarms.find({ endedAt: null })).length === 0

  const soon = async (what: string, source: string, cause: AlarmCause) => {
    const sinceMs = performance.now()
    await until(`${what}: ${cause}`, async () => (await begun(source, cause))?.endedAt === null)
    const tookMs = performance.now() - sinceMs
    t.comment(
      `${what}: ${cause} after ${(tookMs / 1000).toFixed(1)} s, ${(await begun(source, cause))!.evidence}`,
    )
    const mostMs = (cause === 'silence' ? SILENCE_SOON_MS : SOON_MS) + (HEARD_AFTER_MS[what] ?? 0)
    if (air.machine.isQuick(t)) t.ok(tookMs < mostMs, `${what} within ${mostMs / 1000} s`)
  }

  await air.until(air.clock.nowMs() + CALM_MS)
  t.same(await data.alarms.find(), [], 'a programme without faults raises none')
  for (const [fault, cause] of isLong ? ofReplica : inShort) {
    faulty.set(fault)
    if (fault === 'late title') await air.bus.send({ type: 'skip' })
    const source = cause === 'old_playlist' ? `${faulty.url}/api/hls/mp3-128/live.m3u8` : faulty.url
    await soon(fault, source, cause)
    t.equal(await begun(api.url, cause), undefined, 'the replica behind it is well')
    if (fault === 'missing frames') await assertEvidence(t, station, (await begun(source, cause))!.id)
    if (fault === 'late title')
      t.match((await begun(source, cause))!.evidence, /Artist of (Rise - Rise|Soar - Soar)" is named while/)
    faulty.set('none')
    await until(`${fault} is over`, isOver)
  }
  for (const [what, filter, cause] of isLong ? ofDecoder : ofDecoder.slice(0, 2)) {
    if (positionOf(air) > LATEST_MS) await air.bus.send({ type: 'skip' })
    await air.when('the track is far from its end', () => positionOf(air) < LATEST_MS)
    await ffmpeg.set(filter)
    const before = worker.output.length
    await restartFfmpeg(worker)
    await soundOfNewDecoder(worker, air, before)
    await soon(what, api.url, cause)
    await ffmpeg.clear()
    await restartFfmpeg(worker)
    await until(`${what} is over`, isOver)
  }
  if (!isLong) return
  await ffmpeg.setEncoder('volume=30dB')
  await restartFfmpeg(worker)
  await soon('an encoder that clips', api.url, 'clipping')
  await ffmpeg.clear()
  await restartFfmpeg(worker)
  await until('the clipping is over', isOver)
  const before = (await data.alarms.find()).length
  await worker.end('SIGTERM')
  await loseFrames(air, LOST_FRAMES)
  await station.startWorker()
  await soon('a hole in the broadcast', STATION, 'missing_frames')
  await until('the hole is over', isOver)
  // The segment that lacks the frames is in no playlist.
  const blamed = (await data.alarms.find()).slice(before).filter(({ cause }) => cause !== 'old_playlist')
  t.match(
    blamed,
    [{ source: STATION, cause: 'missing_frames', evidence: /^mp3-128: / }],
    'no address is blamed',
  )
  t.equal(blamed.length, 1)
})

t.test('of two replicas only the one behind the fault is blamed, with its cause', async (t) => {
  const station = await prepareStation(t, [{ ...songs[0]!, seconds: 120 }])
  const [well, other] = await Promise.all([station.startApi(), station.startApi(), station.startWorker()])
  const faulty = await startFaultyReplica(t, other.url)
  station.env.MONITOR_URLS = `${well.url},${faulty.url}`
  const monitor = await station.startMonitor()
  await monitor.printed(/monitor listening/)
  const data = await station.openData()
  t.teardown(() => data.close())
  const blamed: string[][] = []
  // The recording of the first fault is old enough for the second when that one is over.
  for (const [fault, cause] of [
    ['other bytes', 'other_bytes'],
    ['old ring', 'old_sound'],
  ] as const) {
    faulty.set(fault)
    blamed.push([faulty.url, cause])
    const isBlamed = async () => (await data.alarms.find({ source: faulty.url, cause })).length > 0
    await until(`${fault} is heard`, isBlamed)
    faulty.set('none')
    await until(`${fault} is over`, async () => (await data.alarms.find({ endedAt: null })).length === 0)
  }
  t.same(
    (await data.alarms.find()).map(({ source, cause }) => [source, cause]),
    blamed,
  )
})
