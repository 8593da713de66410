/** A chord by the notes that are in it. */
export interface Chord {
  /** Semitones above C of the lowest note. */
  bass: number
  /** Semitones above C, from the root upwards; none twice. */
  tones: number[]
}

const notes: Record<string, number> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 }
const qualities: Record<string, number[]> = {
  '': [0, 4, 7],
  add9: [0, 2, 4, 7],
  '6': [0, 4, 7, 9],
  '7': [0, 4, 7, 10],
  '9': [0, 4, 10, 14],
  maj7: [0, 4, 7, 11],
  maj9: [0, 4, 11, 14],
  m: [0, 3, 7],
  m7: [0, 3, 7, 10],
  m9: [0, 3, 10, 14],
  sus2: [0, 2, 7],
  sus4: [0, 5, 7],
  '7sus4': [0, 5, 7, 10],
}
const scales: Record<string, number[]> = {
  major: [0, 2, 4, 5, 7, 9, 11],
  minor: [0, 2, 3, 5, 7, 8, 10],
}

/** Reads a chord as musicians write it: `Cmaj9`, `F#m7`, `G/B`. @throws when it is none. */
export function parseChord(symbol: string): Chord {
  const [, root, quality, bass] = /^([A-G][#b]?)([^/]*)(?:\/([A-G][#b]?))?$/.exec(symbol) ?? []
  const intervals = qualities[quality ?? 'none']
  if (root === undefined || !intervals) throw new Error(`"${symbol}" is not a chord`)
  const from = pitchClass(root)
  return {
    bass: bass === undefined ? from : pitchClass(bass),
    tones: intervals.map((interval) => (from + interval) % 12),
  }
}

/** A scale such as `D major`: degree 1 is its first note at or above `lowest` (MIDI), 8 the octave, 0 the note below 1. */
export function scaleOf(name: string, lowest: number): (degree: number) => number {
  const [tonic, kind] = name.split(' ')
  const steps = scales[kind ?? '']
  if (!tonic || !steps) throw new Error(`"${name}" is not a scale`)
  const first = atOrAbove(pitchClass(tonic), lowest)
  return (degree) => {
    const index = degree - 1
    const octave = Math.floor(index / steps.length)
    return first + 12 * octave + steps[index - octave * steps.length]!
  }
}

/** The lowest MIDI note of a pitch class that is not below `lowest`. */
export function atOrAbove(tone: number, lowest: number): number {
  return lowest + ((((tone - lowest) % 12) + 12) % 12)
}

/**
 * The notes (MIDI, upwards) in which a chord is played after another one: of all inversions around `middle` the one
 * whose voices move least.
 */
export function voice(chord: Chord, previous: number[] | null, middle: number): number[] {
  const inversions = chord.tones.flatMap((_, shift) => {
    const order = [...chord.tones.slice(shift), ...chord.tones.slice(0, shift)]
    return [middle - 12, middle - 7].map((lowest) => stack(order, lowest))
  })
  const cost = (voicing: number[]) => {
    const centre = voicing.reduce((sum, note) => sum + note, 0) / voicing.length
    const travel = previous ? voicing.reduce((sum, note) => sum + distance(note, previous), 0) : 0
    return travel + 0.5 * Math.abs(centre - middle)
  }
  return inversions.reduce((best, candidate) => (cost(candidate) < cost(best) ? candidate : best))
}

/** Moves a long note that would rub against the chord, a semitone from one of its tones, onto that tone. */
export function settle(note: number, chord: Chord): number {
  const isTone = (candidate: number) => chord.tones.includes(((candidate % 12) + 12) % 12)
  if (isTone(note)) return note
  if (isTone(note - 1)) return note - 1
  return isTone(note + 1) ? note + 1 : note
}

function pitchClass(name: string): number {
  const natural = notes[name[0] ?? '']
  if (natural === undefined) throw new Error(`"${name}" is not a note`)
  return (natural + (name[1] === '#' ? 1 : name[1] === 'b' ? -1 : 0) + 12) % 12
}

function stack(tones: number[], lowest: number): number[] {
  let floor = lowest
  return tones.map((tone) => {
    const note = atOrAbove(tone, floor)
    floor = note + 1
    return note
  })
}

function distance(note: number, others: number[]): number {
  return Math.min(...others.map((other) => Math.abs(note - other)))
}
