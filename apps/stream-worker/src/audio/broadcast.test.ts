import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AirEntry, AirPlan, Phrase, QueueEntry } from '@solstice/playout'
import { chunkEndMs, FRAME_MS, type FrameChunk, type SoundMarker } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { decode, makeTone, melody, pitch } from '../../../../tests/harness/audio/audio.ts'
import { isAlive, type Teardown, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { inTime, until, waiting } from '../../../../tests/harness/until.ts'
import { type Broadcast, type PlaybackPlan, startBroadcast } from './broadcast.ts'
import { createFrameChunks } from './frame-chunks.ts'

const RATE = 44_100
const FRAME = 1152
const START_MS = 1_700_000_000_000
const AHEAD_MS = 1500
const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' })

/** Tracks one after the other, then silence; the least that a broadcast can be given. */
class Playlist implements PlaybackPlan {
  readonly entries: AirEntry[]
  /** By the id of their entry. */
  readonly phrases: Record<string, Phrase>
  readonly ended: string[] = []
  readonly unplayables: string[] = []
  index = 0
  startedAtMs: number | null = null

  constructor(entries: AirEntry[], phrases: Record<string, Phrase> = {}) {
    this.entries = entries
    this.phrases = phrases
  }
  at(atMs: number): AirPlan {
    const entry = this.entries[this.index]
    if (!entry) return { current: null, next: null }
    this.startedAtMs ??= atMs
    if (atMs < this.startedAtMs) return { current: null, next: entry, beginsAtMs: this.startedAtMs }
    const positionMs = atMs - this.startedAtMs
    const phrase = this.phrases[entry.entryId]
    return {
      current: { entry, positionMs, ...(phrase && { phrase }) },
      next: this.entries[this.index + 1] ?? null,
    }
  }
  soundEnded(entryId: string, atMs: number) {
    this.ended.push(entryId)
    this.go(entryId, this.index + 1, atMs)
  }
  unplayable(entryId: string, atMs: number) {
    this.unplayables.push(entryId)
    if (this.entries[this.index]?.entryId === entryId) this.go(entryId, this.index + 1, atMs)
    else this.remove(entryId)
  }
  blank(entryId: string) {
    throw new Error(`${entryId} is no silence`)
  }
  late(entryId: string) {
    throw new Error(`${entryId} is not late`)
  }
  go(fromId: string, index: number, atMs: number) {
    if (this.entries[this.index]?.entryId !== fromId) throw new Error(`${fromId} is not on air`)
    this.index = index
    this.startedAtMs = atMs
  }
  clipUnplayable(clipId: string, atMs: number) {
    this.unplayables.push(clipId)
    const jingle = this.entries.find((entry) => 'clip' in entry && entry.clip.id === clipId)
    if (!jingle) delete this.phrases[this.entries[this.index]!.entryId]
    else if (jingle === this.entries[this.index]) this.go(jingle.entryId, this.index + 1, atMs)
    else this.remove(jingle.entryId)
  }
  remove(entryId: string) {
    const at = this.entries.findIndex((entry) => entry.entryId === entryId)
    if (at > this.index) this.entries.splice(at, 1)
  }
}

function entry(name: string, seconds: number | null): QueueEntry {
  const durationMs = seconds === null ? null : seconds * 1000
  const track = { id: name, title: `Title ${name}`, artist: 'Artist', album: '', year: null, durationMs }
  return { entryId: `entry-${name}`, track, orderType: null, tier: null }
}

function jingle(name: string, seconds: number | null, after: QueueEntry): AirEntry {
  return { entryId: `jingle-${name}`, clip: clip(name, seconds), after }
}

function clip(name: string, seconds: number | null) {
  return { id: `clip-${name}`, media: name, durationMs: seconds === null ? null : seconds * 1000 }
}

interface Air {
  readonly chunks: FrameChunk[]
  readonly broadcast: Broadcast
  nowMs(): number
  /** The clock goes on by so much at once, as it does for a process that was not run for a while. */
  pass(ms: number): void
  /** Resolves when so many seconds were published. */
  published(seconds: number): Promise<void>
}

interface AirOptions {
  after?: FrameChunk | null
  crossfadeMs?: number
  speed?: number
  lateMs?: number
  /** From `afterMs` after the start the clock runs at a tenth of its speed, until `until` is true. */
  crawls?: { afterMs: number; until(): boolean }
}

/** Broadcasts faster than real time; the clock waits when it is too far ahead of what was published. */
function onAir(t: Teardown, folder: string, plan: PlaybackPlan, options: AirOptions = {}): Air {
  const { after = null, crossfadeMs = 0, speed = 20, lateMs = 0, crawls } = options
  let clockMs = after ? endOf(after) + lateMs : START_MS
  let limitMs = clockMs + AHEAD_MS
  let leapMs = 0
  let readAt = performance.now()
  const chunks: FrameChunk[] = []
  const news = waiting()
  const seconds = () => (chunks.length * 19 * FRAME) / RATE
  const nowMs = () => {
    const at = performance.now()
    if (leapMs > 0) {
      clockMs += leapMs
      limitMs = clockMs + AHEAD_MS
      readAt = at
      leapMs = 0
    }
    const crawlsFromMs = crawls && !crawls.until() ? START_MS + crawls.afterMs : Number.POSITIVE_INFINITY
    const aheadMs = Math.max(clockMs, crawlsFromMs) + (at - readAt) / 10
    clockMs = Math.max(clockMs, Math.min(limitMs, aheadMs, clockMs + (at - readAt) * speed))
    readAt = at
    return clockMs
  }
  const broadcast = startBroadcast({
    plan,
    source: async (media) => join(folder, `${media}.mp3`),
    async publish(chunk) {
      chunks.push(chunk)
      limitMs = Math.max(limitMs, endOf(chunk) + AHEAD_MS)
      news.changed()
    },
    nowMs,
    after,
    settings: { ffmpegPath: 'ffmpeg', bitrate: 128, crossfadeMs },
    log,
  })
  t.teardown(() => broadcast.stop())
  return {
    chunks,
    broadcast,
    nowMs,
    pass(ms) {
      leapMs += ms
    },
    published: (wanted) => news.until(`${wanted} s are published`, () => seconds() >= wanted),
  }
}

const endOf = (chunk: FrameChunk) => chunk.atMs + (chunk.frames * FRAME * 1000) / RATE

/** The markers at the start of tracks and jingles. */
const starts = (chunks: FrameChunk[]) =>
  chunks
    .flatMap((chunk) => chunk.markers)
    .filter((marker) => marker.entryId !== null && marker.positionMs < 26)

const soundOf = (chunks: FrameChunk[]) => decode(Buffer.concat(chunks.map((chunk) => chunk.audio)))

/** The sine of this pitch that fits best to a second of sound. */
function fit(samples: Float32Array, hz: number, from: number, count = RATE / 2) {
  const w = (2 * Math.PI * hz) / RATE
  let sin = 0
  let cos = 0
  for (let i = from; i < from + count; i++) {
    sin += samples[i]! * Math.sin(w * i)
    cos += samples[i]! * Math.cos(w * i)
  }
  return { w, sin: (2 * sin) / count, cos: (2 * cos) / count }
}

/** How far the sound departs from one unbroken sine; a sample lost or a click shows. */
function deviation(samples: Float32Array, hz: number, from: number, to: number): number {
  const { w, sin, cos } = fit(samples, hz, from)
  let largest = 0
  for (let i = from; i < to; i++) {
    largest = Math.max(largest, Math.abs(samples[i]! - sin * Math.sin(w * i) - cos * Math.cos(w * i)))
  }
  return largest
}

/** By how many samples a tone begins elsewhere than at `start`, told from its phase in the sound after it. */
function startError(samples: Float32Array, hz: number, start: number): number {
  const { w, sin, cos } = fit(samples, hz, start + RATE / 4)
  const period = RATE / hz
  const error = (((-Math.atan2(cos, sin) / w - start) % period) + period) % period
  return Math.min(error, period - error)
}

function consecutive(t: Verdict, chunks: FrameChunk[]) {
  for (let i = 1; i < chunks.length; i++) {
    const [before, chunk] = [chunks[i - 1]!, chunks[i]!]
    const endMs = endOf(before)
    if (chunk.frame !== before.frame + before.frames) t.fail(`frame ${chunk.frame} after ${before.frame}`)
    if (chunk.byte !== before.byte + before.audio.length) t.fail(`byte ${chunk.byte} at ${chunk.frame}`)
    if (Math.abs(chunk.atMs - endMs) > 0.01) t.fail(`${chunk.frame} is due ${chunk.atMs - endMs} ms late`)
  }
  t.pass(`${chunks.length} chunks without a hole`)
}

interface Verdict {
  pass(what: string): unknown
  fail(what: string): unknown
}

/** A track that is not over before all is done to it, however slow the machine. */
const LONG_S = 200

t.test('the plan on the air', async (t) => {
  const folder = await temporaryFolder(t)
  const tone = (hz: number, seconds: number) => makeTone(join(folder, `${hz}.mp3`), { hz, seconds })
  await Promise.all([tone(300, 3), tone(450, 2.5), tone(600, 4), tone(750, 40), tone(900, 0.4)])
  await tone(700, LONG_S)
  await writeFile(join(folder, 'letter.mp3'), 'Dear listener, this is no music at all. '.repeat(100))
  await writeFile(join(folder, 'empty.mp3'), '')
  await writeFile(join(folder, 'list.mp3'), "ffconcat version 1.0\nfile '300.mp3'\n")
  const whole = await readFile(join(folder, '750.mp3'))
  await writeFile(join(folder, 'cut.mp3'), whole.subarray(0, whole.length / 4))

  t.test('tracks follow one another to the sample, and markers say when', async (t) => {
    const plan = new Playlist([entry('300', 3), entry('450', 2.5), entry('600', 4)])
    const air = onAir(t, folder, plan)
    await air.published(10.5)
    await air.broadcast.stop()
    const sound = await soundOf(air.chunks)
    consecutive(t, air.chunks)
    t.equal(air.chunks[0]!.frame, Math.floor(air.chunks[0]!.atMs / FRAME_MS), 'numbers begin with the time')
    t.equal(sound.length, air.chunks.length * 19 * FRAME, 'each frame is 1152 samples')

    for (const [hz, start, end] of [
      [300, 0, 3],
      [450, 3, 5.5],
      [600, 5.5, 9.5],
    ] as const) {
      t.ok(startError(sound, hz, start * RATE) < 1, `${hz} Hz begins at ${start} s to the sample`)
      t.ok(deviation(sound, hz, start * RATE + 2000, end * RATE - 2000) < 0.05, `${hz} Hz is unbroken`)
    }
    const heard = melody(sound, [300, 450, 600])
    t.strictSame(
      heard.slice(0, 190).filter((hz) => hz === null),
      [],
      'no silence in between',
    )
    t.strictSame(new Set(heard.slice(192)), new Set([null]), 'silence after the last one')
    t.strictSame(plan.ended, ['entry-300', 'entry-450', 'entry-600'])

    const first = air.chunks[0]!.frame
    t.match(starts(air.chunks), [
      { frame: first, entryId: 'entry-300', trackId: '300', title: 'Title 300', durationMs: 3000 },
      { frame: first + Math.ceil((3 * RATE) / FRAME), entryId: 'entry-450', artist: 'Artist' },
      { frame: first + Math.ceil((5.5 * RATE) / FRAME), entryId: 'entry-600' },
    ])
    for (const chunk of air.chunks.slice(0, 18)) {
      const [marker] = chunk.markers
      t.equal(marker?.frame, chunk.frame, 'a chunk begins with what is heard at its first frame')
    }
    t.strictSame(
      air.chunks.flatMap((chunk) => chunk.markers).filter((marker) => marker.entryId === null),
      [{ frame: first + Math.ceil((9.5 * RATE) / FRAME), entryId: null }],
      'silence has a marker where it begins, and none in the chunks after it',
    )
    t.strictSame(air.chunks.at(-1)?.markers, [])
  })

  t.test('a crossfade overlaps the tracks with equal power', async (t) => {
    const plan = new Playlist([entry('300', 3), entry('600', 4), entry('900', 0.4), entry('450', 2.5)])
    const air = onAir(t, folder, plan, { crossfadeMs: 1000 })
    await air.published(10)
    await air.broadcast.stop()
    const sound = await soundOf(air.chunks)
    const alone = pitch(sound, 300, RATE / 2, RATE)
    const at = (seconds: number, hz: number) =>
      pitch(sound, hz, Math.round(seconds * RATE) - 1102, 2205) / alone
    t.ok(at(1.8, 300) > 0.95 && at(1.8, 600) < 0.05, 'before it the first one alone')
    t.ok(Math.abs(at(2.5, 300) - Math.SQRT1_2) < 0.08, 'in its middle both at 0.71: the first')
    t.ok(Math.abs(at(2.5, 600) - Math.SQRT1_2) < 0.08, 'and the second')
    t.ok(at(3.1, 300) < 0.05 && at(3.1, 600) > 0.95, 'after it the second one alone')
    t.ok(startError(sound, 600, 2 * RATE) < 1, 'the second one begins with the fade')
    t.ok(
      at(5.75, 900) < 0.05 && at(5.9, 600) > 0.5 && at(5.9, 900) > 0.5,
      "with a short track it is half that track's length",
    )
    t.ok(startError(sound, 450, Math.round(6 * RATE)) < 1)
  })

  t.test('a jingle sits between two tracks to the sample, and a phrase over the end of one', async (t) => {
    const short = (hz: number, seconds: number, volume?: number) =>
      makeTone(join(folder, `${hz}.mp3`), { hz, seconds, ...(volume && { volume }) })
    await Promise.all([short(1050, 1.2), short(1500, 0.5, 0.4)])
    const tracks = [entry('300', 3), entry('450', 2.5), entry('600', 4)] as const
    const plan = new Playlist(
      [tracks[0], jingle('1050', null, tracks[0]), tracks[1], jingle('letter', 3, tracks[1]), tracks[2]],
      {
        'entry-300': { clip: clip('missing', 1), fromMs: 500 },
        'entry-450': { clip: clip('1500', 0.5), fromMs: 1000 },
      },
    )
    const air = onAir(t, folder, plan, {
      crossfadeMs: 1000,
      // The missing jingle must be known before the tracks overlap at 5.7 s.
      crawls: { afterMs: 4_500, until: () => plan.unplayables.includes('clip-letter') },
    })
    await air.published(9)
    await air.broadcast.stop()
    consecutive(t, air.chunks)
    const sound = await soundOf(air.chunks)
    t.ok(startError(sound, 1050, 3 * RATE) < 1, 'there is no overlap with a jingle')
    t.ok(deviation(sound, 1050, 3 * RATE + 2000, Math.round(4.2 * RATE) - 2000) < 0.05)
    t.ok(startError(sound, 450, Math.round(4.2 * RATE)) < 1, 'nor behind it')
    const at = (seconds: number, hz: number) => pitch(sound, hz, Math.round(seconds * RATE), 2205)
    for (const seconds of [4.3, 5.1, 5.71]) t.ok(at(seconds, 1500) < 0.01, `no phrase at ${seconds} s`)
    for (const seconds of [5.22, 5.6]) {
      // Its file is a tenth as loud as the track's.
      const strength = at(seconds, 1500) / at(4.6, 450)
      t.ok(Math.abs(strength - 0.9) < 0.04, `nine times as loud as its file: ${strength}`)
      t.ok(Math.abs(at(seconds, 450) / at(4.6, 450) - 1) < 0.05, 'over a track as loud as before')
    }
    t.strictSame(plan.unplayables.toSorted(), ['clip-letter', 'clip-missing'])
    t.ok(startError(sound, 600, Math.round(5.7 * RATE)) < 1, 'without it tracks overlap again')

    const first = air.chunks[0]!.frame
    const heard = starts(air.chunks)
    t.match(heard[1], {
      frame: first + Math.ceil((3 * RATE) / FRAME),
      entryId: 'jingle-1050',
      trackId: '300',
      title: 'Title 300',
      jingle: { id: 'clip-1050', media: '1050' },
    })
    t.match(heard[2], { frame: first + Math.ceil((4.2 * RATE) / FRAME), entryId: 'entry-450' })

    for (const [cut, tone, index, startedMs] of [
      [7, 1050, 1, 3000],
      [11, 1500, 2, 4200],
      // For the engine the track is already over: only its end remains to be heard, with its phrase.
      [11, 1500, 4, 6700],
    ] as const) {
      const after = air.chunks[cut - 1]!
      const again = new Playlist([...plan.entries], plan.phrases)
      again.index = index
      again.startedAtMs = START_MS + startedMs
      const other = onAir(t, folder, again, { after, crossfadeMs: 1000 })
      await other.published(1.5)
      await other.broadcast.stop()
      const both = await soundOf([...air.chunks.slice(0, cut), ...other.chunks])
      const from = (cut * 19 - 2) * FRAME
      t.ok(pitch(both, tone, from, 4 * FRAME) > 0.3, `${tone} Hz goes on where a worker takes over`)
      t.ok(Math.abs(pitch(both, tone, from, 4 * FRAME) - pitch(sound, tone, from, 4 * FRAME)) < 0.05)
      t.ok(pitch(both, tone, both.length - 2205, 2205) < 0.01, 'and is not heard again')
    }
  })

  t.test('a track that cannot be decoded is left out without a gap', async (t) => {
    const plan = new Playlist([
      entry('empty', 5),
      entry('300', 3),
      entry('letter', 200),
      entry('missing', null),
      entry('list', 5),
      entry('600', 4),
    ])
    const air = onAir(t, folder, plan)
    await air.published(7.5)
    await air.broadcast.stop()
    const sound = await soundOf(air.chunks)
    t.strictSame(plan.unplayables, ['entry-empty', 'entry-letter', 'entry-missing', 'entry-list'])
    t.ok(startError(sound, 300, 0) < 1, 'the broadcast begins with the first one that can be heard')
    t.ok(startError(sound, 600, 3 * RATE) < 1)
    t.strictSame(
      melody(sound, [300, 600])
        .slice(0, 138)
        .filter((hz) => hz === null),
      [],
    )
  })

  t.test('a truncated file just ends, and one that dies at once is followed by 2 s of silence', async (t) => {
    const plan = new Playlist([entry('cut', 40), entry('900', 60), entry('300', 3)])
    const air = onAir(t, folder, plan)
    await air.published(16)
    await air.broadcast.stop()
    const heard = melody(await soundOf(air.chunks), [750, 900, 300])
    const runs = heard.filter((hz, i) => hz !== heard[i - 1])
    t.strictSame(runs.slice(0, 5), [750, 900, null, 300, null])
    const silent = heard.slice(heard.indexOf(900), heard.indexOf(300)).filter((hz) => hz === null).length
    t.ok(silent >= 38 && silent <= 42, `silence of ${silent * 50} ms`)
    t.strictSame(plan.unplayables, [])
  })

  t.test('every file is resampled to one rate, even when its own changes midway', async (t) => {
    const run = promisify(execFile)
    const part = async (rate: number, channels: number) => {
      const source = `sine=frequency=600:sample_rate=${rate}:duration=2`
      const args = `-loglevel error -f lavfi -i ${source} -af volume=4 -ac ${channels} -write_xing 0 -f mp3 pipe:1`
      return (await run('ffmpeg', args.split(' '), { encoding: 'buffer' })).stdout
    }
    const parts = [
      await part(44_100, 2),
      await part(48_000, 1),
      Buffer.alloc(3000, 'x'),
      await part(22_050, 2),
    ]
    await writeFile(join(folder, 'mixed.mp3'), Buffer.concat(parts))
    const plan = new Playlist([entry('mixed', null), entry('300', null)])
    const air = onAir(t, folder, plan)
    await air.published(10)
    await air.broadcast.stop()
    const heard = melody(await soundOf(air.chunks), [300, 600])
    t.ok(heard.filter((hz) => hz === 600).length >= 115, 'about 6 s of the first')
    t.ok(heard.filter((hz) => hz === 300).length >= 59, 'and all of the one after it')
    t.strictSame([plan.unplayables, plan.ended[0]], [[], 'entry-mixed'])
  })

  t.test('with nothing to play there is silence, and a new plan is heard at once', async (t) => {
    const plan = new Playlist([])
    const air = onAir(t, folder, plan)
    await air.published(2)
    plan.entries.push(entry('300', 3))
    air.broadcast.planChanged()
    await air.published(8)
    await air.broadcast.stop()
    const heard = melody(await soundOf(air.chunks), [300])
    t.strictSame(new Set(heard.slice(0, 40)), new Set([null]))
    t.ok(heard.filter((hz) => hz === 300).length >= 60, 'all of it')
    consecutive(t, air.chunks)
  })

  t.test(
    'a skip changes to the next entry, prepared or not, and the one left does not end by itself',
    async (t) => {
      const plan = new Playlist([entry('750', 40), entry('600', 4), entry('300', 3)])
      let isSkipped = false
      const isNextHeard = () =>
        air.chunks.some(({ markers }) => markers.some((marker) => marker.entryId === 'entry-600'))
      // A decoder that is not prepared needs its time, on a slow machine more.
      const air = onAir(t, folder, plan, {
        speed: 4,
        crawls: { afterMs: 0, until: () => !isSkipped || isNextHeard() },
      })
      await air.published(2)
      const skippedAtMs = air.nowMs()
      isSkipped = true
      plan.go('entry-750', 1, skippedAtMs)
      air.broadcast.planChanged()
      air.broadcast.planChanged()
      await air.published(9)
      await air.broadcast.stop()
      const heard = melody(await soundOf(air.chunks), [750, 600, 300])
      t.strictSame(
        heard.filter((hz, i) => hz !== null && hz !== heard[i - 1]),
        [750, 600, 300],
      )
      t.strictSame(plan.ended.slice(0, 1), ['entry-600'])
      const gap = heard.slice(0, heard.indexOf(300)).filter((hz) => hz === null).length
      t.equal(gap, 0, 'no silence at the skip')
    },
  )

  t.test('a takeover after a chunk continues the sound to the sample', async (t) => {
    const plan = new Playlist([entry('750', 40)])
    const before = onAir(t, folder, plan)
    await before.published(9)
    await before.broadcast.stop()
    for (const kept of [1, 7, 16]) {
      const chunks = before.chunks.slice(0, kept)
      const air = onAir(t, folder, plan, { after: chunks.at(-1)!, lateMs: 6000 })
      await air.published(8)
      await air.broadcast.stop()
      const all = [...chunks, ...air.chunks]
      consecutive(t, all)
      const sound = await soundOf(all)
      t.ok(deviation(sound, 750, 2000, sound.length) < 0.05, `cut after ${kept} chunks`)
    }
  })

  t.test(
    'a takeover just before the end of a track that is over for the engine plays that end first',
    async (t) => {
      const plan = new Playlist([entry('300', 3), entry('600', 4)])
      const before = onAir(t, folder, plan)
      await before.published(5)
      await before.broadcast.stop()
      t.strictSame(plan.ended, ['entry-300'])
      const chunks = before.chunks.slice(0, 5)
      const air = onAir(t, folder, plan, { after: chunks.at(-1)!, lateMs: 4000 })
      air.broadcast.planChanged()
      await air.published(4)
      await air.broadcast.stop()
      const all = [...chunks, ...air.chunks]
      const sound = await soundOf(all)
      consecutive(t, all)
      t.ok(deviation(sound, 300, 2000, 3 * RATE - 2000) < 0.05)
      t.ok(startError(sound, 600, 3 * RATE) < 1)
      t.equal(plan.ended.filter((id) => id === 'entry-300').length, 1, 'the end is told once')
      t.equal(air.chunks[0]?.markers[0]?.entryId, 'entry-300')
    },
  )

  t.test('a takeover just before a track is cut plays it to the cut', async (t) => {
    const plan = new Playlist([entry('750', 40), entry('300', 3)])
    const before = onAir(t, folder, plan)
    await before.published(5)
    await before.broadcast.stop()
    const chunks = before.chunks.slice(0, 5)
    const last = chunks.at(-1)!
    const cut = (last.frame + last.frames - chunks[0]!.frame) * FRAME + RATE / 4
    plan.go('entry-750', 1, chunkEndMs(last) + 250)
    const air = onAir(t, folder, plan, { after: last, lateMs: 4000 })
    await air.published(4)
    await air.broadcast.stop()
    const sound = await soundOf([...chunks, ...air.chunks])
    consecutive(t, [...chunks, ...air.chunks])
    t.ok(deviation(sound, 750, 2000, cut - 2 * FRAME) < 0.05, 'not a sample of it is missing')
    t.ok(pitch(sound, 300, cut + 2 * FRAME, 4 * FRAME) > 0.3, 'what follows begins at the cut')
    t.equal(air.chunks[0]?.markers[0]?.entryId, 'entry-750')
    t.notOk(plan.ended.includes('entry-750'))
  })

  t.test('a takeover long after continues only the numbers', async (t) => {
    const plan = new Playlist([entry('300', 3)])
    const after = {
      frame: 5000,
      frames: 19,
      atMs: START_MS - 60_000,
      byte: 77,
      audio: Buffer.alloc(10),
      markers: [],
    }
    const air = onAir(t, folder, plan, { after, lateMs: 16_000 })
    await air.published(1)
    await air.broadcast.stop()
    t.match(air.chunks[0], { frame: 5019, byte: 87 })
    t.ok(air.chunks[0]!.atMs >= START_MS - 60_000 + 16_000)
  })

  t.test('after a pause too long to catch up with, time starts again and the numbers continue', async (t) => {
    const air = onAir(t, folder, new Playlist([entry('750', 40)]))
    await air.published(3)
    air.pass(25_000)
    await air.published(8)
    await air.broadcast.stop()
    const jumps = air.chunks.flatMap((chunk, i) => {
      const before = air.chunks[i - 1]
      if (!before) return []
      t.equal(chunk.frame, before.frame + before.frames)
      const ms = chunk.atMs - endOf(before)
      return Math.abs(ms) > 1 ? [{ ms, chunk }] : []
    })
    t.equal(jumps.length, 1)
    t.ok(jumps[0]!.ms > 20_000 && jumps[0]!.ms < 31_000)
    const marker = jumps[0]!.chunk.markers.at(-1) as SoundMarker
    const playedMs = jumps[0]!.chunk.atMs - air.chunks[0]!.atMs
    t.ok(Math.abs(marker.positionMs - playedMs) < 600, 'the track is where the engine says it is')
  })

  t.test('an encoder that is killed or hangs is replaced, and nobody hears it', async (t) => {
    const air = onAir(t, folder, new Playlist([entry('750', 40)]), { speed: 4 })
    for (const [seconds, signal] of [
      [2, 'SIGKILL'],
      [4, 'SIGSTOP'],
      [7, 'SIGKILL'],
      [9.3, 'SIGSTOP'],
      [12, 'SIGKILL'],
    ] as const) {
      await air.published(seconds)
      process.kill(air.broadcast.processes.encoder!, signal)
    }
    await air.published(17)
    await air.broadcast.stop()
    consecutive(t, air.chunks)
    const sound = await soundOf(air.chunks)
    t.equal(sound.length, air.chunks.length * 19 * FRAME)
    t.ok(deviation(sound, 750, 2000, sound.length) < 0.05)
  })

  t.test('a decoder that is killed or hangs is replaced, and nobody hears it', async (t) => {
    const air = onAir(t, folder, new Playlist([entry('700', LONG_S)]), { speed: 2 })
    const pids = new Set<number>()
    let seconds = 1
    const another = async () => {
      while (seconds < LONG_S) {
        await air.published(seconds)
        seconds += 0.5
        const [pid] = air.broadcast.processes.decoders
        if (pid !== undefined && !pids.has(pid)) return pid
      }
      throw new Error('the decoder was not replaced while the track lasted')
    }
    for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const) {
      const pid = await another()
      pids.add(pid)
      process.kill(pid, signal)
    }
    await another()
    await air.published(seconds)
    await air.broadcast.stop()
    consecutive(t, air.chunks)
    const sound = await soundOf(air.chunks)
    t.ok(deviation(sound, 700, 2000, sound.length) < 0.05)
  })

  t.test('stopping ends every process; losing the lease does the same', async (t) => {
    const air = onAir(t, folder, new Playlist([entry('300', 3), entry('750', 40)]), { speed: 1 })
    await air.published(1)
    const { encoder, decoders } = air.broadcast.processes
    t.equal(decoders.length > 0 && isAlive(encoder!), true)
    await air.broadcast.stop()
    t.strictSame([encoder!, ...decoders].filter(isAlive), [])
    const published = air.chunks.length

    let refusals = 0
    let refuse = () => {}
    const refused = new Promise<void>((resolve) => {
      refuse = resolve
    })
    const lost = startBroadcast({
      plan: new Playlist([entry('300', 3)]),
      source: async (media) => join(folder, `${media}.mp3`),
      async publish() {
        refusals++
        refuse()
        throw new Error('the lease is lost')
      },
      nowMs: () => START_MS + performance.now() * 4,
      after: null,
      settings: { ffmpegPath: 'ffmpeg', bitrate: 128, crossfadeMs: 0 },
      log,
    })
    const pid = lost.processes.encoder!
    await inTime('a chunk is refused', refused)
    await lost.stop()
    t.notOk(isAlive(pid))
    t.equal(refusals, 1)
    t.equal(air.chunks.length, published, 'nothing comes after the end')
  })

  t.test('without ffmpeg nothing is heard, but no track is blamed and nothing fails', async (t) => {
    const plan = new Playlist([entry('300', 3)])
    let attempts = 0
    let again = () => {}
    const triedAgain = new Promise<void>((resolve) => {
      again = resolve
    })
    const broadcast = startBroadcast({
      plan,
      async source(media) {
        if (++attempts > 1) again()
        return join(folder, `${media}.mp3`)
      },
      async publish() {
        t.fail('there is nothing to publish')
      },
      nowMs: () => START_MS + performance.now() * 20,
      after: null,
      settings: { ffmpegPath: join(folder, 'no-ffmpeg'), bitrate: 128, crossfadeMs: 0 },
      log,
    })
    await inTime('the track is tried again', triedAgain)
    await broadcast.stop()
    t.strictSame([plan.unplayables, plan.ended], [[], []])
  })
})

t.test('while nothing can be published, about 30 s are kept and the oldest is dropped', async (t) => {
  const published: number[] = []
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const chunks = createFrameChunks({
    frame: 0,
    byte: 0,
    timeOf: (sample) => sample,
    async publish(chunk) {
      await opened
      published.push(chunk.frame / 19)
    },
    onLost: () => t.fail('nothing was lost'),
    log,
  })
  for (let i = 0; i < 100 * 19; i++) chunks.add(Buffer.alloc(417))
  open()
  await opened
  await until('the last chunk is published', () => published.at(-1) === 99)
  t.strictSame(published, [0, ...Array.from({ length: 60 }, (_, i) => 40 + i)])
})
