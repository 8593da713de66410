import type { Random } from './random.ts'

export const SAMPLE_RATE = 44_100

/** One note or stroke. */
export interface Note {
  /** Hz; strokes have none. */
  hz: number
  /** Until the key is let go; the sound may ring on. */
  seconds: number
  /** 0 to 1. */
  velocity: number
}

/** Writes the sound of a note, about 1 at its loudest, into the beginning of `out`; returns how many samples it has. */
export type Instrument = (out: Float32Array, note: Note, random: Random) => number

/** No sound is longer than this. */
export const MAX_NOTE_S = 14

const TABLE = 2048
const MASK = TABLE - 1
const sineTable = Float32Array.from({ length: TABLE + 1 }, (_, i) => Math.sin((2 * Math.PI * i) / TABLE))

/** Electric piano: one sine bends another; the harder the stroke, the brighter. */
const keys: Instrument = (out, { hz, seconds, velocity }) => {
  const decay = perSample(1.9 * 2 ** ((220 - hz) / 700))
  const release = perSample(0.14)
  const bright = perSample(0.45)
  const tine = perSample(0.05)
  const held = samples(seconds)
  const count = samples(seconds + 0.7)
  const step = hz / SAMPLE_RATE
  let level = 0.8
  let bend = 0.05 + 0.2 * velocity
  let tineLevel = 0.1 * velocity
  let phase = 0
  let tinePhase = 0
  for (let i = 0; i < count; i++) {
    const body = sine(phase + 4 + bend * sine(phase))
    out[i] = attack(i, 0.004) * level * (body + tineLevel * sine(tinePhase))
    level *= i < held ? decay : release
    bend *= bright
    tineLevel *= tine
    phase = wrap(phase + step)
    tinePhase = wrap(tinePhase + 7 * step)
  }
  return count
}

/** Soft strings or a warm organ: three tables of few harmonics, a little out of tune with each other. */
const pad: Instrument = (out, { hz, seconds }, random) => {
  const table = harmonics(Math.max(1, Math.min(14, Math.floor(2_600 / hz))), 1.35)
  const rise = Math.min(0.9, seconds * 0.4)
  const fall = 1.4
  const count = samples(seconds + fall)
  const held = samples(seconds)
  const steps = [0.9972, 1, 1.0029].map((detune) => (hz * detune) / SAMPLE_RATE)
  const phases = steps.map(() => random())
  let [a, b, c] = phases as [number, number, number]
  const [stepA, stepB, stepC] = steps as [number, number, number]
  const swell = 0.11 / SAMPLE_RATE
  let swellPhase = random()
  for (let i = 0; i < count; i++) {
    const out_ = i < held ? 1 : 1 - smooth((i - held) / (count - held))
    const level = smooth(i / (rise * SAMPLE_RATE)) * out_ * (0.88 + 0.12 * sine(swellPhase))
    out[i] = 0.42 * level * (read(table, a) + read(table, b) + read(table, c))
    a = wrap(a + stepA)
    b = wrap(b + stepB)
    c = wrap(c + stepC)
    swellPhase = wrap(swellPhase + swell)
  }
  return count
}

/** A plucked string: a burst of noise runs round in a delay line that softens it (Karplus and Strong). */
const pluck: Instrument = (out, { hz, seconds, velocity }, random) => {
  const period = SAMPLE_RATE / hz - 0.5
  const length = Math.floor(period)
  const fraction = period - length
  const allpass = (1 - fraction) / (1 + fraction)
  const ring = Math.min(3.2, 1.1 + 260 / hz)
  const count = Math.min(out.length, samples(Math.min(seconds + 1.2, ring + 0.3)))
  const line = new Float32Array(length)
  let soft = 0
  let mean = 0
  for (let i = 0; i < length; i++) {
    soft += (0.16 + 0.42 * velocity) * (2 * random() - 1 - soft)
    line[i] = soft
    mean += soft / length
  }
  let loudest = 0
  for (let i = 0; i < length; i++) {
    line[i]! -= mean
    loudest = Math.max(loudest, Math.abs(line[i]!))
  }
  const gain = 10 ** (-3 / (hz * ring))
  const held = samples(seconds)
  const release = perSample(0.22)
  let at = 0
  let previous = 0
  let heldBack = 0
  let output = 0
  let level = 0.9 / (loudest || 1)
  for (let i = 0; i < count; i++) {
    const current = line[at]!
    const mixed = gain * 0.5 * (current + previous)
    previous = current
    output = allpass * (mixed - output) + heldBack
    heldBack = mixed
    line[at] = output
    at = at + 1 === length ? 0 : at + 1
    if (i > held) level *= release
    out[i] = level * current * attack(i, 0.001)
  }
  return fadeEnd(out, count)
}

/** Thumb piano: a round tone with a short knock of a high partial. */
const kalimba: Instrument = (out, { hz, velocity }) => {
  const partials = [
    { ratio: 1, level: 0.85, ring: 0.75 },
    { ratio: 2, level: 0.08, ring: 0.5 },
    { ratio: 5.4, level: 0.12 * velocity, ring: 0.07 },
  ]
  return ringing(out, hz, partials, 2.2)
}

/** Vibraphone: metal bars over slowly turning vanes. */
const vibes: Instrument = (out, { hz, velocity }) => {
  const partials = [
    { ratio: 1, level: 0.8, ring: 1.7 },
    { ratio: 3.98, level: 0.13 * (0.4 + velocity), ring: 0.45 },
    { ratio: 9.9, level: 0.04 * velocity, ring: 0.08 },
  ]
  const count = ringing(out, hz, partials, 4.5)
  for (let i = 0; i < count; i++) out[i]! *= 0.86 + 0.14 * sine(wrap((4.3 * i) / SAMPLE_RATE))
  return count
}

/** Something like a flute: few harmonics, a vibrato that comes late, a breath at the beginning. */
const flute: Instrument = (out, { hz, seconds, velocity }, random) => {
  const held = samples(seconds)
  const count = samples(seconds + 0.18)
  let phase = 0
  let vibrato = random()
  let breath = 0
  for (let i = 0; i < count; i++) {
    const t = i / SAMPLE_RATE
    const depth = 0.0045 * smooth((t - 0.3) / 0.6)
    const level = smooth(t / 0.07) * (i < held ? 1 : 1 - smooth((i - held) / (count - held)))
    breath += 0.25 * (2 * random() - 1 - breath)
    const tone = sine(phase) + (0.22 + 0.16 * velocity) * sine(wrap(2 * phase)) + 0.08 * sine(wrap(3 * phase))
    out[i] = 0.72 * level * (tone + breath * (0.05 + 0.12 * Math.exp(-t * 14)))
    phase = wrap(phase + (hz / SAMPLE_RATE) * (1 + depth * sine(vibrato)))
    vibrato = wrap(vibrato + 5.1 / SAMPLE_RATE)
  }
  return count
}

/** A round bass: fundamental with a little of the next two partials. */
const bass: Instrument = (out, { hz, seconds, velocity }) => {
  const held = samples(seconds)
  const count = samples(seconds + 0.12)
  const settleRate = perSample(0.35)
  const release = perSample(0.035)
  let level = 0.45
  let phase = 0
  let fade = 1
  for (let i = 0; i < count; i++) {
    const edge = 0.12 + 0.2 * velocity * level
    const tone = sine(phase) + edge * sine(wrap(2 * phase)) + 0.4 * edge * sine(wrap(3 * phase))
    if (i >= held) fade *= release
    out[i] = attack(i, 0.008) * (0.5 + level) * fade * 0.8 * tone
    level *= settleRate
    phase = wrap(phase + hz / SAMPLE_RATE)
  }
  return fadeEnd(out, count)
}

/** A soft bass drum. */
const kick: Instrument = (out, { velocity }) => {
  const count = samples(0.42)
  let phase = 0
  for (let i = 0; i < count; i++) {
    const t = i / SAMPLE_RATE
    out[i] = attack(i, 0.002) * Math.exp(-t / 0.11) * sine(phase)
    phase = wrap(phase + (46 + (40 + 30 * velocity) * Math.exp(-t / 0.028)) / SAMPLE_RATE)
  }
  return fadeEnd(out, count)
}

/** A brush on a snare drum. */
const brush: Instrument = (out, { velocity }, random) =>
  noise(out, random, { low: 0.06, high: 0.36, rise: 0.006, fall: 0.055 + 0.03 * velocity, gain: 1.5 })

/** A shaker: grains that are thrown forward. */
const shaker: Instrument = (out, _, random) =>
  noise(out, random, { low: 0.5, high: 0.85, rise: 0.022, fall: 0.026, gain: 1.1 })

/** A closed hi-hat, played with the tip of the stick. */
const hat: Instrument = (out, { velocity }, random) =>
  noise(out, random, { low: 0.62, high: 0.95, rise: 0.001, fall: 0.016 + 0.02 * velocity, gain: 1 })

/** A wood block. */
const wood: Instrument = (out) => {
  const partials = [
    { ratio: 1, level: 0.6, ring: 0.022 },
    { ratio: 1.52, level: 0.35, ring: 0.014 },
  ]
  return ringing(out, 880, partials, 0.2)
}

export const instruments = {
  keys,
  pad,
  pluck,
  kalimba,
  vibes,
  flute,
  bass,
  kick,
  brush,
  shaker,
  hat,
  wood,
} as const satisfies Record<string, Instrument>
export type InstrumentName = keyof typeof instruments

interface Partial {
  ratio: number
  level: number
  /** Seconds until it has fallen to a third. */
  ring: number
}

/** Partials that die away, each its own way. */
function ringing(out: Float32Array, hz: number, partials: Partial[], seconds: number): number {
  const count = samples(seconds)
  out.fill(0, 0, count)
  for (const { ratio, level, ring } of partials) {
    const step = (hz * ratio) / SAMPLE_RATE
    if (step > 0.45) continue
    const decay = perSample(ring)
    const last = Math.min(count, samples(ring * 7))
    let phase = 0
    let now = level
    for (let i = 0; i < last; i++) {
      out[i]! += now * sine(phase) * attack(i, 0.002)
      now *= decay
      phase = wrap(phase + step)
    }
  }
  return fadeEnd(out, count)
}

/** A burst of noise between two one-pole filters (0 to 1, the share of each new sample). */
function noise(
  out: Float32Array,
  random: Random,
  burst: { low: number; high: number; rise: number; fall: number; gain: number },
): number {
  const count = samples(burst.rise + burst.fall * 7)
  const decay = perSample(burst.fall)
  const rise = burst.rise * SAMPLE_RATE
  let below = 0
  let smoothed = 0
  let level = burst.gain
  for (let i = 0; i < count; i++) {
    const white = 2 * random() - 1
    smoothed += burst.high * (white - smoothed)
    below += burst.low * (smoothed - below)
    out[i] = (smoothed - below) * level * smooth(i / rise)
    if (i > rise) level *= decay
  }
  return fadeEnd(out, count)
}

const tables = new Map<number, Float32Array>()

/** One period with the first `count` harmonics, the n-th as loud as 1 / n^slope. */
function harmonics(count: number, slope: number): Float32Array {
  let table = tables.get(count)
  if (!table) {
    table = new Float32Array(TABLE + 1)
    for (let n = 1; n <= count; n++) {
      for (let i = 0; i <= TABLE; i++) table[i]! += sineTable[(i * n) & MASK]! / n ** slope
    }
    tables.set(count, table)
  }
  return table
}

/** Reads a table at a phase of 0 to 1. */
function read(table: Float32Array, phase: number): number {
  const place = phase * TABLE
  const i = place | 0
  const here = table[i]!
  return here + (place - i) * (table[i + 1]! - here)
}

/** The sine of a phase in turns; any phase that is not negative. */
function sine(phase: number): number {
  const place = phase * TABLE
  const i = place | 0
  const at = i & MASK
  const here = sineTable[at]!
  return here + (place - i) * (sineTable[at + 1]! - here)
}

function wrap(phase: number): number {
  return phase >= 1 ? phase - Math.floor(phase) : phase
}

/** From 0 to 1 without a corner. */
function smooth(x: number): number {
  return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x)
}

function attack(i: number, seconds: number): number {
  const length = seconds * SAMPLE_RATE
  return i < length ? i / length : 1
}

/** The factor per sample with which a level falls to a third (1/e) in `seconds`. */
function perSample(seconds: number): number {
  return Math.exp(-1 / (seconds * SAMPLE_RATE))
}

function samples(seconds: number): number {
  return Math.min(Math.round(seconds * SAMPLE_RATE), MAX_NOTE_S * SAMPLE_RATE)
}

/** Fades a ringing note out over its last 30 ms, to avoid a click. */
function fadeEnd(out: Float32Array, count: number): number {
  const length = Math.min(count, Math.round(0.03 * SAMPLE_RATE))
  for (let i = 0; i < length; i++) out[count - 1 - i]! *= i / length
  return count
}
