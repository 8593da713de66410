import type { aircheck, Reply } from '@solstice/contracts'

export type Day = Reply<typeof aircheck.getAircheckDay>
type Heard = Day['heard'][number]
export type Hole = Day['holes'][number]

/** Something that was heard, or a hole, from a moment to another (epoch ms). */
export type Line = { atMs: number; untilMs: number } & (
  | ({ is: Heard['kind'] } & Pick<Heard, 'title' | 'artist' | 'speakers' | 'order'>)
  | { is: 'hole'; cause: Hole['cause'] }
)

const HOUR_MS = 3_600_000
/** The route sends no more at once. */
export const MAX_PIECE_MS = 4 * HOUR_MS
/** Played at once; then the next one follows. */
const PLAYED_PIECE_MS = HOUR_MS

/** What a day was made of, in order. */
export function linesOf({ heard, holes, from, until }: Day, nowMs: number): Line[] {
  const endMs = Math.min(until, nowMs)
  const sounds = heard.flatMap(({ kind, atMs, title, artist, speakers, order }, i): Line[] => {
    const nextMs = heard[i + 1]?.atMs ?? endMs
    // A hole within a track does not end it.
    const last = holes.find((hole) => hole.atMs >= atMs && hole.atMs < nextMs && hole.untilMs >= nextMs)
    const untilMs = last?.atMs ?? nextMs
    const startMs = Math.max(atMs, from)
    return untilMs > startMs ? [{ is: kind, atMs: startMs, untilMs, title, artist, speakers, order }] : []
  })
  const gaps = holes.map(({ atMs, untilMs, cause }): Line => ({ is: 'hole', atMs, untilMs, cause }))
  return [...sounds, ...gaps].sort((a, b) => a.atMs - b.atMs)
}

/** What was on at a moment; a hole where it is one. */
export const lineAt = (lines: readonly Line[], atMs: number): Line | undefined =>
  lines.findLast((line) => line.atMs <= atMs && atMs < line.untilMs)

/** An hour of a day, of which there are 23 or 25 when the clocks change. */
export interface Hour {
  fromMs: number
  untilMs: number
  /** Part of it that is recorded, 0 to 1. */
  recorded: number
  hasShow: boolean
}

export function hoursOf({ from, until }: Day, lines: readonly Line[]): Hour[] {
  return Array.from({ length: Math.ceil((until - from) / HOUR_MS) }, (_, i) => {
    const fromMs = from + i * HOUR_MS
    const untilMs = Math.min(fromMs + HOUR_MS, until)
    const overlap = (one: { atMs: number; untilMs: number }) =>
      Math.max(0, Math.min(one.untilMs, untilMs) - Math.max(one.atMs, fromMs))
    const sum = (all: readonly Line[]) => all.reduce((ms, line) => ms + overlap(line), 0)
    const sounds = lines.filter(({ is }) => is !== 'hole')
    const inSounds = lines.filter(
      (line) =>
        line.is === 'hole' && sounds.some(({ atMs, untilMs }) => atMs < line.atMs && line.untilMs < untilMs),
    )
    return {
      ...{ fromMs, untilMs },
      recorded: Math.max(0, sum(sounds) - sum(inSounds)) / (untilMs - fromMs),
      // By what is heard: a show from the day before is in the list of that day.
      hasShow: sounds.some((line) => isSpoken(line) && overlap(line) > 0),
    }
  })
}

const isSpoken = (line: Line) => line.is === 'live' || (line.is !== 'hole' && line.speakers.length > 0)

/** The piece that is played from a moment on; null when nothing follows it. */
export function pieceFrom(fromMs: number, endMs: number): { from: number; to: number } | null {
  const to = Math.min(fromMs + PLAYED_PIECE_MS, endMs)
  return to > fromMs + 1 ? { from: Math.ceil(fromMs), to: Math.floor(to) } : null
}

/** The moment that is heard after so much of a piece was played: holes are left out of it. */
export function momentAfter(fromMs: number, playedMs: number, holes: readonly Hole[]): number {
  let [atMs, leftMs] = [fromMs, playedMs]
  for (const hole of holes) {
    if (hole.untilMs <= atMs) continue
    const beforeMs = Math.max(0, hole.atMs - atMs)
    if (leftMs < beforeMs) break
    leftMs -= beforeMs
    atMs = hole.untilMs
  }
  return atMs + leftMs
}

/** Whether a piece may be cut out. */
export const isPiece = (fromMs: number | null, toMs: number | null): boolean =>
  fromMs !== null && toMs !== null && toMs > fromMs && toMs - fromMs <= MAX_PIECE_MS

/** The moment of a day at which its clock shows a time (`HH:MM` or `HH:MM:SS`); null when it is none. */
export function momentOf(time: string, minuteMoments: (time: string) => readonly number[]): number | null {
  const [, minute, second = '0'] = /^([01]\d:[0-5]\d|2[0-3]:[0-5]\d)(?::([0-5]\d))?$/.exec(time) ?? []
  if (!minute) return null
  return minuteMoments(minute)[0]! + Number(second) * 1000
}
