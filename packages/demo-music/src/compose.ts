import { atOrAbove, type Chord, parseChord, scaleOf, settle, voice } from './harmony.ts'
import type { InstrumentName } from './instruments.ts'
import type { Random } from './random.ts'

/** How a part makes notes out of the chords. */
export type Pattern =
  /** The chord as long as it lasts. */
  | { kind: 'held'; middle: number }
  /** The chord at some beats of the bar: `beat:length`, separated by spaces. */
  | { kind: 'struck'; middle: number; beats: string }
  /** One tone of the chord per step, by its place from below (0 is the lowest; from 4 on an octave higher). */
  | { kind: 'broken'; middle: number; step: number; order: string }
  /** The bass: `beat:length:tone`, tone R (root), 5 (fifth) or 8 (octave). */
  | { kind: 'bass'; beats: string }
  /** A tune in degrees of the scale, `degree:beats`, r is a rest, bars separated by |. */
  | { kind: 'tune'; lowest: number; tune: string }
  /** Strokes in a bar cut into equal steps: X loud, x soft, . none. */
  | { kind: 'strokes'; steps: string }

export interface Part {
  instrument: InstrumentName
  pattern: Pattern
  /** dB. */
  gain: number
  /** −1 left, 1 right. */
  pan?: number
  /** How much of it goes into the room and into the echo, 0 to 1. */
  room?: number
  echo?: number
}

export interface Score {
  beatsPerMinute: number
  beatsPerBar: number
  /** How far every second eighth comes late, as a share of an eighth. */
  swing?: number
  /** Such as `D major`. */
  scale: string
  /** A bar's chords separated by spaces, bars by |; they come again and again. */
  chords: string
  parts: Record<string, Part>
  /** The parts that play in each group of bars, in order. */
  form: { bars: number; play: string }[]
}

/** A note of a part, in seconds and Hz. */
export interface Played {
  part: Part
  atS: number
  seconds: number
  hz: number
  velocity: number
}

/** Seconds from the first beat to the end of the last bar. */
export function lengthOf(score: Score): number {
  return barsOf(score) * score.beatsPerBar * secondsPerBeat(score)
}

/** The moment at which a bar begins, seconds. */
export function barStart(score: Score, bar: number): number {
  return bar * score.beatsPerBar * secondsPerBeat(score)
}

/** Writes out all notes of a score, in order of time, with the small unevenness of hands. */
export function compose(score: Score, random: Random): Played[] {
  const bars = score.chords.split('|').map((bar) => bar.trim().split(/\s+/).map(parseChord))
  const played: Played[] = []
  let bar = 0
  for (const { bars: count, play } of score.form) {
    for (const name of play.split(' ')) {
      const part = score.parts[name]
      if (!part) throw new Error(`there is no part "${name}"`)
      played.push(...playPart(score, part, bars, bar, count, random))
    }
    bar += count
  }
  return played.sort((a, b) => a.atS - b.atS)
}

/** A note by beats from the start of its bar. */
interface Event {
  beat: number
  beats: number
  /** MIDI; strokes have none. */
  note: number | null
  velocity: number
}

function playPart(
  score: Score,
  part: Part,
  chords: Chord[][],
  firstBar: number,
  count: number,
  random: Random,
): Played[] {
  const beatS = secondsPerBeat(score)
  const player = playerOf(score, part.pattern)
  return Array.from({ length: count }, (_, n) => firstBar + n).flatMap((bar) => {
    const events = player(chords[bar % chords.length]!, bar - firstBar)
    return events.map(({ beat, beats, note, velocity }) => {
      const jitterS = part.pattern.kind === 'held' ? 0 : 0.007 * random()
      return {
        part,
        atS: barStart(score, bar) + swung(beat, score.swing ?? 0) * beatS + jitterS,
        seconds: beats * beatS,
        hz: note === null ? 0 : 440 * 2 ** ((note - 69) / 12),
        velocity: Math.min(1, velocity * (0.88 + 0.24 * random())),
      }
    })
  })
}

/** Makes the notes of one bar after the other. */
type Player = (chords: Chord[], bar: number) => Event[]

/** Lays a chord near a middle note, as close as possible to the chord before. */
type Hand = (chord: Chord, middle: number) => number[]

type PatternOf<K extends Pattern['kind']> = Extract<Pattern, { kind: K }>

function playerOf(score: Score, pattern: Pattern): Player {
  const { beatsPerBar, scale } = score
  switch (pattern.kind) {
    case 'held':
      return held(pattern, beatsPerBar, createHand())
    case 'struck':
      return struck(pattern, beatsPerBar, createHand())
    case 'broken':
      return broken(pattern, beatsPerBar, createHand())
    case 'bass':
      return bass(pattern, beatsPerBar)
    case 'tune':
      return tune(pattern, beatsPerBar, scale)
    case 'strokes':
      return strokes(pattern, beatsPerBar)
  }
}

function createHand(): Hand {
  let last: number[] | null = null
  return (chord, middle) => {
    last = voice(chord, last, middle)
    return last
  }
}

function held({ middle }: PatternOf<'held'>, bar: number, hand: Hand): Player {
  return (chords) =>
    chords.flatMap((chord, i) =>
      hand(chord, middle).map((note) => ({
        beat: (i * bar) / chords.length,
        beats: bar / chords.length,
        note,
        velocity: 0.6,
      })),
    )
}

function struck({ beats: text, middle }: PatternOf<'struck'>, bar: number, hand: Hand): Player {
  const strokes = words(text).map(([beat, beats]) => ({ beat: Number(beat), beats: Number(beats) }))
  return (chords) =>
    strokes.flatMap(({ beat, beats }) =>
      hand(chordAt(chords, beat, bar), middle).map((note, finger) => ({
        // The fingers come down one after the other.
        beat: beat + 0.012 * finger,
        beats,
        note,
        velocity: beat === 0 ? 0.68 : 0.52,
      })),
    )
}

function broken({ order: text, step, middle }: PatternOf<'broken'>, bar: number, hand: Hand): Player {
  const order = text.split(' ').map(Number)
  return (chords) =>
    Array.from({ length: Math.round(bar / step) }, (_, i) => {
      const tones = hand(chordAt(chords, i * step, bar), middle)
      const place = order[i % order.length]!
      return {
        beat: i * step,
        beats: step * 2.2,
        note: tones[place % tones.length]! + 12 * Math.floor(place / tones.length),
        velocity: i === 0 ? 0.72 : i % 2 === 0 ? 0.56 : 0.44,
      }
    })
}

function bass({ beats: text }: PatternOf<'bass'>, bar: number): Player {
  const notes = words(text)
  return (chords) =>
    notes.map(([beat, beats, tone]) => {
      const chord = chordAt(chords, Number(beat), bar)
      const root = atOrAbove(chord.bass, 31)
      const fifth = atOrAbove(chord.tones.find((t) => (t - chord.bass + 12) % 12 === 7) ?? chord.bass, root)
      const note = tone === '5' ? fifth : tone === '8' ? root + 12 : root
      return { beat: Number(beat), beats: Number(beats), note, velocity: 0.7 }
    })
}

function tune(pattern: PatternOf<'tune'>, bar: number, scale: Score['scale']): Player {
  const degree = scaleOf(scale, pattern.lowest)
  const bars = pattern.tune.split('|').map((text) => words(text.trim()))
  return (chords, nth) => {
    let beat = 0
    return bars[nth % bars.length]!.flatMap(([name, length]) => {
      const beats = Number(length)
      const from = beat
      beat += beats
      if (name === 'r') return []
      const note = degree(Number(name))
      const settled = beats >= 1 ? settle(note, chordAt(chords, from, bar)) : note
      return [{ beat: from, beats: beats * 0.96, note: settled, velocity: from % 1 === 0 ? 0.72 : 0.6 }]
    })
  }
}

function strokes(pattern: PatternOf<'strokes'>, bar: number): Player {
  const steps = [...pattern.steps.replaceAll(' ', '')]
  return () =>
    steps.flatMap((step, i) => {
      if (step === '.') return []
      const beat = (i * bar) / steps.length
      return [{ beat, beats: 0.25, note: null, velocity: step === 'X' ? 0.85 : 0.45 }]
    })
}

function words(text: string): string[][] {
  return text.split(/\s+/).map((word) => word.split(':'))
}

function chordAt(chords: Chord[], beat: number, beatsPerBar: number): Chord {
  return chords[Math.min(chords.length - 1, Math.floor((beat / beatsPerBar) * chords.length))]!
}

function swung(beat: number, swing: number): number {
  const isOffbeat = Math.abs((beat % 1) - 0.5) < 0.01
  return isOffbeat ? beat + 0.5 * swing : beat
}

function barsOf(score: Score): number {
  return score.form.reduce((sum, { bars }) => sum + bars, 0)
}

function secondsPerBeat(score: Score): number {
  return 60 / score.beatsPerMinute
}
