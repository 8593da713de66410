import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { placeFrames } from '@solstice/adapters'
import t from 'tap'
import { decode, makeTone } from '../../../../../../tests/harness/audio/audio.ts'
import { createFrameReader, type FetchRange, NotMp3 } from './decoding/frame-reader.ts'
import { createTrackSound, type Decoder, RATE } from './decoding/track-sound.ts'
import { createOutputClock } from './output-clock.ts'
import { steer } from './steering.ts'
import { stretch } from './stretch.ts'

/** Serves ranges of a file, and counts the bytes. */
function serve(file: Uint8Array): { fetchRange: FetchRange; fetched: () => number } {
  let fetched = 0
  return {
    fetched: () => fetched,
    async fetchRange(start, end) {
      const bytes = file.subarray(start, end)
      fetched += bytes.length
      return { bytes, size: file.length }
    },
  }
}

/** Decodes as a browser does: all samples of all frames, nothing left out. */
const decoder: Decoder = {
  async decode(mp3) {
    const samples = await decode(new Uint8Array(mp3))
    return { channels: [samples], length: samples.length }
  },
}

t.test(
  'frames are found by number: by calculation, by counting, or by where the station says they lie',
  async (t) => {
    const folder = t.testdir()
    const constant = join(folder, 'constant.mp3')
    await makeTone(constant, { hz: 440, seconds: 120 })
    const varying = join(folder, 'varying.mp3')
    const encode = ['-i', constant, '-af', 'tremolo=f=0.1:d=0.99', '-q:a', '4', varying]
    await promisify(execFile)('ffmpeg', ['-y', '-nostdin', '-loglevel', 'error', ...encode])
    const gap = join(folder, 'gap.mp3')
    const places = { every: 100, at: await placeFrames(varying, 100) }
    const cut = places.at[10]! + 5
    const bytes = await readFile(varying)
    await writeFile(gap, Buffer.concat([bytes.subarray(0, cut), Buffer.alloc(99), bytes.subarray(cut)]))
    const told = { every: 100, at: await placeFrames(gap, 100) }
    t.equal(told.at.length, 11)
    for (const [path, isSparing, known] of [
      [constant, true, null],
      [varying, false, null],
      [varying, true, places],
      [varying, false, { every: 100, at: places.at.slice(1) }],
      [gap, null, told],
    ] as const) {
      const file = await readFile(path)
      const all = await createFrameReader(serve(file).fetchRange).read(0, 100_000)
      const { fetchRange, fetched } = serve(file)
      let asked = 0
      const reader = createFrameReader(fetchRange, async () => {
        asked++
        return known
      })
      t.equal((await reader.head()).delay, 576 + 529)
      for (const from of [3000, 3100, 3190, 20]) {
        const frames = await reader.read(from, from + 100)
        t.same(frames, all.slice(from, from + 100), `frames from ${from}`)
      }
      if (isSparing !== null) t.equal(fetched() < file.length, isSparing)
      t.equal(asked, path === constant ? 0 : 1)
      t.equal((await reader.read(all.length - 5, all.length + 5)).length, 5, 'fewer at the end')
    }
  },
)

t.test('a file without layer III frames is no MP3', async (t) => {
  const { fetchRange } = serve(new Uint8Array(100_000).fill(0x52))
  await t.rejects(createFrameReader(fetchRange).head(), new NotMp3('no layer III frames'))
})

t.test('pieces of a track join without a seam', async (t) => {
  const path = join(t.testdir(), 'tone.mp3')
  await makeTone(path, { hz: 441, seconds: 40 })
  const file = await readFile(path)
  const whole = await decode(file)
  const { fetchRange } = serve(file)
  const failures: unknown[] = []
  const sound = createTrackSound(createFrameReader(fetchRange), decoder, (error) => failures.push(error))
  const pieceAt = async (sample: number) => {
    sound.want(sample)
    while (!sound.pieceAt(sample) && !failures.length) await new Promise(setImmediate)
    return sound.pieceAt(sample)!
  }
  const first = await pieceAt(0)
  const second = await pieceAt(first.end)
  t.equal(second.start, first.end)
  t.same(failures, [])
  for (const position of [2, 10.15, 10.19, 10.25, 12]) {
    const at = sound.sampleAt(position)!
    const piece = sound.pieceAt(at) ?? first
    const own = piece.channels[0]!.subarray(
      piece.lead + at - piece.start,
      piece.lead + at - piece.start + 500,
    )
    const there = whole.subarray(position * RATE, position * RATE + 500)
    const worst = own.reduce((most, sample, i) => Math.max(most, Math.abs(sample - there[i]!)), 0)
    t.ok(worst < 1e-3, `as in the whole file at ${position} s: ${worst}`)
  }
})

t.test('whoever joins late fetches the head of the file, and nothing else of what has passed', async (t) => {
  const path = join(t.testdir(), 'tone.mp3')
  await makeTone(path, { hz: 441, seconds: 60 })
  const { fetchRange, fetched } = serve(await readFile(path))
  const sound = createTrackSound(createFrameReader(fetchRange), decoder, () => t.fail('it is read'))
  sound.open(45)
  while (!sound.pieceAt(sound.sampleAt(45) ?? 0)) await new Promise(setImmediate)
  t.equal(sound.pieceAt(0), null)
  t.ok(fetched() < 500_000, `${fetched()} bytes`)
})

t.test('a stretched block begins and ends on whole samples, without noise', async (t) => {
  const wave = (position: number) => Math.sin((2 * Math.PI * 5000 * position) / RATE)
  const samples = Float32Array.from({ length: 24_000 }, (_, i) => wave(i))
  for (const [count, length] of [
    [22_050, 22_028],
    [22_050, 22_072],
    [500, 500],
  ] as const) {
    const into = new Float32Array(length)
    stretch(samples, 100, count, into)
    const worst = into.reduce(
      (most, sample, i) => Math.max(most, Math.abs(sample - wave(100 + (i * count) / length))),
      0,
    )
    t.ok(worst < 1e-3, `${count} samples as ${length}: ${worst}`)
    t.equal(into[0]!.toFixed(5), wave(100).toFixed(5))
  }
})

t.test(
  'small errors are left alone, larger ones corrected by 0.1 or 0.2 %, large ones jumped over',
  async (t) => {
    const steady = { sinceStartS: 60, isCorrecting: false }
    t.same(steer({ ...steady, errorS: 0.0009 }, 0.5), { do: 'play', gainS: 0, isCorrecting: false })
    t.same(steer({ ...steady, errorS: 0.0015 }, 0.5), { do: 'play', gainS: 0.0005, isCorrecting: true })
    t.same(steer({ ...steady, errorS: -0.004 }, 0.5), { do: 'play', gainS: -0.0005, isCorrecting: true })
    t.same(steer({ ...steady, errorS: -0.05 }, 0.5), { do: 'play', gainS: -0.001, isCorrecting: true })
    t.same(steer({ errorS: 0.0004, sinceStartS: 60, isCorrecting: true }, 0.5), {
      do: 'play',
      gainS: 0.0004,
      isCorrecting: true,
    })
    t.same(steer({ ...steady, errorS: 0.05, sinceStartS: 0.5 }, 0.5), {
      do: 'play',
      gainS: 0.0025,
      isCorrecting: true,
    })
    t.same(steer({ ...steady, errorS: 0.2 }, 0.5), { do: 'jump' })
    t.equal(
      steer({ ...steady, errorS: 0.2, sinceStartS: 0.5 }, 0.5).do,
      'play',
      'not right after another one',
    )
    t.same(
      steer({ ...steady, errorS: 0.02, sinceStartS: 1.5 }, 0.5),
      { do: 'jump' },
      'sooner in the first seconds',
    )
  },
)

t.test('the audio clock: readings that are off, clocks that drift apart, another way out', async (t) => {
  for (const drift of [-150e-6, 0, 150e-6]) {
    const clock = createOutputClock()
    let worstMs = 0
    const heardMs = (contextS: number) => 1000 * contextS * (1 + drift) + 90_000
    for (let i = 0; i < 480; i++) {
      const contextS = i / 4
      // Most readings are within a buffer of 10 ms; now and then one is far off.
      const jitterMs = ((i * 7919) % 100) / 20 + (i % 29 === 7 ? 40 : 0) - 2.5
      clock.add({ contextS, heardMs: heardMs(contextS) + jitterMs })
      if (i > 280) worstMs = Math.max(worstMs, Math.abs(clock.heardMs(contextS + 3)! - heardMs(contextS + 3)))
    }
    t.ok(worstMs < 2, `${drift * 1e6} ppm: at most ${worstMs.toFixed(2)} ms off, 3 s ahead`)
    for (let i = 480; i < 485; i++) clock.add({ contextS: i / 4, heardMs: heardMs(i / 4) + 150 })
    t.ok(
      Math.abs(clock.heardMs(121)! - heardMs(121) - 150) < 2,
      'headphones that lag are noticed in a second',
    )
  }
})

t.test('the audio clock: readings that settle over seconds', async (t) => {
  const clock = createOutputClock()
  const offMs = (contextS: number) => clock.heardMs(contextS)! - contextS * 1000 - 90_000
  for (let i = 0; i < 200; i++) {
    const contextS = i / 4
    clock.add({ contextS, heardMs: contextS * 1000 + 90_000 - 15 * Math.exp(-contextS / 3) })
    if (contextS >= 10)
      t.ok(Math.abs(offMs(contextS)) < 1.5, `${offMs(contextS).toFixed(2)} ms off at ${contextS} s`)
  }
})

t.test('two players on drifting clocks come and stay together, without a jump', async (t) => {
  const player = (contextDrift: number, startErrorS: number) => {
    const clock = createOutputClock()
    let sampleS = startErrorS
    let isCorrecting = false
    let contextS = 0
    let worstS = 0
    while (contextS < 600) {
      const heardS = contextS * (1 + contextDrift)
      const jitterMs = ((Math.round(contextS * 2) * 7919) % 100) / 25 - 2
      clock.add({ contextS, heardMs: heardS * 1000 + jitterMs })
      const errorS = clock.heardMs(contextS)! / 1000 - sampleS
      const steering = steer({ errorS, sinceStartS: contextS, isCorrecting }, 0.5)
      if (steering.do === 'jump') return Number.POSITIVE_INFINITY
      isCorrecting = steering.isCorrecting
      if (contextS > 15) worstS = Math.max(worstS, Math.abs(heardS - sampleS))
      sampleS += 0.5 + steering.gainS
      contextS += 0.5
    }
    return worstS
  }
  for (const worstS of [player(100e-6, 0.008), player(-100e-6, -0.008)])
    t.ok(worstS < 0.006, `at most ${(worstS * 1000).toFixed(2)} ms from the station`)
})
