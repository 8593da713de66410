import { request } from 'node:http'
import { openLocalMedia } from '@solstice/adapters'
import type { HistoryItem, PublicConfig } from '@solstice/contracts'
import { bufferOf, byteOfFrame, endOf, heardIn, storedParts } from '@solstice/station'
import t, { type Test } from 'tap'
import { decode, melody, pitch } from '../harness/audio/audio.ts'
import { start } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import {
  followBroadcast,
  listen,
  prepareStation,
  type Station,
  splitIcy,
} from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const BYTES_PER_S = 16_000
// Most of the time is spent listening: the stations of this file run side by side.
t.jobs = 3
const tones = [
  { name: 'Do', hz: 523, seconds: 4 },
  { name: 'Mi', hz: 659, seconds: 4 },
  { name: 'Sol', hz: 784, seconds: 4 },
  { name: 'Si', hz: 988, seconds: 4 },
]
const pitches = tones.map((tone) => tone.hz)

/** Runs of the same pitch: the tone, and its number of windows. */
function runs(heard: (number | null)[]): { hz: number | null; windows: number }[] {
  const found: { hz: number | null; windows: number }[] = []
  for (const hz of heard) {
    const last = found.at(-1)
    if (last?.hz === hz) last.windows++
    else found.push({ hz, windows: 1 })
  }
  return found
}

t.test('a station in stream mode', { buffered: true }, async (t) => {
  const station = await prepareStation(t, tones, { AIRCHECK_DAYS: '1', MEDIA_STORAGE: 'local' })
  const [one, two] = await Promise.all([station.startApi(), station.startApi(), station.startWorker()])
  const publicStream = '/api/stream/public.mp3'
  const startedListening = await listen(t, one.url + publicStream)
  const { response } = startedListening

  t.test('the public stream has Internet radio headers and an endless raw body', async (t) => {
    t.equal(response.statusCode, 200)
    t.match(response.headers, {
      'content-type': 'audio/mpeg',
      connection: 'close',
      server: /^Icecast/,
      'icy-name': 'Solstice',
      'icy-genre': 'Various',
      'icy-br': '128',
    })
    t.notOk(response.headers['transfer-encoding'])
    t.notOk(response.headers['content-length'])
    t.notOk(response.headers['icy-metaint'])
  })

  t.test('the right tones are heard, in the order of the history, without a gap', async (t) => {
    const body = await startedListening.received(20 * BYTES_PER_S)
    const history = (await (await fetch(`${one.url}/api/history`)).json()) as HistoryItem[]
    const samples = await decode(body)
    const all = runs(melody(samples.subarray(0, samples.length - 4410), pitches))
    const heard = all[0]!.hz === null ? all.slice(1) : all
    t.ok(
      all.length - heard.length === 0 || all[0]!.windows < 100,
      'at most a moment of silence before the very first',
    )
    t.notOk(
      heard.some((run) => run.hz === null),
      'never silent',
    )
    // A slow machine may miss the first moments of the very first track.
    const whole = heard.slice(1, -1)
    t.ok(whole.length >= 2)
    for (const run of whole) {
      t.ok(Math.abs(run.windows - 80) <= 1, `${run.hz} Hz lasts its 4 s: ${run.windows} windows of 50 ms`)
    }
    const names = heard.map((run) => tones.find((tone) => tone.hz === run.hz)?.name)
    t.match(history.map((item) => item.title).join(), names.slice(0, -1).join(), 'as the history says')
    t.ok(history.every((item, i) => i === 0 || item.playedAt > history[i - 1]!.playedAt))
  })

  t.test('ICY titles stand in blocks at exactly the promised bytes, and match the sound', async (t) => {
    const listening = await listen(t, one.url + publicStream, { 'Icy-MetaData': '1' })
    t.equal(listening.response.headers['icy-metaint'], '16000')
    const { audio, blocks } = splitIcy(await listening.received(14 * BYTES_PER_S), 16_000)
    t.ok(blocks.length >= 10)
    for (const block of blocks)
      t.match(block.text, /^StreamTitle='Artist of (Do|Mi|Sol|Si) - (Do|Mi|Sol|Si)';$/)
    const samples = await decode(audio)
    for (const block of blocks.slice(1)) {
      const title = / - (\w+)'/.exec(block.text)![1]
      const around = Math.round((block.at / BYTES_PER_S) * 44_100)
      const strengths = tones.map(
        (tone) =>
          [
            tone.name,
            Math.max(
              pitch(samples, tone.hz, around - 26_000, 4410),
              pitch(samples, tone.hz, Math.min(around + 22_000, samples.length - 4410), 4410),
            ),
          ] as const,
      )
      t.ok(strengths.find(([name]) => name === title)![1] > 0.05, `${title} is heard around byte ${block.at}`)
    }
  })

  t.test('two replicas serve identical bytes from the same frame, plain and with titles', async (t) => {
    const frame = Number((await listen(t, one.url + publicStream)).response.headers['x-stream-frame'])
    for (const headers of [{}, { 'Icy-MetaData': '1' }] as Record<string, string>[]) {
      const from = `${publicStream}?from=${frame}`
      const both = await Promise.all([listen(t, one.url + from, headers), listen(t, two.url + from, headers)])
      const [a, b] = await Promise.all(both.map((listening) => listening.received(12 * BYTES_PER_S)))
      t.equal(both[0]!.response.headers['x-stream-frame'], both[1]!.response.headers['x-stream-frame'])
      const common = Math.min(a!.length, b!.length)
      t.ok(a!.subarray(0, common).equals(b!.subarray(0, common)), `${common} bytes`)
      for (const listening of both) listening.stop()
    }
  })

  t.test('the burst is at least 3 s of sound, at once', async (t) => {
    const startedMs = performance.now()
    const listening = await listen(t, one.url + publicStream)
    await listening.received(3 * BYTES_PER_S)
    t.comment(`3 s of sound after ${Math.round(performance.now() - startedMs)} ms`)
    const response = await new Promise<number | undefined>((resolve) =>
      request(one.url + publicStream, { method: 'HEAD', agent: false }, (r) => resolve(r.statusCode)).end(),
    )
    t.equal(response, 200, 'HEAD answers without a body')
    await one.process.printed(/"method":"HEAD".*"msg":"stream probed"/)
  })

  t.test('a recorder that is killed is followed by another, without a hole or a frame twice', async (t) => {
    const air = await followBroadcast(t, station)
    const media = await openLocalMedia(station.env.MEDIA_DIR!)
    const written = /aircheck part written/
    const record = async () =>
      start(
        t,
        'node',
        [await programOf('tests/suites/air-recorder.ts')],
        { ...station.env, PART_FRAMES: '30' },
        'ipc',
      )
    const [first, second] = await Promise.all([record(), record()])
    await Promise.any([first.printed(written), second.printed(written)])
    await Promise.all([first.end('SIGKILL'), second.end('SIGKILL')])
    const known = (await storedParts(media)).length
    t.ok(known > 0)
    const third = await record()
    await third.printed(written)
    await until('the beginning of a track is recorded', async () => {
      const sounds = await Promise.all((await storedParts(media)).map((part) => heardIn(media, part)))
      return sounds.flat().some(({ kind, title }) => kind === 'track' && /^(Do|Mi|Sol|Si)$/.test(title))
    })
    const parts = await storedParts(media)
    t.ok(parts.length > known, 'the third goes on')
    for (const [i, part] of parts.entries())
      if (i > 0) t.equal(part.frame, endOf(parts[i - 1]!), `part ${i} follows the one before`)
    const [from, end] = [parts[0]!.frame, endOf(parts.at(-1)!)]
    await air.when('all of it was heard', () => endOf(air.chunks.at(-1)!) >= end)
    const recorded = await Promise.all(
      parts.map(async ({ key, bytes }) => bufferOf(await media.open(key, { start: 0, end: bytes - 1 }))),
    )
    const chunks = air.chunks.filter((chunk) => chunk.frame < end && endOf(chunk) > from)
    const heard = Buffer.concat(chunks.map(({ audio }) => audio))
    const at = (frame: number) => byteOfFrame(heard, frame - chunks[0]!.frame)
    t.ok(Buffer.concat(recorded).equals(heard.subarray(at(from), at(end))), `frames ${from} to ${end}`)
    await assertSameTracks(t, station)
    await third.end('SIGKILL')
  })

  t.test('the listener stream requires a token', async (t) => {
    const response = await fetch(`${one.url}/api/stream`)
    t.equal(response.status, 401)
    t.match(await response.json(), { error: { code: 'ART_TOKEN_INVALID', uk: String, en: String } })
  })
})

/** The engine comes to the tracks that were recorded, when it is told everything again. */
async function assertSameTracks(t: Test, station: Station) {
  const program = await programOf('scripts/station.ts')
  const span = [Date.now() - 3_600_000, Date.now() + 60_000].map((ms) => new Date(ms).toISOString())
  await until('the log of the recorded time is filed', async () => {
    const replay = start(t, 'node', [program, 'replay', '--from', span[0]!, '--to', span[1]!], station.env)
    t.equal(await replay.exited, 0, replay.output)
    return /the aircheck has the same tracks: \d+ comparison/.test(replay.output)
  })
}

t.test(
  'with an overlap, the end of a track and the start of the next are heard together',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, tones, { CROSSFADE_MS: '1000' })
    const [api] = await Promise.all([station.startApi(), station.startWorker()])
    const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
    const samples = await decode(await listening.received(16 * BYTES_PER_S))
    const windows = Array.from(
      { length: Math.floor(samples.length / 2205) - 4 },
      (_, i) => pitches.filter((hz) => pitch(samples, hz, (i + 2) * 2205, 2205) > 0.04).length,
    )
    const firstSound = windows.findIndex((count) => count > 0)
    t.notOk(windows.slice(firstSound).includes(0), 'never silent')
    t.ok(windows.filter((count) => count === 2).length >= 20, 'two tones at once while they cross')
  },
)

t.test(
  'with nothing to play the stream carries silence until there is music',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, [])
    const [api] = await Promise.all([station.startApi(), station.startWorker()])
    const listening = await listen(t, `${api.url}/api/stream/public.mp3`)
    const samples = await decode(await listening.received(3 * BYTES_PER_S))
    t.ok(samples.length > 2 * 44_100)
    t.ok(samples.every((sample) => Math.abs(sample) < 0.001))
    const config = (await (await fetch(`${api.url}/api/public/config`)).json()) as PublicConfig
    t.equal(config.streamMode, true)
  },
)

t.test('in sync mode there is no stream', { buffered: true }, async (t) => {
  const station = await prepareStation(t, tones, { STREAM_MODE: 'false' })
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const response = await fetch(`${api.url}/api/stream/public.mp3`)
  t.equal(response.status, 404)
  t.match(await response.json(), { error: { code: 'STREAM_OFF' } })
})
