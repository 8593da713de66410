import { codecs, type FrameChunk, type Mount, mountId } from '@solstice/station'
import t from 'tap'
import {
  consecutive,
  entry,
  FRAME,
  makeSounds,
  onAir,
  Playlist,
  RATE,
  soundOf,
  starts,
} from '../../../../tests/harness/audio/broadcasts.ts'
import { deviation, startError } from '../../../../tests/harness/audio/sine.ts'
import { isAlive } from '../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../tests/harness/until.ts'

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
