import { openLocalMedia } from '@solstice/adapters'
import {
  bufferOf,
  createPartCutter,
  cutSlices,
  endOf,
  FRAME_MS,
  type FrameRange,
  forgetHours,
  HOUR_MS,
  holesIn,
  holesUntilNow,
  indexLines,
  joinHours,
  lastRecorded,
  lengthOf,
  type MediaStorage,
  type Part,
  partKey,
  readCut,
  readIndex,
  readPartKey,
  recordedBetween,
  recordedIn,
  type Sound,
  storedHours,
  storedParts,
  withoutRecorded,
  writePart,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { frameNumbers, handMadeAir } from '../harness/air/hand-made-air.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { openOn } from '../harness/servers/bucket.ts'
import { startS3 } from '../harness/servers/s3.ts'

const START = Date.parse('2026-11-23T14:00:00Z')
const PART = 40
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const track = (title: string): Sound => ({
  kind: 'track',
  title,
  artist: 'Hilda',
  speakers: [],
  order: null,
})
const cutter = (last: FrameRange | null = null) =>
  createPartCutter({
    last,
    partFrames: PART,
    dateOf: (atMs) => atMs,
    describe: (marker) =>
      marker && 'title' in marker ? track(marker.title) : { ...track(''), kind: 'silence' },
  })
const named = (frame: number, title: string) => ({
  frame,
  entryId: title,
  trackId: title,
  title,
  artist: 'Hilda',
  positionMs: 0,
  durationMs: null,
})

/** Parts of a broadcast from a date on. */
function recorded(frames: number, atMs = START, from = 0): Part[] {
  const air = handMadeAir(128, atMs)
  air.jump({ frame: from })
  const cut = cutter()
  return Array.from({ length: Math.ceil(frames / 19) }, () => air.chunk(19)).flatMap(cut)
}

const soundOf = async (media: MediaStorage, key: string) => bufferOf(await media.open(key))

t.test('parts end at multiples, at full hours and where frames are missing, however chunks are cut', (t) => {
  const air = handMadeAir(128, START - 50.5 * FRAME_MS)
  air.jump({ frame: 100 })
  const cut = cutter()
  const parts = [7, 19, 60, 19, 1].flatMap((frames) => cut(air.chunk(frames)))
  air.jump({ frame: 230 })
  parts.push(...[19, 50].flatMap((frames) => cut(air.chunk(frames))))
  t.same(
    parts.map((part) => [part.frame, endOf(part)]),
    [
      [100, 120],
      [120, 151],
      [151, 160],
      [160, 200],
      [200, 206],
      [230, 240],
      [240, 280],
    ],
  )
  for (const part of parts) t.same(frameNumbers(part.audio), numbers(part.frame, endOf(part)))
  t.equal(partKey(parts[1]!).slice(0, 28), 'aircheck/parts/2026-11-23T13')
  t.equal(partKey(parts[2]!).slice(0, 28), 'aircheck/parts/2026-11-23T14')
  t.match(readPartKey(partKey(parts[2]!)), { hour: '2026-11-23T14', frame: 151, frames: 9 })
  t.equal(readPartKey('aircheck/parts/notes.part'), null)
  t.end()
})

t.test('whoever goes on begins after the last recorded frame, also when the count began anew', (t) => {
  const air = handMadeAir(128, START)
  const chunks = Array.from({ length: 8 }, () => air.chunk(19))
  const last = { frame: 40, frames: 40, atMs: START + 40 * FRAME_MS }
  const [next] = chunks.flatMap(cutter(last))
  t.same(frameNumbers(next!.audio), numbers(80, 120))
  air.jump({ frame: 0 })
  const again = cutter(last)
  t.equal(again(air.chunk(45))[0]?.frame, 0)
  t.end()
})

t.test('each part tells what is heard from its first frame on, and each sound once', (t) => {
  const air = handMadeAir(128, START)
  const cut = cutter()
  const parts = [
    ...cut(air.chunk(30, [named(0, 'One')])),
    ...cut(air.chunk(60, [named(30, 'One'), named(50, 'Two')])),
  ]
  t.same(
    parts.map(({ heard }) => heard.map(({ frame, title }) => [frame, title])),
    [
      [[0, 'One']],
      [
        [40, 'One'],
        [50, 'Two'],
      ],
    ],
  )
  t.end()
})

t.test('who speaks may change within a sound', (t) => {
  const air = handMadeAir(128, START)
  const cut = createPartCutter({
    ...{ last: null, partFrames: PART, dateOf: (atMs) => atMs },
    describe: (_, names) => ({ ...track('One'), speakers: names ?? ['from the state'] }),
  })
  const spoken = {
    speakers: [
      { frame: 30, names: ['ada'] },
      { frame: 50, names: [] },
    ],
  }
  const parts = [
    ...cut(air.chunk(20, [named(0, 'One')])),
    ...cut({ ...air.chunk(40, [named(20, 'One')]), ...spoken }),
    ...cut({ ...air.chunk(20, [named(60, 'One')]), speakers: [] }),
  ]
  t.same(
    parts.flatMap(({ heard }) => heard.map(({ frame, speakers }) => [frame, speakers])),
    [
      [0, ['from the state']],
      [20, []],
      [30, ['ada']],
      [40, ['ada']],
      [50, []],
    ],
  )
  t.end()
})

t.test('of a part only the frames that nobody has are left', (t) => {
  const [part] = recorded(60)
  const range = (frame: number, frames: number, atMs = START + frame * FRAME_MS) => ({ frame, frames, atMs })
  const left = (...ranges: FrameRange[]) =>
    withoutRecorded(part!, ranges).map((rest) => frameNumbers(rest.audio))
  t.same(left(range(0, 40)), [])
  t.same(left(range(-5, 100)), [])
  t.same(left(range(10, 5), range(30, 50)), [numbers(0, 10), numbers(15, 30)])
  t.same(left(range(40, 40)), [numbers(0, 40)])
  t.same(left(range(0, 40, START - HOUR_MS)), [numbers(0, 40)], 'equal numbers of another time')
  t.end()
})

async function bothStorages(t: Test, test: (t: Test, media: MediaStorage) => Promise<void>) {
  await t.test('in a folder', async (t) => test(t, await openLocalMedia(await temporaryFolder(t))))
  await t.test('in a bucket', async (t) => test(t, await openOn(t, await startS3(t))))
}

t.test('two recorders never write a frame twice', async (t) => {
  await bothStorages(t, async (t, media) => {
    const [one, two] = [recorded(90), recorded(80, START + 13 * FRAME_MS, 13)]
    for (const part of [two[0]!, ...one, ...two]) await writePart(media, part)
    const parts = await storedParts(media)
    const sounds = await Promise.all(
      parts.map(async ({ key, bytes }) => (await soundOf(media, key)).subarray(0, bytes)),
    )
    t.same(
      sounds.flatMap((sound) => frameNumbers(sound)),
      numbers(0, 80),
    )
    t.match(await lastRecorded(media), { frame: 40, frames: 40 })
  })
})

t.test('an hour that is over becomes one file with its index, also after a kill in between', async (t) => {
  await bothStorages(t, async (t, media) => {
    for (const part of [...recorded(80), ...recorded(40, START + 60_000, 2_000)]) await writePart(media, part)
    t.same(await joinHours(media, START + HOUR_MS), [], 'a late part may still come')
    const left = await storedParts(media)
    const nextHour = recorded(40, START + HOUR_MS, 137_800)
    for (const part of nextHour) await writePart(media, part)
    const last = left.at(-1)!
    const lastContent = await soundOf(media, last.key)
    const [hour] = await joinHours(media, START + HOUR_MS + 200_000)
    t.same(frameNumbers(await soundOf(media, hour!.key)), [...numbers(0, 80), ...numbers(2_000, 2_040)])
    t.same(
      (await storedParts(media)).map(({ frame }) => frame),
      nextHour.map(({ frame }) => frame),
    )
    await media.put(last.key, lastContent)
    t.same(await joinHours(media, START + HOUR_MS + 200_000), [], 'what a killed process left is deleted')
    for (const part of recorded(80)) t.equal(await writePart(media, part), 0)
    t.equal((await storedHours(media)).length, 1)

    const { pieces, heard } = await readIndex(media, hour!)
    t.same(
      pieces.map(({ frame, byte, bytes }) => [frame, byte + bytes]),
      [
        [0, pieces[0]!.bytes],
        [40, pieces[2]!.byte],
        [2_000, (await media.stat(hour!.key))!.size],
      ],
    )
    t.match(heard, [{ kind: 'silence', frame: 0 }])
    const index = (await soundOf(media, hour!.index)).toString()
    t.match(index, /^\{"type":"hole","atMs":\d+(\.\d+)?,"untilMs":\d+/m)

    t.equal(await forgetHours(media, 1, START + 25 * HOUR_MS - 1), 0)
    t.equal(await forgetHours(media, 1, START + 25 * HOUR_MS), 1)
    t.same(await storedHours(media), [])
  })
})

t.test('what is sent goes on to its end when its parts are joined meanwhile', async (t) => {
  await bothStorages(t, async (t, media) => {
    for (const part of recorded(200)) await writePart(media, part)
    const [fromMs, toMs] = [START + 10.5 * FRAME_MS, START + 189.5 * FRAME_MS]
    const { pieces } = await recordedBetween(media, fromMs, toMs)
    const slices = await cutSlices(media, pieces, fromMs, toMs)
    const sent: Uint8Array[] = []
    for await (const bytes of readCut(
      media,
      { slices, fromMs, toMs },
      { start: 0, end: lengthOf(slices) - 1 },
    )) {
      sent.push(bytes)
      if (sent.length === 1) t.equal((await joinHours(media, START + HOUR_MS + 200_000)).length, 1)
    }
    t.same(frameNumbers(Buffer.concat(sent)), numbers(10, 190))
    const rest = readCut(media, { slices, fromMs, toMs }, { start: 0, end: 1_000 })
    await forgetHours(media, 1, START + 30 * HOUR_MS)
    await t.rejects(rest.next(), { code: 'NOT_FOUND' }, 'what is deleted ends it')
  })
})

t.test('a hole is a time without frames; a corrected clock is none', async (t) => {
  const piece = (frame: number, atMs: number) => ({ frame, frames: 100, atMs })
  const [a, b, c, d] = [piece(0, 0), piece(100, 2_900), piece(500, 20_000), piece(600, 40_000)]
  t.same(holesIn([a, b, c, d], 0, 50_000), [
    { atMs: 2_900 + 100 * FRAME_MS, untilMs: 20_000, cause: 'not-recorded' },
    { atMs: 20_000 + 100 * FRAME_MS, untilMs: 40_000, cause: 'off-air' },
    { atMs: 40_000 + 100 * FRAME_MS, untilMs: 50_000, cause: 'not-recorded' },
  ])
  const [lastMs, nextDay] = [40_000 + 100 * FRAME_MS, 200_000]
  const untilNow = (nowMs: number) => holesUntilNow([a, b, c, d], 0, nextDay, nowMs).slice(2)
  t.same(untilNow(lastMs + 59_000), [], 'nor are seconds that a recorder is yet to store')
  const late = { atMs: lastMs, untilMs: lastMs + 61_000, cause: 'not-recorded' } as const
  t.same(untilNow(late.untilMs), [late])
  t.same(untilNow(nextDay + 60_000), [{ ...late, untilMs: nextDay }])
  t.same(holesUntilNow([piece(0, 190_000 - 100 * FRAME_MS)], 180_000, nextDay, nextDay + 5_000).slice(1), [])
  t.same(holesUntilNow([], nextDay, nextDay + HOUR_MS, 0), [], 'nor is a day to come')
  t.match(indexLines('2026-11-23T14', { pieces: [], heard: [] }), /"type":"hole".*\n$/)
  t.same((await recordedIn({ open: async () => t.fail() as never }, [])).pieces, [])
})
