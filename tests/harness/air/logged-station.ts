import { Readable } from 'node:stream'
import { type Effect, type Input, type PlayoutState, step } from '@solstice/playout'
import { createLogbook, Failure, type MediaKey, type Told } from '@solstice/station'
import { NOON } from './programme.ts'

/** A media storage in memory. */
export function keptFiles() {
  const files = new Map<MediaKey, Buffer>()
  let isAway = false
  return {
    files,
    set isAway(away: boolean) {
      isAway = away
    },
    async put(key: MediaKey, content: Readable | Uint8Array | AsyncIterable<Uint8Array>) {
      if (isAway) throw new Error('the storage is away')
      const pieces: Uint8Array[] = []
      if (content instanceof Uint8Array) pieces.push(content)
      else for await (const piece of content) pieces.push(piece)
      files.set(key, Buffer.concat(pieces))
    },
    async open(key: MediaKey) {
      const content = files.get(key)
      if (!content) throw new Failure('NOT_FOUND')
      return Readable.from([content])
    },
    async list(folder: string) {
      return [...files.keys()].filter((key) => key.startsWith(`${folder}/`)).sort()
    },
    async delete(key: MediaKey) {
      files.delete(key)
    },
    async sweep() {},
  }
}

/** What the shell does with the engine and its logbook, by hand. */
export function loggedStation(
  first: PlayoutState,
  { version = '1.0.0', maxChapter }: { version?: string; maxChapter?: number } = {},
) {
  const media = keptFiles()
  let nowMs = NOON
  const clock = { nowMs: () => nowMs, aheadMs: () => 700 }
  const log = { info() {}, warn() {} }
  const open = (version: string) =>
    createLogbook({ media, clock, log }, { version, ...(maxChapter && { maxChapter }) })
  let logbook = open(version)
  let state = first
  let saved = { state, told: new Set<Told>() }
  let unsaved: { told: Told[]; effects: Effect[] } = { told: [], effects: [] }
  const effects: Effect[] = []
  const file = (told: Told) => {
    const { told: pending } = saved
    pending.add(told)
    void logbook.file(told).then(() => pending.delete(told))
  }
  const station = {
    media,
    /** Of all saved states. */
    effects,
    get state() {
      return state
    },
    get nowMs() {
      return nowMs
    },
    /** Lines that are saved with the state. */
    get pending() {
      return [...saved.told]
    },
    pass(ms: number) {
      nowMs += Math.max(1, ms)
    },
    tell(input: Input) {
      const taken = step(state, input, nowMs)
      if (taken.state === state && taken.effects.length === 0) return
      unsaved.told.push(logbook.note(state, input, nowMs, taken.state))
      unsaved.effects.push(...taken.effects)
      state = taken.state
    },
    save() {
      const { told, effects: news } = unsaved
      unsaved = { told: [], effects: [] }
      saved = { state, told: saved.told }
      effects.push(...news)
      for (const one of told) file(one)
    },
    async flush() {
      station.save()
      await logbook.flush()
    },
    /** The worker is killed, and another one, of any version, goes on with what was saved. */
    takeOver(silentMs = 5_000, next = version) {
      logbook.close()
      nowMs++
      logbook = open(next)
      const left = JSON.parse(JSON.stringify([...saved.told])) as Told[]
      saved = { state: JSON.parse(JSON.stringify(saved.state)), told: new Set() }
      unsaved = { told: [], effects: [] }
      state = saved.state
      for (const told of left) file(told)
      station.tell({ type: 'takeover', silentFromMs: nowMs - silentMs })
    },
  }
  return station
}
