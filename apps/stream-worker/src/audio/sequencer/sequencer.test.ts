import type { AirEntry } from '@solstice/playout'
import t from 'tap'
import {
  expectedPlaces,
  FIRST,
  FRAME,
  forEachSeed,
  isVoice,
  mixedPlaces,
  type Place,
  passUntil,
  RATE,
} from '../../../../../tests/harness/audio/histories.ts'
import type { SimulatedFile } from '../../../../../tests/harness/audio/simulated-decoders.ts'
import {
  SimulatedEngine,
  SimulatedPlayback,
  TestLibrary,
  timeOf,
} from '../../../../../tests/harness/audio/simulated-playback.ts'
import { CHAT_FADE_SAMPLES, placedOf } from './stage.ts'
import { startOf, type Voice } from './voice.ts'

function differences(actual: readonly Place[], expected: readonly Place[]): string[] {
  return expected.flatMap((place, i) => {
    const found = JSON.stringify(actual[i] ?? null)
    return found === JSON.stringify(place) ? [] : [`${found} instead of ${JSON.stringify(place)}`]
  })
}

/** Spans without what the plan says (B2, B4), or without samples that were worth waiting for (B6). */
function gaps({ spans }: SimulatedPlayback): string[] {
  return spans.flatMap(({ at, stage, planned, sounds, starved, isPatient }) => {
    const { onAir, overId } = stage
    const onAirId = onAir.is === 'nothing' ? null : placedOf(onAir)!.entry.entryId
    const isOver = planned?.entryId === overId
    if (onAirId !== (isOver ? null : (planned?.entryId ?? null)))
      return [`${onAirId} at ${at} instead of ${planned?.entryId}`]
    if (onAir.is !== 'voice') return []
    const { id } = onAir.voice
    if (!sounds.some((sound) => sound.id === id)) return [`${onAirId} is not mixed at ${at}`]
    const isStarved = isPatient && starved.some((sound) => sound.id === id)
    return isStarved ? [`samples of ${onAirId} are missing at ${at}`] : []
  })
}

/** Voices beside the one on air that do not fade out because of a crossfade or a change (B3, B4). */
function unaskedOverlaps({ spans, turns, stage }: SimulatedPlayback, changes: ReadonlySet<number>): string[] {
  const crossfades = new Set(turns.flatMap(({ turn, at }) => (turn.do === 'crossfade' ? [at] : [])))
  return spans.flatMap(({ at, sounds, stage: { onAir } }) => {
    const current = onAir.is === 'voice' ? onAir.voice.id : null
    return sounds.filter(isVoice).flatMap(({ id, fade, entry: { entryId } }) => {
      if (id === current) return []
      if (fade?.direction !== 'out' || at >= fade.from + fade.length)
        return [`${entryId} is heard beside another at ${at}`]
      if (changes.has(fade.from) && fade.length <= CHAT_FADE_SAMPLES) return []
      if (crossfades.has(fade.from) && fade.length <= stage.crossfade) return []
      return [`${entryId} fades from ${fade.from} for ${fade.length}`]
    })
  })
}

/** Voices that follow another one and do not begin with their first sample (B2). */
function falseStarts({ spans, turns }: SimulatedPlayback, changes: ReadonlySet<number>): string[] {
  const begun = new Map<number, { voice: Voice; at: number }>()
  for (const { at, stage } of spans) {
    const voice = stage.onAir.is === 'voice' ? stage.onAir.voice : null
    if (voice && !begun.has(voice.id)) begun.set(voice.id, { voice, at })
  }
  const ends = new Set(turns.flatMap(({ turn, at }) => (turn.do === 'begin' || changes.has(at) ? [] : [at])))
  return [...begun.values()].flatMap(({ voice, at }) => {
    const { entry, startsAt } = voice
    return ends.has(at) && startsAt !== at - startOf(entry)
      ? [`${entry.entryId} begins at ${at - startsAt}`]
      : []
  })
}

t.test('B1–B3, B7: an undisturbed sequence is heard to the sample, and reported once', async (t) => {
  forEachSeed(t, (random) => {
    const shelf = new TestLibrary(random)
    const crossfade = shelf.chance(50) ? random(6 * RATE) : 0
    const length = () => (shelf.chance(80) ? shelf.between(RATE, 8 * RATE) : shelf.between(RATE, 25 * RATE))
    const entries = Array.from({ length: 6 }, (_, i): AirEntry => {
      const file = { length: length() }
      if (i % 3 === 2 && shelf.chance(50)) return shelf.track({ ...file, isUnplayable: true })
      if (shelf.chance(20)) return shelf.jingle(file)
      const startMs = shelf.chance(30) ? random(300) : 0
      const endMs = shelf.chance(50) ? timeOf(file.length) - random(300) : null
      const durationMs = timeOf(file.length) + (shelf.chance(30) ? random(8_000) - 2_000 : 0)
      return shelf.track(file, { durationMs: Math.max(500, durationMs), ...(startMs && { startMs, endMs }) })
    })
    const engine = new SimulatedEngine([...entries])
    engine.goOn(timeOf(FIRST))
    engine.jitterMs = () => -random(20)
    const { files } = shelf
    const sequence = new SimulatedPlayback({ engine, files, firstHeard: FIRST, crossfade })
    const places = expectedPlaces(entries, files, crossfade)
    passUntil(sequence, places.at(-1)!.to + RATE, random)
    const wrong: string[] = []
    wrong.push(...differences(mixedPlaces(sequence.spans, wrong), places))
    const told = entries.map(({ entryId }) => (files.get(entryId)!.isUnplayable ? 'refuse' : 'end') + entryId)
    const heard = engine.reports.map((line) => line.replace('crossfade', 'end').replace(' ', ''))
    if (heard.toSorted().join() !== told.toSorted().join()) wrong.push(`told ${heard}`)
    return [...wrong, ...unaskedOverlaps(sequence, new Set())]
  })
})

t.test('B2: after silence an entry starts at its moment, with its first sample', async (t) => {
  forEachSeed(t, (random) => {
    const shelf = new TestLibrary(random)
    const engine = new SimulatedEngine([shelf.track({ length: 4 * RATE })])
    const startsAt = FIRST + random(2 * RATE)
    engine.goOn(timeOf(startsAt))
    const sequence = new SimulatedPlayback({ engine, files: shelf.files, firstHeard: FIRST, crossfade: 0 })
    passUntil(sequence, startsAt + RATE, random)
    const wrong: string[] = []
    const [place] = mixedPlaces(sequence.spans, wrong)
    if (place?.from !== place?.startsAt) wrong.push(`it starts in its middle: ${JSON.stringify(place)}`)
    // A moment that a fraction of a millisecond can't express falls before the next sample.
    if (!place || Math.abs(place.from - startsAt) > 1) wrong.push(`${place?.from} instead of ${startsAt}`)
    return wrong
  })
})

t.test('B6: waiting for decoders changes nothing that is heard', async (t) => {
  forEachSeed(t, (random) => {
    const shelf = new TestLibrary(random)
    const crossfade = shelf.chance(80) ? RATE / 2 + random(shelf.chance(50) ? RATE / 8 : 3 * RATE) : 0
    const entries = Array.from({ length: 5 }, (_, i): AirEntry => {
      if (i % 3 === 2 && shelf.chance(50))
        return shelf.track({ length: RATE, isUnplayable: true, delayMs: random(100) })
      const length =
        2 * crossfade + (shelf.chance(50) ? shelf.between(RATE / 10, RATE) : random(8 * RATE) + RATE)
      return shelf.track({
        length,
        delayMs: shelf.chance(50) ? 800 : random(800),
        speed: 44.1 * shelf.between(20, 60),
      })
    })
    const engine = new SimulatedEngine([...entries])
    engine.goOn(timeOf(FIRST))
    const { files } = shelf
    const sequence = new SimulatedPlayback({ engine, files, firstHeard: FIRST, crossfade })
    const places = expectedPlaces(entries, files, crossfade)
    passUntil(sequence, places.at(-1)!.to + RATE, random)
    const wrong: string[] = []
    const starved = sequence.spans.find((span) => span.starved.length > 0)
    if (starved) wrong.push(`samples are missing at ${starved.at}`)
    wrong.push(...differences(mixedPlaces(sequence.spans, wrong), places))
    return wrong
  })
})

t.test('B1–B4, B6, B7: no event causes an unplanned gap or overlap', async (t) => {
  forEachSeed(t, (random) => {
    const shelf = new TestLibrary(random)
    const crossfade = shelf.chance(60) ? random(5 * RATE) : 0
    const entry = (): AirEntry => {
      const file: SimulatedFile = {
        length: shelf.chance(20) ? random(RATE) + 1 : shelf.between(RATE, 30 * RATE),
        isUnplayable: shelf.chance(10),
        isBlank: shelf.chance(15),
        delayMs: shelf.chance(20) ? random(5_000) : random(300),
        speed: shelf.chance(15) ? 40 : 44.1 * shelf.between(2, 30),
      }
      const kind = random(10)
      if (kind < 7) return shelf.track(file, { durationMs: timeOf(file.length) + random(3_000) })
      return kind < 9 ? shelf.jingle(file) : shelf.chat(shelf.chance(50) ? file : null)
    }
    const engine = new SimulatedEngine(Array.from({ length: 15 }, entry))
    engine.ignoresReport = () => shelf.chance(5)
    engine.goOn(timeOf(FIRST) - (shelf.chance(50) ? random(10_000) : 0))
    const sequence = new SimulatedPlayback({ engine, files: shelf.files, firstHeard: FIRST, crossfade })
    /** Samples at which the plan became another one. */
    const changes = new Set<number>()
    for (let i = 0; i < 400; i++) {
      sequence.pass(shelf.chance(1) ? random(4_000) : random(150))
      if (!shelf.chance(2)) continue
      const kind = random(4)
      if (kind === 0) engine.upcoming.unshift(entry())
      else if (kind === 1) engine.upcoming.shift()
      else engine.goOn(timeOf(sequence.stage.cursor) - (kind === 2 ? 0 : random(4_000)))
      changes.add(sequence.stage.cursor)
      sequence.planChanged()
    }
    const wrong: string[] = []
    mixedPlaces(sequence.spans, wrong)
    return [
      ...wrong,
      ...gaps(sequence),
      ...unaskedOverlaps(sequence, changes),
      ...falseStarts(sequence, changes),
    ]
  })
})

t.test('B7: a blank track is left after 8 s, at most a frame later', async (t) => {
  forEachSeed(t, (random) => {
    const shelf = new TestLibrary(random)
    const blank = shelf.track({ length: 40 * RATE, isBlank: true })
    const engine = new SimulatedEngine([blank, shelf.track({ length: 20 * RATE })])
    engine.goOn(timeOf(FIRST))
    const crossfade = random(3 * RATE)
    const sequence = new SimulatedPlayback({ engine, files: shelf.files, firstHeard: FIRST, crossfade })
    passUntil(sequence, FIRST + 12 * RATE, random)
    const wrong: string[] = []
    const [first, second] = mixedPlaces(sequence.spans, wrong)
    const length = first!.to - first!.from
    if (length < 8 * RATE || length >= 8 * RATE + FRAME) wrong.push(`left after ${length}`)
    if (second?.from !== first!.to || second.startsAt !== first!.to) wrong.push(JSON.stringify(second))
    return engine.reports.join() === `blank ${blank.entryId}` ? wrong : [...wrong, engine.reports.join()]
  })
})

t.test('B7: a late decoder is waited for while the next one is late too', async (t) => {
  forEachSeed(t, (random) => {
    const library = new TestLibrary(random)
    const delayMs = library.between(9_000, 25_000)
    const late = library.track({ length: 40 * RATE, delayMs })
    const next = library.track({ length: 20 * RATE, delayMs })
    const engine = new SimulatedEngine([late, next])
    engine.goOn(timeOf(FIRST))
    const sequence = new SimulatedPlayback({ engine, files: library.files, firstHeard: FIRST, crossfade: 0 })
    passUntil(sequence, FIRST + 39 * RATE, random)
    const wrong: string[] = []
    const places = mixedPlaces(sequence.spans, wrong)
    if (places.length !== 1 || places[0]!.entryId !== late.entryId) wrong.push(JSON.stringify(places))
    return engine.reports.length > 0 ? [...wrong, engine.reports.join()] : wrong
  })
})

t.test('B7: after 8 s a late decoder gives way to a next one that has sound', async (t) => {
  forEachSeed(t, (random) => {
    const library = new TestLibrary(random)
    const late = library.track({ length: 40 * RATE, delayMs: 60_000 })
    const next = library.track({ length: 20 * RATE, delayMs: random(12_000) })
    const engine = new SimulatedEngine([late, next])
    engine.goOn(timeOf(FIRST))
    const sequence = new SimulatedPlayback({ engine, files: library.files, firstHeard: FIRST, crossfade: 0 })
    passUntil(sequence, FIRST + 25 * RATE, random)
    const wrong: string[] = []
    const [first, second] = mixedPlaces(sequence.spans, wrong)
    if (first!.to - first!.from < 8 * RATE) wrong.push(`left after ${first!.to - first!.from}`)
    if (second?.from !== first!.to || second.startsAt !== first!.to) wrong.push(JSON.stringify(second))
    return engine.reports.join() === `late ${late.entryId}` ? wrong : [...wrong, engine.reports.join()]
  })
})
