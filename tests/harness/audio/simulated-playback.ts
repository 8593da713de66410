import type { AirEntry, AirPlan } from '@solstice/playout'
import { FRAME_SAMPLES, type StreamMarker } from '@solstice/station'
import { aboutEntry } from '../../../apps/stream-worker/src/audio/sequencer/air-entry.ts'
import { countMissing } from '../../../apps/stream-worker/src/audio/sequencer/blank-detector.ts'
import { createPatience } from '../../../apps/stream-worker/src/audio/sequencer/patience.ts'
import {
  readAhead,
  undecodableNext,
  undecodablePhrase,
  withoutNext,
  withoutPhrase,
} from '../../../apps/stream-worker/src/audio/sequencer/read-ahead.ts'
import {
  followPlan,
  nextStep,
  planDelayMs,
  type Turn,
  take,
} from '../../../apps/stream-worker/src/audio/sequencer/sequencer.ts'
import {
  advance,
  emptyStage,
  type Stage,
  soundsOf,
  withCurrent,
} from '../../../apps/stream-worker/src/audio/sequencer/stage.ts'
import { takeUp } from '../../../apps/stream-worker/src/audio/sequencer/take-up.ts'
import type { Progress, Sound } from '../../../apps/stream-worker/src/audio/sequencer/voice.ts'

const SAMPLES_PER_MS = 44.1
/** Sound is mixed this far ahead. */
const LEAD_MS = 200
const READ_AHEAD_SAMPLES = 4 * 44_100

export type Random = (below: number) => number

/** Pseudo-random numbers, the same in every run. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A file as numbers: its length, and the progress of its decoder. */
export interface SimulatedFile {
  /** Samples. */
  length: number
  isUnplayable?: boolean
  /** True when no sample is louder than −60 dBFS. */
  isBlank?: boolean
  /** Time until the decoder delivers its first samples, ms. */
  delayMs?: number
  /** Samples per ms from then on; all at once by default. */
  speed?: number
}

/** A mixed stretch in which nothing changed. */
export interface Span {
  at: number
  count: number
  sounds: readonly Sound[]
  /** The previous stage. */
  stage: Stage
  /** Sounds whose samples were not all ready. */
  starved: readonly Sound[]
  isPatient: boolean
  /** The entry on air according to the engine. */
  planned: AirEntry | null
}

/** Entries and their files; an entry and its file have the same id. */
export class TestLibrary {
  readonly files = new Map<string, SimulatedFile>()
  readonly entries: AirEntry[] = []
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** A song; its duration in the library is that of its file unless given. */
  track(file: SimulatedFile, about: { durationMs?: number; startMs?: number; endMs?: number | null } = {}) {
    const id = this.#add('song', file)
    const { durationMs = timeOf(file.length), startMs, endMs = null } = about
    const cuePoints = startMs === undefined ? null : { gainDb: 0, startMs, endMs }
    const track = { id, title: id, artist: '', album: '', year: null, durationMs }
    const entry = { entryId: id, track: { ...track, ...(cuePoints && { cuePoints }) } }
    return { ...entry, orderType: null, tier: null } satisfies AirEntry
  }

  jingle(file: SimulatedFile): AirEntry {
    const id = this.#add('jingle', file)
    return { entryId: id, clip: { id, media: id, durationMs: timeOf(file.length) }, after: this.track(file) }
  }

  /** Filler under a talk, or the talk's silence. */
  chat(file: SimulatedFile | null): AirEntry {
    const id = this.#add('chat', file ?? { length: 0 })
    const shown = { id: '', title: '', artist: '', album: '', year: null, durationMs: null }
    const background = file && { id, media: id, durationMs: timeOf(file.length) }
    return { entryId: id, background, shown }
  }

  between(least: number, most: number): number {
    return least + this.#random(most - least)
  }

  chance(percent: number): boolean {
    return this.#random(100) < percent
  }

  #add(kind: string, file: SimulatedFile): string {
    const id = `${kind}-${this.files.size}`
    this.files.set(id, file)
    return id
  }
}

/** The engine as the sound sees it: the entry on air, its start, and the next entry. */
export class SimulatedEngine {
  current: { entry: AirEntry; startedAtMs: number } | null = null
  readonly upcoming: AirEntry[]
  /** The commands it received. */
  readonly reports: string[] = []
  /** Added to the moments at which entries begin, to imitate rounding. */
  jitterMs = () => 0
  /** True when it ignores commands. */
  ignoresReport = () => false

  constructor(upcoming: AirEntry[]) {
    this.upcoming = upcoming
  }

  plan(atMs: number): AirPlan {
    const next = this.upcoming[0] ?? null
    if (!this.current) return { current: null, next }
    const { entry, startedAtMs } = this.current
    const beginsAtMs = startedAtMs + aboutEntry(entry).startMs
    if (atMs < beginsAtMs) return { current: null, next: entry, beginsAtMs }
    return { current: { entry, positionMs: atMs - startedAtMs }, next }
  }

  /** Puts the next entry on air from the given moment. */
  goOn(atMs: number) {
    const entry = this.upcoming.shift()
    this.current = entry ? { entry, startedAtMs: atMs - aboutEntry(entry).startMs + this.jitterMs() } : null
  }

  report(what: Turn['do'], entry: AirEntry, atMs: number) {
    this.reports.push(`${what} ${entry.entryId}`)
    if (this.ignoresReport()) return
    if (this.current?.entry.entryId === entry.entryId) this.goOn(atMs)
    else {
      const at = this.upcoming.findIndex(({ entryId }) => entryId === entry.entryId)
      if (at >= 0) this.upcoming.splice(at, 1)
    }
  }
}

/** Decoders as numbers: when each was opened, how far it has come, and how much of it was read. */
class SimulatedDecoders {
  readonly #files: ReadonlyMap<string, SimulatedFile>
  readonly #open = new Map<number, { sound: Sound; openedAtMs: number; read: number }>()

  constructor(files: ReadonlyMap<string, SimulatedFile>) {
    this.#files = files
  }

  /** Opens the files of these sounds, unless they are open. */
  open(sounds: readonly Sound[], nowMs: number) {
    for (const sound of sounds) {
      if (!this.#open.has(sound.id)) this.#open.set(sound.id, { sound, openedAtMs: nowMs, read: sound.from })
    }
  }

  /** Notes how far a sound was read, in samples of its file. */
  read({ id }: Sound, read: number) {
    this.#open.get(id)!.read = read
  }

  /** @param crossfade samples that are read ahead beyond the usual ones. */
  progressOf({ id }: Sound, nowMs: number, crossfade: number): Progress {
    const { sound, openedAtMs, read } = this.#open.get(id)!
    const { length, isUnplayable, delayMs = 0, speed = Infinity } = this.#files.get(sound.media)!
    const sinceMs = nowMs - openedAtMs - delayMs
    if (sinceMs < 0) return { phase: 'opening', end: null, ready: sound.from }
    if (isUnplayable) return { phase: 'unplayable', end: null, ready: sound.from }
    const last = Math.min(length, sound.limit)
    const decoded = speed === Infinity ? last : sound.from + Math.floor(sinceMs * speed)
    const ahead = speed === Infinity ? Infinity : read + READ_AHEAD_SAMPLES + crossfade
    const ready = Math.max(sound.from, Math.min(last, decoded, ahead))
    if (ready >= last) return { phase: 'ended', end: last, ready }
    return { phase: ready > sound.from ? 'decoding' : 'opening', end: null, ready }
  }
}

/** A simulated broadcast: runs the sequencer as `playback` does, with numbers in place of sound. */
export class SimulatedPlayback {
  readonly spans: Span[] = []
  readonly turns: { turn: Turn; at: number }[] = []
  stage: Stage
  nowMs: number
  readonly #engine: SimulatedEngine
  readonly #files: ReadonlyMap<string, SimulatedFile>
  readonly #decoders: SimulatedDecoders
  readonly #patience = createPatience()
  #filled = 0

  constructor(options: {
    engine: SimulatedEngine
    files: ReadonlyMap<string, SimulatedFile>
    firstHeard: number
    crossfade: number
    lastMarker?: StreamMarker | null
    nowMs?: number
  }) {
    const { engine, files, firstHeard: at, crossfade, lastMarker = null } = options
    this.#engine = engine
    this.#files = files
    this.#decoders = new SimulatedDecoders(files)
    this.nowMs = options.nowMs ?? timeOf(at)
    this.stage = emptyStage(at, crossfade)
    const place = { at, atMs: timeOf(at), lastMarker }
    this.#enter(takeUp(this.stage, this.#plan(), place, this.progressOf))
  }

  readonly progressOf = (sound: Sound): Progress =>
    this.#decoders.progressOf(sound, this.nowMs, this.stage.crossfade)

  /** Lets time pass; mixes everything that falls due, as far as the decoders keep up. */
  pass(ms: number) {
    this.nowMs += ms
    while (timeOf(this.stage.cursor) <= this.nowMs + LEAD_MS && this.#fill()) {}
  }

  /** Replaces the plan. */
  planChanged() {
    this.#enter(followPlan(this.stage, this.#plan(), this.progressOf))
  }

  #fill(): boolean {
    this.#patience.note(this.nowMs - timeOf(this.stage.cursor))
    this.#prepare()
    while (this.#filled < FRAME_SAMPLES) {
      const isPatient = this.#patience.isLeft
      const step = nextStep(this.stage, FRAME_SAMPLES - this.#filled, isPatient, this.progressOf)
      if (step.do === 'wait') return false
      if (step.do === 'mix') this.#mix(step.count, step.sounds, isPatient)
      else this.#take(step)
    }
    this.#filled = 0
    return true
  }

  #mix(count: number, sounds: readonly Sound[], isPatient: boolean) {
    const { stage } = this
    const { cursor: at } = stage
    const starved = sounds.filter((sound) => {
      const { ready, end } = this.progressOf(sound)
      return end === null && at + count - sound.startsAt > ready
    })
    const planned = this.#plan().current?.entry ?? null
    this.spans.push({ at, count, sounds, stage, starved, isPatient, planned })
    for (const sound of sounds) this.#decoders.read(sound, at + count - sound.startsAt)
    const counted = withCurrent(stage, (voice) => {
      if (this.progressOf(voice).phase === 'opening')
        return { ...voice, blank: sounds.length === 1 ? countMissing(voice.blank, count) : voice.blank }
      const isBlank = this.#files.get(voice.media)!.isBlank && sounds.length === 1 && !voice.isTail
      const samples = isBlank ? voice.blank.samples + count : 0
      return { ...voice, blank: { ...voice.blank, samples, missing: 0 } }
    })
    this.stage = advance(counted, count)
    this.#filled += count
  }

  #take(turn: Turn) {
    const at = this.stage.cursor
    this.turns.push({ turn, at })
    if (turn.do !== 'begin' && !turn.voice.isTail) this.#engine.report(turn.do, turn.voice.entry, timeOf(at))
    this.#enter(take(this.stage, turn, this.#plan(planDelayMs(turn)), this.progressOf))
  }

  #prepare() {
    const entry = undecodableNext(this.stage, this.progressOf)
    if (entry) {
      this.#engine.report('refuse', entry, timeOf(this.stage.cursor))
      this.#enter(withoutNext(this.stage, this.#plan()))
    }
    this.#enter(readAhead(this.stage, this.progressOf))
    if (undecodablePhrase(this.stage, this.progressOf)) this.#enter(withoutPhrase(this.stage))
  }

  #plan(delayMs = 0): AirPlan {
    return this.#engine.plan(timeOf(this.stage.cursor) + delayMs)
  }

  #enter(stage: Stage) {
    this.stage = stage
    this.#decoders.open(soundsOf(stage), this.nowMs)
  }
}

/** Station time of a sample. */
export function timeOf(sample: number): number {
  return sample / SAMPLES_PER_MS
}
