import { join } from 'node:path'
import { chunkEndMs, type SoundMarker, sleep } from '@solstice/station'
import t from 'tap'
import { randomFrom } from '../../../../tests/harness/air/programme.ts'
import { makeTone, pitch } from '../../../../tests/harness/audio/audio.ts'
import {
  consecutive,
  endOf,
  entry,
  FRAME,
  log,
  makeSounds,
  onAir,
  Playlist,
  RATE,
  START_MS,
  soundOf,
} from '../../../../tests/harness/audio/broadcasts.ts'
import { deviation, startError } from '../../../../tests/harness/audio/sine.ts'
import { inForm } from '../../../../tests/harness/long-form.ts'
import { isAlive } from '../../../../tests/harness/processes/processes.ts'
import { inTime, until } from '../../../../tests/harness/until.ts'
import { startBroadcast } from './broadcast.ts'

/** A track that is not over before all is done to it, however slow the machine. */
const LONG_S = inForm({ short: 200, long: 900 })
const KILLS = { encoder: inForm({ short: 5, long: 50 }), decoder: inForm({ short: 3, long: 50 }) }
const MAX_AT_ONCE = 3
/** Of the moments. */
const SEED = 7

const folder = await makeSounds(t)

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
  await makeTone(join(folder, '650.mp3'), { hz: 650, seconds: LONG_S })
  const air = onAir(t, folder, new Playlist([entry('650', LONG_S)]), { speed: 4 })
  const random = randomFrom(SEED)
  const gone: number[] = []
  let seconds = 0
  for (let kill = 0; kill < KILLS.encoder; kill++) {
    seconds += 1.5 + random(2_000) / 1000
    await air.published(seconds)
    // The one before may be in the middle of its replacement.
    const pid = () => air.broadcast.processes.encoder
    await until('there is an encoder', () => pid() !== undefined && !gone.includes(pid()!))
    gone.push(pid()!)
    process.kill(pid()!, kill % 2 ? 'SIGSTOP' : 'SIGKILL')
  }
  await air.published(seconds + 5)
  await air.broadcast.stop()
  consecutive(t, air.chunks)
  const sound = await soundOf(air.chunks)
  t.equal(sound.length, air.chunks.length * 19 * FRAME)
  t.ok(deviation(sound, 650, 2000, sound.length) < 0.05)
})

t.test('a decoder that is killed or hangs is replaced, and nobody hears it', async (t) => {
  await makeTone(join(folder, '700.mp3'), { hz: 700, seconds: LONG_S })
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
  const random = randomFrom(SEED)
  for (let kill = 0; kill < KILLS.decoder; kill++) {
    // More than three replacements without 5 s of sound between them would be the fault of the file.
    if (kill >= MAX_AT_ONCE) seconds += 6
    const pid = await another()
    pids.add(pid)
    await sleep(random(200))
    if (isAlive(pid)) process.kill(pid, (['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const)[kill % 3]!)
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
