import type { AirEntry } from '@solstice/playout'
import t from 'tap'
import {
  expectedPlaces,
  FIRST,
  FRAME,
  forEachSeed,
  mixedPlaces,
  type Place,
  passUntil,
  RATE,
} from '../../../../../tests/harness/audio/histories.ts'
import {
  type Random,
  randomFrom,
  SimulatedEngine,
  SimulatedPlayback,
  TestLibrary,
  timeOf,
} from '../../../../../tests/harness/audio/simulated-playback.ts'
import { markerOf, placedBy } from './air-entry.ts'
import { placedOf, QUICK_FADE_SAMPLES } from './stage.ts'

/** A track that ends within the last frame that was heard. */
const ENDS_IN_LAST_FRAME = 381

t.test('B5: a takeover continues to the sample, whatever the engine was told before', async (t) => {
  const course = (random: Random): string[] => {
    const shelf = new TestLibrary(random)
    const entries = Array.from({ length: 4 }, (_, i): AirEntry => {
      const file = { length: shelf.between(4 * RATE, 12 * RATE) }
      if (i === 2 && shelf.chance(50)) return shelf.track({ ...file, isUnplayable: true })
      return shelf.chance(25) ? shelf.jingle(file) : shelf.track(file)
    })
    const { files } = shelf
    const places = expectedPlaces(entries, files, 0)
    const engine = new SimulatedEngine([...entries])
    engine.goOn(timeOf(FIRST))
    const dead = new SimulatedPlayback({ engine, files, firstHeard: FIRST, crossfade: 0 })
    // Some end with the last entry, after which the engine has nothing on air.
    const end = places.at(-1)!.to
    const dying = shelf.chance(30) ? end - random(RATE) - FRAME : shelf.between(FIRST + RATE, end - 2 * RATE)
    let lastFrame = Math.floor(dying / FRAME)
    if (shelf.chance(50)) {
      engine.jitterMs = () => -random(20)
      // An entry that begins within the last frame has no marker yet, so it continues at the engine's position.
      const isWithin = ({ from }: Place) => from > lastFrame * FRAME && from < (lastFrame + 1) * FRAME
      while (places.some(isWithin)) lastFrame++
    }
    const at = (lastFrame + 1) * FRAME
    passUntil(dead, at + FRAME + random(FRAME * 40), random)
    const last = dead.spans.findLast((span) => span.at <= lastFrame * FRAME)!
    const lastMarker = markerOf({ ...placedOf(last.stage.onAir)! }, lastFrame)
    const sequence = new SimulatedPlayback({
      engine,
      files,
      firstHeard: at,
      crossfade: 0,
      lastMarker,
      nowMs: dead.nowMs + 5_000,
    })
    passUntil(sequence, at + 8 * RATE, random)
    const wrong: string[] = []
    const heard = mixedPlaces(sequence.spans, wrong)
    const expected = places.filter(({ to, from }) => to > at && from < at + 8 * RATE)
    for (const [i, { from, startsAt, entryId }] of expected.entries()) {
      const place = heard[i]
      const begins = Math.max(from, at)
      if (place?.entryId !== entryId || place.startsAt !== startsAt || place.from !== begins)
        wrong.push(`${JSON.stringify(place)} instead of ${entryId} at ${begins}, from ${startsAt}`)
    }
    const twice = engine.reports.filter((line, i) => engine.reports.indexOf(line) !== i)
    return twice.length > 0 ? [...wrong, `told twice: ${twice}`] : wrong
  }
  forEachSeed(t, course)
  t.same(course(randomFrom(ENDS_IN_LAST_FRAME)), [])
})

t.test('B5: who asked for a track is still known after a takeover', async (t) => {
  const track = { id: 'a', title: 'A', artist: 'B', album: '', year: null, durationMs: 9_000 }
  for (const asked of [
    { orderType: 'donated', orderId: 'order-1' },
    { orderType: 'requested' },
    { orderType: null },
  ] as const) {
    const entry = { entryId: 'e', track, tier: null, ...asked }
    const marker = markerOf({ entry, startsAt: FIRST, phrase: null }, FIRST / FRAME)
    t.same(markerOf(placedBy(marker), FIRST / FRAME), marker)
  }
})

t.test('B5: a track that was cut is heard to the cut, and the next one begins there', async (t) => {
  forEachSeed(t, (random) => {
    const shelf = new TestLibrary(random)
    const [cut, next] = [shelf.track({ length: 30 * RATE }), shelf.track({ length: 20 * RATE })]
    const positionSamples = shelf.between(RATE, 27 * RATE)
    const engine = new SimulatedEngine([next])
    const cutAt = FIRST + random(2 * RATE)
    engine.goOn(timeOf(cutAt))
    const lastMarker = markerOf(
      { entry: cut, startsAt: FIRST - positionSamples, phrase: null },
      FIRST / FRAME - 1,
    )
    const sequence = new SimulatedPlayback({
      engine,
      files: shelf.files,
      firstHeard: FIRST,
      crossfade: 0,
      lastMarker,
    })
    passUntil(sequence, cutAt + 3 * RATE, random)
    const wrong: string[] = []
    const [tail, after] = mixedPlaces(sequence.spans, wrong)
    if (cutAt > FIRST && tail?.from !== FIRST) wrong.push(`${JSON.stringify(tail)} from ${FIRST}`)
    if (tail && Math.abs(tail.to - cutAt - QUICK_FADE_SAMPLES) > 1) wrong.push(`the tail ends at ${tail.to}`)
    if (after && Math.abs(after.from - cutAt) > 1) wrong.push(`what follows begins at ${after.from}`)
    // 1 ms: the plan is asked for so much later.
    if (after && Math.abs(after.startsAt - cutAt) > 45) wrong.push(`at its sample ${after.startsAt - cutAt}`)
    return engine.reports.length > 0 ? [...wrong, `told ${engine.reports}`] : wrong
  })
})
