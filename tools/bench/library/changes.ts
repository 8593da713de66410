import {
  type AllCuePoints,
  apply,
  type Command,
  learn,
  makePlaylist,
  noteCuePoints,
  orderEffects,
  type Pieces,
  type PlayoutState,
} from '@solstice/playout'
import { createStateReader } from '../../../packages/adapters/src/air/state/reader.ts'
import { createStateWriter } from '../../../packages/adapters/src/air/state/writer.ts'
import { largeStation } from '../../../tests/harness/air/large-station.ts'
import { library, NOON } from '../../../tests/harness/air/programme.ts'

const TURNS = 40

/** Cost of a change of the air: for the worker that makes and saves it, and for a replica that receives it. */
export interface ChangeFigures {
  name: string
  /** Bytes written to Redis, and the part of them published to each replica. */
  bytes: number
  published: number
  workerMs: number
  replicaMs: number
  /** The floor of both: what is written, bare `JSON.stringify` and `JSON.parse`. */
  stringifyMs: number
  parseMs: number
}

/** Measures a station with this many tracks in each of both modes; the cheapest turn of each counts. */
export function measureChanges(tracksOfMode: number): ChangeFigures[] {
  const start = largeStation(tracksOfMode)
  const writer = createStateWriter()
  const reader = createStateReader()
  let state = start

  const save = (next: PlayoutState) => {
    const { head, added } = writer.write(next)
    const news = [...added].map(([key, text]) => ({ key, text }))
    const bytes = news.reduce((sum, { text }) => sum + Buffer.byteLength(text), Buffer.byteLength(head))
    return { head, news, bytes }
  }
  const follow = ({ head, news }: ReturnType<typeof save>) => {
    for (const { key, text } of news) reader.learn(key, text)
    return reader.read(head)
  }
  const measure = (name: string, change: (before: PlayoutState, turn: number) => PlayoutState) => {
    const turns = Array.from({ length: TURNS }, (_, turn) => {
      const before = state
      const beganMs = performance.now()
      const next = change(before, turn)
      orderEffects(before, { state: next, effects: [] })
      const saved = save(next)
      const savedMs = performance.now()
      follow(saved)
      const followedMs = performance.now()
      state = next
      const texts = [saved.head, ...saved.news.map(({ text }) => text)]
      const parsedFromMs = performance.now()
      const values: unknown[] = texts.map((text) => JSON.parse(text))
      const parsedMs = performance.now()
      for (const value of values) JSON.stringify(value)
      return {
        bytes: saved.bytes,
        published: Buffer.byteLength(saved.head),
        workerMs: savedMs - beganMs,
        replicaMs: followedMs - savedMs,
        stringifyMs: performance.now() - parsedMs,
        parseMs: parsedMs - parsedFromMs,
      }
    })
    const least = (of: keyof (typeof turns)[number]) => Math.min(...turns.map((turn) => turn[of]))
    const figures = {
      bytes: least('bytes'),
      published: least('published'),
      workerMs: least('workerMs'),
      replicaMs: least('replicaMs'),
      stringifyMs: least('stringifyMs'),
      parseMs: least('parseMs'),
    }
    return { name, ...figures }
  }
  const obey = (before: PlayoutState, command: Command) => apply(before, command, NOON).state
  const song = (turn: number) => start.playlist.entries[turn * 3]!.track

  follow(save(start))
  return [
    measure('a gain', (before, gain) => ({
      ...before,
      hosting: { ...before.hosting, gain } as typeof before.hosting,
    })),
    measure('a song is suggested', (before, turn) =>
      obey(before, { type: 'request-track', uid: `u${turn}`, socketId: 's', track: song(turn), mode: 'day' }),
    ),
    measure('a song is added', (before, turn) =>
      obey(before, { type: 'add-song', track: song(turn), mode: 'day', orderType: 'donated', tier: turn }),
    ),
    measure('a song is removed', (before) => obey(before, { type: 'remove-entry', position: 40 })),
    measure('the next song begins', (before) => {
      const { onAir } = before
      const entryId = onAir.phase === 'track' ? onAir.entry.entryId : ''
      return learn(before, { type: 'sound-ended', entryId }, NOON).state
    }),
    measure('a song is moved', (before) => {
      const { entries, index } = before.playlist
      return obey(before, { type: 'move-entry', entryId: entries[index + 60]!.entryId, from: 60, to: 45 })
    }),
    measure('a title is changed', (before, turn) => {
      const track = { ...song(turn), title: 'Another' }
      return obey(before, { type: 'library-changed', settled: [{ trackId: track.id, track }] })
    }),
  ]
}

/** Cost of a playlist of the whole library of a mode, made and laid down in pieces, ms. */
interface MakingFigures {
  allMs: number
  /** The longest time for which the sound, a microphone or a command waits. */
  longestMs: number
}

/** Time after which a break is taken, ms, as in `withBreaks`. */
const SLICE_MS = 8

/** A row of cells with these figures for stations of several sizes. */
export function makingRow(sizes: readonly number[]): [name: string, ...cells: string[]] {
  const made = sizes.map(measureMaking)
  const cells = (of: keyof MakingFigures) => made.map((one) => one[of].toFixed(1)).join(' / ')
  return [
    'a playlist is made anew',
    `worker ${cells('allMs')} ms, at most ${cells('longestMs')} ms at a time`,
  ]
}

/** The cheapest of some turns. */
function measureMaking(tracksOfMode: number): MakingFigures {
  const writer = createStateWriter()
  let state = largeStation(tracksOfMode)
  const tracks = state.playlist.entries.map(({ track }) => track)
  const fact = library(tracks) as Parameters<typeof makePlaylist>[1]
  writer.write(state)
  const turns = Array.from({ length: 8 }, () => {
    const asked = apply(state, { type: 'library-changed' }, NOON).state
    const slices: number[] = []
    const made = inSlices(makePlaylist(asked, fact), slices)
    const beganMs = performance.now()
    state = learn(asked, { ...fact, made }, NOON).state
    slices.push(performance.now() - beganMs)
    inSlices(writer.writeInPieces(state), slices)
    return { allMs: slices.reduce((sum, ms) => sum + ms), longestMs: Math.max(...slices) }
  })
  const least = (of: keyof MakingFigures) => Math.min(...turns.map((turn) => turn[of]))
  return { allMs: least('allMs'), longestMs: least('longestMs') }
}

/** A row of cells: what the worker needs for one newly measured track, with all tracks of both modes measured. */
export function measuredRow(sizes: readonly number[]): [name: string, ...cells: string[]] {
  const cells = sizes.map((size) => measureMeasured(size).toFixed(2))
  return ['a song is measured', `worker ${cells.join(' / ')} ms`]
}

/** The cheapest of some turns, ms. */
function measureMeasured(tracksOfMode: number): number {
  const writer = createStateWriter()
  let state = largeStation(tracksOfMode)
  const lists = [state.playlist, ...Object.values(state.prepared)]
  const tracks = lists.flatMap(({ entries }) => entries.map(({ track }) => track))
  let known: AllCuePoints = Object.fromEntries(tracks.map(({ id, cuePoints }) => [id, cuePoints!]))
  state = learn(state, { type: 'cue-points', cuePoints: known }, NOON).state
  writer.write(state)
  const times = Array.from({ length: 8 }, (_, turn) => {
    const { id } = tracks[turn * 3]!
    const next = { ...known, [id]: { gainDb: -turn, startMs: 0, endMs: null } }
    noteCuePoints(known, next, new Set([id]))
    known = next
    const beganMs = performance.now()
    state = learn(state, { type: 'cue-points', cuePoints: next }, NOON).state
    writer.write(state)
    return performance.now() - beganMs
  })
  return Math.min(...times)
}

function inSlices<R>(pieces: Pieces<R>, slices: number[]): R {
  for (;;) {
    const beganMs = performance.now()
    let piece = pieces.next()
    while (!piece.done && performance.now() - beganMs < SLICE_MS) piece = pieces.next()
    slices.push(performance.now() - beganMs)
    if (piece.done) return piece.value
  }
}
