import type { HistoryItem, Mode } from '@solstice/contracts'
import { type PlayoutState, soundStartMs, type TrackRef } from '@solstice/playout'
import type { DataStore, HistoryRecord } from '../ports/data-store.ts'

const RECENT = 10

/**
 * Remembers that a track began. Doing it again for the same track and date changes nothing.
 *
 * @param played.playedAt the date; without one the moment is taken for it, as the version before did.
 */
export async function recordPlayed(
  data: DataStore,
  played: { track: TrackRef; mode: Mode; startedAtMs: number; playedAt?: number },
): Promise<void> {
  const { id: trackId, title, artist, album } = played.track
  const { mode, startedAtMs, playedAt = Math.round(startedAtMs) } = played
  await data.history.insert({ trackId, title, artist, album, mode, playedAt, startedAtMs })
}

/** The last ten tracks that were played, oldest first, without the one that is on air, or shown under a jingle or a talk. */
export async function recentHistory(
  data: DataStore,
  air: Pick<PlayoutState, 'onAir' | 'pace' | 'lastPlayedMs'> | null,
): Promise<readonly Readonly<HistoryItem>[]> {
  const shownId = air && air.onAir.phase !== 'preparing' ? air.onAir.entry?.track.id : null
  // Not when its sound began: it may have gone on after a talk, or have begun while nobody was on air.
  const sinceMs = air && Math.round(air.lastPlayedMs ?? soundStartMs(air))
  // The version before took the moment for the date.
  const isOnAir = ({ trackId, playedAt, startedAtMs = playedAt }: Readonly<HistoryRecord>) =>
    trackId === shownId && Math.round(startedAtMs) === sinceMs
  // Entries come in about the order of play; a worker that took over may have recorded a few of them late.
  const latest = (await data.history.find()).slice(-5 * RECENT)
  return latest
    .filter((item) => !isOnAir(item))
    .sort((a, b) => a.playedAt - b.playedAt || a.id - b.id)
    .slice(-RECENT)
    .map(withoutMoment)
}

/** What began at or after a moment (epoch ms), newest first, the track on air included. */
export async function wholeHistory(
  data: Pick<DataStore, 'history'>,
  sinceMs: number,
): Promise<Readonly<HistoryItem>[]> {
  return (await data.history.find())
    .filter(({ playedAt }) => playedAt >= sinceMs)
    .sort((a, b) => b.playedAt - a.playedAt || b.id - a.id)
    .map(withoutMoment)
}

/** Forgets what began before a moment (epoch ms), and says how many entries that were. */
export function purgeHistory(data: DataStore, beforeMs: number): Promise<number> {
  return data.history.delete((item) => item.playedAt < beforeMs)
}

const withoutMoment = ({ startedAtMs: _, ...item }: Readonly<HistoryRecord>): HistoryItem => item
