import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { frameBytes } from '@solstice/station'
import t from 'tap'
import { createFrameCutter } from './mp3-frames.ts'

const run = promisify(execFile)

/** Pseudo-random numbers, the same in every run. */
function randomFrom(seed: number) {
  return (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
}

async function makeMp3(kbits: number): Promise<Buffer> {
  const args = `-loglevel error -f lavfi -i anoisesrc=d=3:r=44100 -ac 2 -c:a libmp3lame -b:a ${kbits}k -reservoir 0`
  const output = '-write_xing 0 -id3v2_version 0 -f mp3 pipe:1'
  const { stdout } = await run('ffmpeg', `${args} ${output}`.split(' '), { encoding: 'buffer' })
  return stdout
}

function pieces(bytes: Buffer, random: (below: number) => number, longest: number): Buffer[] {
  const cut: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random(longest)
    cut.push(bytes.subarray(at, at + length))
    at += length
  }
  return cut
}

t.test('frames come out whole and in order however their bytes are cut', async (t) => {
  const random = randomFrom(1)
  for (const kbits of [64, 128, 192, 320]) {
    const mp3 = await makeMp3(kbits)
    const whole = createFrameCutter()(mp3)
    t.ok(Buffer.concat(whole).equals(mp3), `${kbits} kbit/s: every byte belongs to a frame`)
    t.ok(whole.length >= 115 && whole.length <= 118, `${kbits} kbit/s: 3 s are ${whole.length} frames`)
    t.ok(
      whole.every((frame) => frameBytes(frame, 0) === frame.length),
      'each begins with its header',
    )
    for (const longest of [1, 7, 500, 5000]) {
      const cut = createFrameCutter()
      const frames = pieces(mp3, random, longest).flatMap((piece) => cut(piece))
      t.strictSame(
        frames.map((frame) => frame.length),
        whole.map((frame) => frame.length),
        `${kbits} kbit/s in pieces of up to ${longest} bytes`,
      )
      t.ok(Buffer.concat(frames).equals(mp3))
    }
  }
})

t.test('bytes that are no frame are dropped, and the frames around them stay intact', async (t) => {
  const random = randomFrom(2)
  const frames = createFrameCutter()(await makeMp3(128))
  for (let round = 0; round < 50; round++) {
    const runs: Buffer[][] = []
    const parts: Buffer[] = []
    for (let i = 0; i < 5; i++) {
      const garbage = Buffer.from(Array.from({ length: random(2000) }, () => random(256)))
      const from = random(frames.length - 10)
      const run = frames.slice(from, from + 2 + random(8))
      runs.push(run)
      parts.push(garbage, ...run)
    }
    const cut = createFrameCutter()
    const found = pieces(Buffer.concat(parts), random, 900).flatMap((piece) => cut(piece))
    const expected = Buffer.concat(runs.flat())
    if (!Buffer.concat(found).equals(expected)) t.fail(`round ${round}: other bytes came out`)
  }
  t.pass('50 rounds')
})

t.test('garbage alone gives nothing and is not kept', async (t) => {
  const cut = createFrameCutter()
  for (let i = 0; i < 100; i++) t.equal(cut(Buffer.alloc(10_000, i)).length, 0)
})
