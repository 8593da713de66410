import type { AirEntry, AirPlan } from '@solstice/playout'
import { FRAME_SAMPLES, type StreamMarker } from '@solstice/station'
import { aboutEntry } from '../../../apps/stream-worker/src/audio/sequencer/air-entry.ts'
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
import { SimulatedDecoders, type SimulatedFile } from './simulated-decoders.ts'

const SAMPLES_PER_MS = 44.1
/** Sound is mixed this far ahead. */
const LEAD_MS = 200

export type Random = (below: number) => number

/** Pseudo-random numbers, the same in every run. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
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
    if (atMs < beginsAtMs) return { current: null, next: entry, beginsInMs: beginsAtMs - atMs }
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

interface SimulationOptions {
  engine: SimulatedEngine
  files: ReadonlyMap<string, SimulatedFile>
  firstHeard: number
  crossfade: number
  lastMarker?: StreamMarker | null
  nowMs?: number
}

/** A simulated broadcast: runs the sequencer as `playback` does, with numbers in place of sound. */
export class SimulatedPlayback {
  readonly spans: Span[] = []
  readonly turns: { turn: Turn; at: number }[] = []
  stage: Stage
  nowMs: number
  readonly #engine: SimulatedEngine
  readonly #decoders: SimulatedDecoders
  readonly #patience = createPatience()
  #filled = 0

  constructor(options: SimulationOptions) {
    const { engine, files, firstHeard: at, crossfade, lastMarker = null } = options
    this.#engine = engine
    this.#decoders = new SimulatedDecoders(files)
    this.nowMs = options.nowMs ?? timeOf(at)
    this.stage = emptyStage(at, crossfade)
    const place = { at, lastMarker }
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
    const at = stage.cursor
    const starved = sounds.filter((sound) => isStarved(sound, at + count, this.progressOf(sound)))
    const planned = this.#plan().current?.entry ?? null
    this.spans.push({ at, count, sounds, stage, starved, isPatient, planned })
    for (const sound of sounds) this.#decoders.read(sound, at + count - sound.startsAt)
    const counted = withCurrent(stage, (voice) =>
      this.#decoders.withBlankCounted(voice, count, this.progressOf(voice), sounds.length === 1),
    )
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

/** True when the samples of a sound up to `until` are due and not decoded. */
const isStarved = ({ startsAt }: Sound, until: number, { ready, end }: Progress) =>
  end === null && until - startsAt > ready

/** Station time of a sample. */
export function timeOf(sample: number): number {
  return sample / SAMPLES_PER_MS
}
