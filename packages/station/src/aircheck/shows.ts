import type { MediaStorage } from '../ports/media/media-storage.ts'
import { addHeard, type Hole, holesIn, type Recorded } from './hour-index.ts'
import { HOUR_MS } from './names.ts'
import type { Heard } from './part.ts'
import { recordedBetween } from './read.ts'

/** A time in which people spoke; dates in epoch ms, the end exclusive. */
export interface Show {
  from: number
  to: number
  speakers: string[]
}

/** People who are silent for longer have ended their show. */
const SHOW_PAUSE_MS = 300_000

/**
 * The live shows that began between two dates (epoch ms), each to its end, however much later that is. One that had begun before is
 * left out.
 *
 * @param recorded what was recorded between these dates.
 */
export async function showsBegun(
  media: MediaStorage,
  recorded: Recorded,
  { fromMs, untilMs, nowMs }: { fromMs: number; untilMs: number; nowMs: number },
): Promise<Show[]> {
  const earliestMs = fromMs - SHOW_PAUSE_MS
  let known = followedBy(await recordedBetween(media, earliestMs, fromMs), recorded)
  for (let [endMs, stepMs] = [untilMs, HOUR_MS]; ; stepMs *= 2) {
    const knownMs = Math.min(endMs, nowMs)
    const shows = showsIn(known.heard, holesIn(known.pieces, earliestMs, knownMs), knownMs).filter(
      ({ from }) => fromMs <= from && from < untilMs,
    )
    const last = shows.at(-1)
    if (!last || endMs >= nowMs || knownMs - last.to > SHOW_PAUSE_MS) return shows
    known = followedBy(known, await recordedBetween(media, endMs, endMs + stepMs))
    endMs += stepMs
  }
}

/** The show that began at a date, to the millisecond; null when none did. */
export async function showBegunAt(media: MediaStorage, atMs: number, nowMs: number): Promise<Show | null> {
  const fromMs = Math.floor(atMs)
  const untilMs = fromMs + 1
  const recorded = await recordedBetween(media, fromMs, untilMs)
  const [show] = await showsBegun(media, recorded, { fromMs, untilMs, nowMs })
  return show ?? null
}

/** The live shows among what was heard up to `untilMs`; while nothing is recorded nobody speaks. */
export function showsIn(heard: readonly Heard[], holes: readonly Hole[], untilMs: number): Show[] {
  const shows: Show[] = []
  for (const [i, { kind, atMs, speakers }] of heard.entries()) {
    if (kind !== 'live' && speakers.length === 0) continue
    for (const { from, to } of withoutHoles(atMs, heard[i + 1]?.atMs ?? untilMs, holes)) {
      const before = shows.at(-1)
      if (before && from - before.to <= SHOW_PAUSE_MS) {
        before.to = to
        before.speakers = [...new Set([...before.speakers, ...speakers])]
      } else shows.push({ from, to, speakers: [...speakers] })
    }
  }
  return shows
}

/** The rest of a time without its holes. */
function withoutHoles(fromMs: number, toMs: number, holes: readonly Hole[]): { from: number; to: number }[] {
  const left: { from: number; to: number }[] = []
  let from = fromMs
  for (const { atMs, untilMs } of holes) {
    if (untilMs <= from || atMs >= toMs) continue
    if (atMs > from) left.push({ from, to: atMs })
    from = untilMs
  }
  if (from < toMs) left.push({ from, to: toMs })
  return left
}

/** Two times that follow each other; what reaches from one into the other counts once. */
function followedBy(before: Recorded, after: Recorded): Recorded {
  const lastMs = before.heard.at(-1)?.atMs ?? 0
  const heard = [...before.heard]
  for (const one of after.heard) if (one.atMs > lastMs) addHeard(heard, one)
  const lastPiece = before.pieces.at(-1)
  const pieces = after.pieces.filter(({ atMs }) => !lastPiece || atMs > lastPiece.atMs)
  return { pieces: [...before.pieces, ...pieces], heard }
}
