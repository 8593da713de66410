import type { AirEntry } from '@solstice/playout'
import { aboutEntry } from '../../../apps/stream-worker/src/audio/sequencer/air-entry.ts'
import { type Sound, startOf, type Voice } from '../../../apps/stream-worker/src/audio/sequencer/voice.ts'
import { inForm } from '../long-form.ts'
import {
  type Random,
  randomFrom,
  type SimulatedPlayback,
  type Span,
  type TestLibrary,
} from './simulated-playback.ts'

export const RATE = 44_100

export const FRAME = 1152

export const FIRST = 1000 * FRAME

const HISTORIES = inForm({ short: 50, long: 1_000 })

/** Runs one history per seed; `check` gives what is wrong with it. */
export function forEachSeed(
  t: { pass(what: string): unknown; fail(what: string): unknown },
  check: (random: Random) => string[],
) {
  for (let seed = 0; seed < HISTORIES; seed++) {
    const wrong = check(randomFrom(seed))
    if (wrong.length > 0) t.fail(`seed ${seed}: ${wrong.slice(0, 3).join('; ')}`)
  }
  t.pass(`${HISTORIES} histories`)
}

export const isVoice = (sound: Sound): sound is Voice => 'entry' in sound

const isTrack = (entry: AirEntry) => 'track' in entry

/** From where to where an entry is heard, and its position 0; samples of the broadcast. */
export interface Place {
  entryId: string
  from: number
  to: number
  startsAt: number
}

/** Where entries are to be heard that follow one another undisturbed, worked out from their lengths alone. */
export function expectedPlaces(entries: AirEntry[], files: TestLibrary['files'], crossfade: number): Place[] {
  const heard = entries.filter(({ entryId }) => !files.get(entryId)!.isUnplayable)
  const lengths = heard.map((entry) => {
    const { endMs, isTrimmed } = aboutEntry(entry)
    const limit = Math.round(((endMs ?? Infinity) + (isTrimmed ? 0 : 5_000)) * 44.1)
    return Math.min(files.get(entry.entryId)!.length, limit) - startOf(entry)
  })
  const places: Place[] = []
  let from = FIRST
  for (const [i, entry] of heard.entries()) {
    const length = lengths[i]!
    const start = startOf(entry)
    const { endMs } = aboutEntry(entry)
    const diedEarly = isTrack(entry) && start + length < Math.min(5 * RATE, endMs! * 44.1 - RATE)
    const to = from + length + (diedEarly ? 2 * RATE : 0)
    places.push({ entryId: entry.entryId, from, to, startsAt: from - start })
    const next = heard[i + 1]
    const overlaps = next && isTrack(entry) && isTrack(next) && !diedEarly
    from = to - (overlaps ? Math.floor(Math.min(crossfade, length / 2, lengths[i + 1]! / 2)) : 0)
  }
  return places
}

/** Where entries were mixed, in order; and what is wrong with that by itself (B1). */
export function mixedPlaces(spans: readonly Span[], wrong: string[]): Place[] {
  const places = new Map<number, Place>()
  let at = spans[0]!.at
  for (const span of spans) {
    if (span.at !== at) wrong.push(`sample ${span.at} is mixed after ${at}`)
    if (!(span.count >= 1 && span.count <= FRAME)) wrong.push(`${span.count} samples at ${span.at}`)
    at = span.at + span.count
    for (const voice of span.sounds.filter(isVoice)) {
      const { entryId } = voice.entry
      const { startsAt } = voice
      const place = places.get(voice.id) ?? { entryId, from: span.at, to: span.at, startsAt }
      if (place.to !== span.at) wrong.push(`${entryId} is not heard from ${place.to} to ${span.at}`)
      if (place.startsAt !== startsAt) wrong.push(`${entryId} jumps at ${span.at}`)
      places.set(voice.id, { ...place, to: at })
    }
  }
  return [...places.values()]
}

export function passUntil(sequence: SimulatedPlayback, sample: number, random: Random) {
  while (sequence.stage.cursor < sample) sequence.pass(random(150))
}
