import type { Recorded } from '../aircheck/hour-index.ts'
import { endMsOf, SLACK_MS } from '../aircheck/part.ts'

/** A track that is on air from a date on, epoch ms. */
export interface Begun {
  title: string
  artist: string
  beganMs: number
}

/** A date at which engine and recording name different tracks. */
export interface Mismatch {
  atMs: number
  engine: Begun
  recording: Begun
}

/**
 * Holds the tracks of the engine against the aircheck, where it has sound between two dates: a second after each beginning that either of
 * them knows, both have the same track. The clock may have been corrected by that much. Jingles, live shows and silence aren't compared, nor
 * is what ends at once.
 *
 * @param played in order; the first may have begun before `fromMs`.
 * @returns the number of comparisons, and those that failed.
 */
export function checkRecording(
  played: readonly Begun[],
  { pieces, heard }: Recorded,
  fromMs: number,
  untilMs: number,
): { compared: number; mismatches: Mismatch[] } {
  const isRecorded = (atMs: number) => pieces.some((piece) => piece.atMs <= atMs && endMsOf(piece) > atMs)
  const changes = [...played.map(({ beganMs }) => beganMs), ...heard.map(({ atMs }) => atMs)]
  const isSteady = (atMs: number) => !changes.some((change) => Math.abs(change - atMs) < SLACK_MS / 2)
  const moments = changes
    .map((change) => change + SLACK_MS)
    .filter((atMs) => atMs >= fromMs && atMs < untilMs && isRecorded(atMs) && isSteady(atMs))
  let compared = 0
  const mismatches: Mismatch[] = []
  for (const atMs of moments.sort((a, b) => a - b)) {
    const sound = heard.findLast((one) => one.atMs <= atMs)
    const engine = played.findLast(({ beganMs }) => beganMs <= atMs)
    if (sound?.kind !== 'track' || !engine) continue
    compared++
    const { title, artist } = sound
    if (engine.title === title && engine.artist === artist) continue
    mismatches.push({ atMs, engine, recording: { title, artist, beganMs: sound.atMs } })
  }
  return { compared, mismatches }
}
