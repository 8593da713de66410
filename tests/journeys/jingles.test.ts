import type { HistoryItem, RadioState, ServerPayload } from '@solstice/contracts'
import { defaultSettings, FRAME_MS, type FrameChunk } from '@solstice/station'
import t, { type Test } from 'tap'
import { decode, pitch } from '../harness/audio/audio.ts'
import { openSocket, type SocketClient } from '../harness/people/socket-client.ts'
import {
  followBroadcast,
  listen,
  prepareStation,
  type Station,
  splitIcy,
} from '../harness/stations/station.ts'

const SONG_S = 8
const JINGLE_S = 4
const PHRASE_BEFORE_END_S = 5
const JINGLE_HZ = 900
const PHRASE_HZ = 1500
const songs = [
  { name: 'Low', hz: 300, seconds: SONG_S },
  { name: 'High', hz: 400, seconds: SONG_S },
]

type Start = ServerPayload<'stream_track_start'>
type JingleStart = ServerPayload<'stream_jingle_start'>
type JingleEnd = ServerPayload<'stream_jingle_end'>

/** Three jingles and a phrase, with settings that play both after and over every song. */
async function addClips(station: Station) {
  await Promise.all([
    ...['one', 'two', 'three'].map((name) =>
      station.addClip('jingles', `${name}.mp3`, { hz: JINGLE_HZ, seconds: JINGLE_S }),
    ),
    station.addClip('phrases', 'phrase.mp3', { hz: PHRASE_HZ, seconds: 1, volume: 0.4 }),
  ])
  const data = await station.openData()
  const value = {
    ...defaultSettings.generation,
    JINGLES_ENABLED: true,
    JINGLES_FREQUENCY: 1,
    PHRASES_ENABLED: true,
    PHRASES_DEFAULT_TIME: false,
    PHRASES_TIME_SECONDS: PHRASE_BEFORE_END_S,
  }
  await data.settings.insert({ section: 'generation', value, revision: 1 })
  await data.close()
}

interface Span {
  fromMs: number
  toMs: number
  /** Its first frame, as ms since frame 0. */
  atFrameMs: number
  lengthMs: number
}

/**
 * Times at which a tone is heard, as spans of station time, ms, and how long each is by its frames, ms; accurate to about 5 ms. A
 * machine that stalls moves the times, and no frames.
 */
function spansOf(samples: Float32Array, hz: number, chunks: FrameChunk[]): Span[] {
  const window = 441
  const spans: Span[] = []
  for (let at = 0; at + window <= samples.length; at += window / 2) {
    const from = Math.floor(at)
    // With the middle of the window at the start of the tone, half of it is heard.
    if (pitch(samples, hz, from, window) < 0.14) continue
    const frame = chunks[0]!.frame + (from + window / 2) / 1152
    const chunk = chunks.findLast((candidate) => candidate.frame <= frame)!
    const ms = chunk.atMs + (frame - chunk.frame) * FRAME_MS
    const last = spans.at(-1)
    const frameMs = frame * FRAME_MS
    if (last && frameMs - last.atFrameMs - last.lengthMs < 100)
      Object.assign(last, { toMs: ms, lengthMs: frameMs - last.atFrameMs })
    else spans.push({ fromMs: ms, toMs: ms, atFrameMs: frameMs, lengthMs: 0 })
  }
  return spans
}

const isNear = (t: Test, a: number, b: number, what: string) =>
  t.ok(Math.abs(a - b) <= 2 * FRAME_MS, `${what}: ${Math.round(a - b)} ms apart`)

t.test('J, P: jingles between songs and a phrase over their end survive a dead worker', async (t) => {
  const station = await prepareStation(t, songs)
  await addClips(station)
  const air = await followBroadcast(t, station)
  const [one, two, worker] = await Promise.all([
    station.startApi(),
    station.startApi(),
    station.startWorker().then(async (worker) => {
      await worker.printed(/the station is on air/)
      return worker
    }),
    station.startJobs(),
  ])
  await station.startWorker()
  const clients = [openSocket(t, one.url), openSocket(t, two.url)] as const
  const [client, other] = clients
  const icy = await listen(t, `${one.url}/api/stream/public.mp3`, { 'Icy-MetaData': '1' })

  // Sound from before the sockets connected was not announced to them.
  const syncs = await Promise.all(clients.map((socket) => socket.first<RadioState>('sync')))
  let sinceMs = Math.max(...syncs.map(({ serverTimeMs }) => serverTimeMs))
  const nextJingle = () =>
    client.first<JingleStart>('stream_jingle_start', ({ serverTs }) => serverTs > sinceMs)
  let first = await nextJingle()
  for (;;) {
    const skipped = await air.bus.send({ type: 'skip' })
    const seeks = [await client.ask('stream_get_seek', 1), await client.ask('stream_get_seek', 2)]
    // Replies that arrived after the jingle ended prove nothing: there is another one.
    if (air.clock.nowMs() < first.serverTs + JINGLE_S * 1000 - 500) {
      t.same(skipped, { ok: false, code: 'JINGLE_IN_PROGRESS' })
      t.same(seeks[0], seeks[1], 'the song clock stands still')
      break
    }
    sinceMs = air.clock.nowMs()
    first = await nextJingle()
  }
  sinceMs = first.serverTs
  const second = await nextJingle()
  t.not(second.jingleId, first.jingleId, 'never the same jingle twice')
  await worker.end('SIGKILL')
  const end = await client.first<JingleEnd>('stream_jingle_end', ({ serverTs }) => serverTs > second.serverTs)
  const isLast = ({ serverTs }: Start) => serverTs >= end.serverTs
  const last = await client.first('stream_track_start', isLast)
  await other.first('stream_track_start', isLast)
  await air.until(last.serverTs + 2_000)

  const { chunks } = air
  const holes = chunks.filter((chunk, i) => i && chunk.frame !== chunks[i - 1]!.frame + chunks[i - 1]!.frames)
  t.same(holes, [], 'every frame number once')
  const samples = await decode(Buffer.concat(chunks.map(({ audio }) => audio)))
  /** From the first jingle to the start of the song after the second: all of it was announced. */
  const isTold = (atMs: number) => atMs > first.serverTs - 1_000 && atMs < last.serverTs + 1_000
  const told = (own: SocketClient) =>
    own.heard
      .filter(({ event }) => /^stream_/.test(event))
      .map(({ event, payload }) => ({ event, payload: payload as JingleStart | JingleEnd | Start }))
      .filter(({ payload: { serverTs } }) => serverTs >= first.serverTs && serverTs <= last.serverTs)
  const toldOf = (name: string) =>
    told(client).flatMap(({ event, payload }) => (event === `stream_${name}` ? [payload] : []))
  t.same(
    told(client).map(({ event }) => event.replace('stream_', '')),
    ['jingle_start', 'jingle_end', 'track_start', 'jingle_start', 'jingle_end', 'track_start'],
    'each start and end is announced once',
  )
  t.same(told(other), told(client), 'sockets of both replicas are told the same')

  const jingles = spansOf(samples, JINGLE_HZ, chunks).filter(({ fromMs }) => isTold(fromMs))
  const ends = toldOf('jingle_end')
  t.equal(jingles.length, 2)
  for (const [i, { serverTs }] of toldOf('jingle_start').entries()) {
    const { fromMs, toMs, lengthMs } = jingles[i]!
    isNear(t, fromMs, serverTs, 'a jingle starts when that is said')
    isNear(t, toMs, ends[i]!.serverTs, 'and ends')
    isNear(t, lengthMs, JINGLE_S * 1000, 'it is heard whole')
  }
  const heardSongs = songs
    .flatMap(({ name, hz }) => spansOf(samples, hz, chunks).map((span) => ({ ...span, name })))
    .sort((a, b) => a.fromMs - b.fromMs)
  const toldSongs = heardSongs.filter(({ fromMs }) => fromMs > first.serverTs && isTold(fromMs))
  t.equal(toldSongs.length, 2)
  for (const [i, { fromMs, name }] of toldSongs.entries()) {
    const start = toldOf('track_start')[i] as Start
    t.equal(start.trackId, `day/${name}.mp3`)
    isNear(t, fromMs, start.serverTs, 'a song starts when that is said')
    t.equal(start.serverTs, ends[i]!.serverTs, 'as the jingle before it ends')
  }

  const song = toldSongs[0]!
  const phrase = spansOf(samples, PHRASE_HZ, chunks).find(({ fromMs }) => fromMs > song.fromMs)
  t.ok(phrase, 'a phrase is heard')
  isNear(t, phrase!.atFrameMs - song.atFrameMs, (SONG_S - PHRASE_BEFORE_END_S) * 1000, 'in its place')
  isNear(t, phrase!.lengthMs, 1_000, 'whole')
  isNear(t, song.lengthMs, SONG_S * 1000, 'over a song that goes on')

  const shown = clients
    .flatMap((own) => own.all('sync') as RadioState[])
    .filter(({ serverTimeMs }) =>
      jingles.some(({ fromMs, toMs }) => fromMs + 100 < serverTimeMs && serverTimeMs < toMs - 100),
    )
  t.ok(shown.length > 0)
  for (const { track, seek, duration, isPlaying } of shown) {
    t.ok(songs.some(({ name }) => track === `day/${name}.mp3`))
    t.ok(isPlaying && Math.abs(seek - duration) < 0.1, `during a jingle the song stands at ${seek} s`)
  }
  const titles = splitIcy(icy.bytes(), 16_000).blocks.map(({ text }) => text)
  t.ok(titles.length > 15)
  t.ok(
    titles.every((text) => /^StreamTitle='(Artist of (Low|High) - (Low|High))?';$/.test(text)),
    'titles are those of songs',
  )
  const history = (await (await fetch(`${one.url}/api/history`)).json()) as HistoryItem[]
  // The first and the last may have been heard in part; the borders lie far from any beginning.
  const starts = heardSongs.map(({ fromMs }) => fromMs)
  const fromMs = (starts[0]! + starts[1]!) / 2
  const toMs = (starts.at(-2)! + starts.at(-1)!) / 2
  t.same(
    history.filter(({ playedAt }) => playedAt > fromMs && playedAt < toMs).map(({ title }) => title),
    heardSongs.slice(1, -1).map(({ name }) => name),
    'history knows songs, each once',
  )
})
