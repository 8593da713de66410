import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { QueueEntry } from '@solstice/playout'
import { FRAME_MS } from '@solstice/station'
import t from 'tap'
import { makeTone, melody, pitch } from '../../../../tests/harness/audio/audio.ts'
import {
  clip,
  consecutive,
  entry,
  FRAME,
  jingle,
  makeSounds,
  onAir,
  Playlist,
  RATE,
  START_MS,
  soundOf,
  starts,
} from '../../../../tests/harness/audio/broadcasts.ts'
import { deviation, startError } from '../../../../tests/harness/audio/sine.ts'

const folder = await makeSounds(t)

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

t.test('who asked for a track and who speaks go with the frames', async (t) => {
  const asked: QueueEntry = { ...entry('300', 1.5), orderType: 'donated', orderId: 'order-1' }
  let speakers: string[] = []
  const air = onAir(t, folder, new Playlist([asked, entry('450', 4)]), { speakers: () => speakers })
  const change = (names: string[]) => {
    speakers = names
    return air.broadcast.frameAt(air.broadcast.mixedUntilMs)
  }
  await air.published(1)
  const from = change(['ada', 'lin'])
  await air.published(2.5)
  const until = change([])
  await air.published(5)
  await air.broadcast.stop()
  t.match(starts(air.chunks), [{ order: { type: 'donated', id: 'order-1' } }, { order: undefined }])
  const told = air.chunks.flatMap((chunk) => chunk.speakers!)
  t.same(
    [told[0], told.at(-1)],
    [
      { frame: from, names: ['ada', 'lin'] },
      { frame: until, names: [] },
    ],
  )
  for (const chunk of air.chunks.filter(({ frame }) => frame > from && frame < until))
    t.same(chunk.speakers![0], { frame: chunk.frame, names: ['ada', 'lin'] }, 'each chunk tells it anew')
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
    t.ok(pitch(both, tone, from, 4 * FRAME) > 0.2, `${tone} Hz goes on where a worker takes over`)
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
  const parts = [await part(44_100, 2), await part(48_000, 1), Buffer.alloc(3000, 'x'), await part(22_050, 2)]
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
