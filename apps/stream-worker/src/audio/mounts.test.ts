import { setImmediate as turn } from 'node:timers/promises'
import { codecs, type FrameChunk, type Mount, type MountId, mountId } from '@solstice/station'
import t, { type Test } from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import {
  consecutive,
  entry,
  FRAME,
  log,
  makeSounds,
  onAir,
  Playlist,
  RATE,
  soundOf,
  starts,
} from '../../../../tests/harness/audio/broadcasts.ts'
import { deviation, startError } from '../../../../tests/harness/audio/sine.ts'
import { isAlive, type Teardown } from '../../../../tests/harness/processes/processes.ts'
import { inTime, until, waiting } from '../../../../tests/harness/until.ts'
import { createOtherMounts } from './mounts.ts'

const folder = await makeSounds(t)
const MOUNTS: Mount[] = [
  { codec: 'mp3', bitrate: 64 },
  { codec: 'aac', bitrate: 96 },
  { codec: 'opus', bitrate: 96 },
]
const others = { mounts: MOUNTS, after: new Map() }
/** After the first frame of AAC, which overlaps with one that nobody has. */
const SETTLED = 3_000
const sampleOf = (chunk: FrameChunk, frameSamples: number) => chunk.frame * frameSamples
const endSampleOf = (chunk: FrameChunk, frameSamples: number) => (chunk.frame + chunk.frames) * frameSamples

t.test(
  'every mount has the same sound as the first, to the sample, and says when tracks begin',
  async (t) => {
    const air = onAir(t, folder, new Playlist([entry('300', 3), entry('600', 4)]), { others })
    await air.published(9)
    await air.broadcast.stop()
    consecutive(t, air.chunks)
    const first = sampleOf(air.chunks[0]!, FRAME)
    for (const mount of MOUNTS) {
      const { frameSamples } = codecs[mount.codec]
      const chunks = air.others.get(mountId(mount))!
      consecutive(t, chunks, frameSamples)
      t.equal(chunks[0]!.frame, Math.ceil(first / frameSamples), 'frame numbers follow the samples')
      const sound = await soundOf(chunks, mount.codec)
      t.equal(sound.length, chunks.reduce((sum, { frames }) => sum + frames, 0) * frameSamples)
      const change = first + 3 * RATE - sampleOf(chunks[0]!, frameSamples)
      t.ok(startError(sound, 600, change) < 1, `${mountId(mount)}: the second track begins to the sample`)
      t.ok(deviation(sound, 300, SETTLED, change - 2_000) < 0.05, `${mountId(mount)}: the first is unbroken`)
      const [, second] = starts(chunks)
      t.match(second, { frame: Math.ceil((first + 3 * RATE) / frameSamples), entryId: 'entry-600' })
      for (const [i, chunk] of air.chunks.entries()) {
        const published = chunks[i]
        if (published) t.ok(endSampleOf(published, frameSamples) >= endSampleOf(chunk, FRAME), 'never behind')
      }
    }
  },
)

t.test('a takeover goes on without a hole in every mount', async (t) => {
  const plan = new Playlist([entry('750', 40)])
  const before = onAir(t, folder, plan, { others })
  await before.published(6)
  await before.broadcast.stop()
  // A worker dies behind a chunk of the first mount, or when it has published those of the others alone.
  for (const ahead of [0, 1]) {
    const chunks = before.chunks.slice(0, 7)
    const edge = endSampleOf(before.chunks[6 + ahead]!, FRAME)
    const kept = (mount: Mount) =>
      before.others
        .get(mountId(mount))!
        .filter((chunk) => sampleOf(chunk, codecs[mount.codec].frameSamples) < edge)
    const after = new Map(MOUNTS.map((mount) => [mountId(mount), kept(mount).at(-1)!] as const))
    const air = onAir(t, folder, plan, {
      ...{ after: chunks.at(-1)!, lateMs: 4_000 },
      others: { mounts: MOUNTS, after },
    })
    await air.published(7)
    await air.broadcast.stop()
    for (const mount of MOUNTS) {
      const all = [...kept(mount), ...air.others.get(mountId(mount))!]
      consecutive(t, all, codecs[mount.codec].frameSamples)
      const sound = await soundOf(all, mount.codec)
      t.ok(deviation(sound, 750, SETTLED, sound.length) < 0.05, `${mountId(mount)}, ${ahead} ahead`)
    }
  }
})

t.test('an encoder that dies or hangs is replaced, and no mount notices', async (t) => {
  const air = onAir(t, folder, new Playlist([entry('750', 40)]), { others, speed: 2 })
  await air.published(2)
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    for (const pid of air.broadcast.processes.otherEncoders) {
      process.kill(pid, signal)
      await until('it is gone', () => !isAlive(pid))
    }
    await air.published((air.chunks.length * 19 * FRAME) / RATE + 2)
  }
  await until('the others have caught up', () =>
    MOUNTS.every((mount) => {
      const last = air.others.get(mountId(mount))!.at(-1)!
      return endSampleOf(last, codecs[mount.codec].frameSamples) >= endSampleOf(air.chunks.at(-1)!, FRAME)
    }),
  )
  await air.broadcast.stop()
  t.same(air.broadcast.processes.otherEncoders, [])
  consecutive(t, air.chunks)
  for (const mount of MOUNTS) {
    const chunks = air.others.get(mountId(mount))!
    consecutive(t, chunks, codecs[mount.codec].frameSamples)
    const sound = await soundOf(chunks, mount.codec)
    t.ok(deviation(sound, 750, SETTLED, sound.length) < 0.05, mountId(mount))
  }
})

/** Number of the first sample below. */
const BEGIN = 4_000 * FRAME
const HZ = 750
/** Samples of a whole number of waves. */
const WHOLE = RATE / 10
/** An encoder keeps this much for itself at most. */
const OPEN = RATE / 2

/** The mounts beside a first one for which the test speaks: it says what is mixed, and up to where they publish. */
function beside(t: Teardown, after: ReadonlyMap<MountId, FrameChunk> = new Map()) {
  const published = new Map(MOUNTS.map((mount) => [mountId(mount), [] as FrameChunk[]]))
  const news = waiting()
  const start = BEGIN - 4 * FRAME
  let mixed = start
  const others = createOtherMounts({
    ...{ mounts: MOUNTS, after, start, log },
    firstHeard: BEGIN,
    timeOf: (sample) => (sample * 1000) / RATE,
    stretchBefore: () => ({ number: 1, sample: BEGIN }),
    publish: async (chunk, id) => void published.get(id)!.push(chunk),
    ffmpegPath: 'ffmpeg',
    onProgress() {
      others.flush()
      news.changed()
    },
  })
  t.teardown(() => others.stop())
  const pour = (samples: number) => {
    const stereo = new Int16Array(2 * samples)
    for (let i = 0; i < samples; i++)
      stereo.fill(12_000 * Math.sin((2 * Math.PI * HZ * (mixed + i)) / RATE), 2 * i, 2 * i + 2)
    others.take(stereo)
    mixed += samples
  }
  const chunksOf = (mount: Mount) => published.get(mountId(mount))!
  const hasUntil = (mount: Mount, sample: number) => {
    const last = chunksOf(mount).at(-1)
    return last !== undefined && endSampleOf(last, codecs[mount.codec].frameSamples) >= sample
  }
  return {
    others,
    chunksOf,
    get mixed() {
      return mixed
    },
    /** Mixes so many seconds, whatever becomes of them. */
    pour: (seconds: number) => pour(seconds * RATE),
    /** Mixes so many seconds, no faster than they are encoded. */
    async mix(seconds: number) {
      for (let i = 0; i < seconds * 10; i++) {
        await news.until('there is room', () => others.hasRoom)
        pour(RATE / 10)
        others.flush()
      }
    },
    /** Resolves when these mounts have published what can be. */
    publish: (mounts = MOUNTS) =>
      until('it is published', async () => {
        await inTime('the publication', others.publishUntil(mixed - OPEN))
        return mounts.every((mount) => hasUntil(mount, mixed - OPEN))
      }),
  }
}

/** Fails unless chunks without a hole sound as what was mixed, to the sample; decoders may settle where they begin. */
async function isAsMixed(t: Test, chunks: FrameChunk[], mount: Mount) {
  const { frameSamples } = codecs[mount.codec]
  consecutive(t, chunks, frameSamples)
  const from = sampleOf(chunks[0]!, frameSamples)
  t.equal(chunks[0]!.atMs, (from * 1000) / RATE, `${mountId(mount)}: its time is that of its first sample`)
  const sound = await soundOf(chunks, mount.codec)
  const error = startError(sound, HZ, WHOLE - (from % WHOLE))
  t.ok(error < 1, `${mountId(mount)} is off by ${error} samples`)
  const most = deviation(sound, HZ, 2 * WHOLE, sound.length)
  t.ok(most < 0.05, `${mountId(mount)} is unbroken, but for ${most}`)
}

t.test('of what waits to be published the last 30 s of each mount are kept', async (t) => {
  const air = beside(t)
  await air.mix(36)
  await inTime('the publication', air.others.publishUntil(air.mixed))
  for (const mount of MOUNTS) {
    const { frameSamples } = codecs[mount.codec]
    const [kept] = air.chunksOf(mount)
    t.equal(kept?.frames, Math.ceil((30 * RATE) / frameSamples), mountId(mount))
    t.equal(kept?.byte, 0, 'bytes count what was published')
    t.ok(sampleOf(kept!, frameSamples) > BEGIN + 2 * RATE, 'the oldest are dropped')
  }
  await air.mix(1)
  await air.publish()
  for (const mount of MOUNTS) await isAsMixed(t, air.chunksOf(mount), mount)
})

t.test('a mount goes on behind its last chunk, unless that was counted from another clock', async (t) => {
  for (const [aheadS, isFollowed] of [
    [3, true],
    [21, false],
    [-21, false],
  ] as const) {
    const firstOf = ({ codec }: Mount) => Math.ceil(BEGIN / codecs[codec].frameSamples)
    const last = (mount: Mount) => {
      const { frameSamples } = codecs[mount.codec]
      const before = handMadeAir(mount.bitrate, 0, mount.codec)
      before.jump({ frame: firstOf(mount) + Math.ceil((aheadS * RATE) / frameSamples) - 19, byte: 5_000 })
      return before.chunk(19)
    }
    const after = new Map(MOUNTS.map((mount) => [mountId(mount), last(mount)] as const))
    const air = beside(t, after)
    await air.mix(5)
    await air.publish()
    for (const mount of MOUNTS) {
      const { frame, frames, byte, audio } = after.get(mountId(mount))!
      const [chunk] = air.chunksOf(mount)
      t.equal(chunk?.frame, isFollowed ? frame + frames : firstOf(mount), `${mountId(mount)}, ${aheadS} s`)
      t.equal(chunk?.byte, byte + audio.length, 'bytes go on in any case')
    }
    await air.others.stop()
  }
})

for (const [i, mount] of MOUNTS.entries())
  t.test(
    `${mountId(mount)}: while its encoder hangs the others don't wait, and nothing is lost`,
    async (t) => {
      const air = beside(t)
      const rest = MOUNTS.filter((other) => other !== mount)
      await air.mix(1)
      await air.publish()
      const pid = air.others.pids[i]!
      process.kill(pid, 'SIGSTOP')
      air.pour(1)
      air.others.flush()
      await air.publish(rest)
      const again = air.others.publishUntil(air.mixed - OPEN)
      t.equal(
        await Promise.race([again, turn('later')]),
        undefined,
        'one that is known to be late is not asked',
      )
      process.kill(pid, 'SIGCONT')
      await air.publish()
      for (const each of MOUNTS) await isAsMixed(t, air.chunksOf(each), each)
    },
  )

t.test('an encoder that was away for more than 10 s leaves out what is older, and no more', async (t) => {
  const air = beside(t)
  await air.mix(2)
  await air.publish()
  for (const pid of air.others.pids) process.kill(pid, 'SIGSTOP')
  air.pour(20)
  const due = air.mixed - 10 * RATE
  air.others.flush()
  await air.publish()
  for (const mount of MOUNTS) {
    const { frameSamples } = codecs[mount.codec]
    const all = air.chunksOf(mount)
    const hole = all.findIndex(({ frame }, i) => i > 0 && frame !== all[i - 1]!.frame + all[i - 1]!.frames)
    const [former, later] = [all.slice(0, hole), all.slice(hole)]
    const begin = sampleOf(later[0]!, frameSamples)
    t.ok(begin > due && begin < due + 8 * frameSamples, `${mountId(mount)} goes on ${begin - due} samples in`)
    t.equal(later[0]!.byte, former.at(-1)!.byte + former.at(-1)!.audio.length, 'bytes go on')
    for (const part of [former, later]) await isAsMixed(t, part, mount)
  }
})
