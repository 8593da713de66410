import type { HistoryItem, Mode } from '@solstice/contracts'
import { type PlayoutState, soundStartMs, type TrackRef, wordSearch } from '@solstice/playout'
import type { DataStore, HistoryRecord } from '../ports/data/data-store.ts'

const RECENT = 10
/** A day of tracks of 17 s each. */
const MAX_OF_A_DAY = 5000

/**
 * Records that a track began. Idempotent for the same track and date.
 *
 * @param played.playedAt the date; by default the moment, as in older versions.
 */
export async function recordPlayed(
  data: DataStore,
  played: { track: TrackRef; mode: Mode; startedAtMs: number; playedAt?: number },
): Promise<void> {
  const { id: trackId, title, artist, album } = played.track
  const { mode, startedAtMs, playedAt = Math.round(startedAtMs) } = played
  await data.history.insert({ trackId, title, artist, album, mode, playedAt, startedAtMs })
}

/** Fields that tell which record is of the track on air. */
type Airing = Pick<PlayoutState, 'onAir' | 'pace' | 'lastPlayedMs'>

/** The last ten played tracks, oldest first, without the one on air or shown under a jingle or chat. */
export async function recentHistory(
  data: DataStore,
  air: Airing | null,
): Promise<readonly Readonly<HistoryItem>[]> {
  const isOnAir = onAirTest(air)
  // Roughly in the order of play; a worker that took over may have recorded a few late.
  const latest = (await data.history.find()).slice(-5 * RECENT)
  return latest
    .filter((item) => !isOnAir(item))
    .sort(inOrderOfPlay)
    .slice(-RECENT)
    .map(withoutMoment)
}

/** The tracks that began in a time, oldest first, without the one on air; of more than 5000 the latest. */
export async function historyBetween(
  data: Pick<DataStore, 'history'>,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  air: Airing | null,
): Promise<Readonly<HistoryItem>[]> {
  const isOnAir = onAirTest(air)
  return (await data.history.find())
    .filter((item) => item.playedAt >= fromMs && item.playedAt < untilMs && !isOnAir(item))
    .sort(inOrderOfPlay)
    .slice(-MAX_OF_A_DAY)
    .map(withoutMoment)
}

/** When a track last began, epoch ms, the airing of this moment included; null when nothing since `sinceMs` says so. */
export async function lastPlayedAt(
  data: Pick<DataStore, 'history'>,
  trackId: string,
  sinceMs: number,
): Promise<number | null> {
  const dates = (await data.history.find({ trackId })).map(({ playedAt }) => playedAt)
  const latest = dates.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  return latest >= sinceMs ? latest : null
}

function onAirTest(air: Airing | null): (record: Readonly<HistoryRecord>) => boolean {
  const shownId = air && air.onAir.phase !== 'preparing' ? air.onAir.entry?.track.id : null
  // Not when its sound began: it may have resumed after a chat, or have begun while no worker was on air.
  const sinceMs = air && Math.round(air.lastPlayedMs ?? soundStartMs(air))
  // Older versions stored the moment as the date.
  return ({ trackId, playedAt, startedAtMs = playedAt }) =>
    trackId === shownId && Math.round(startedAtMs) === sinceMs
}

const inOrderOfPlay = (a: HistoryItem, b: HistoryItem) => a.playedAt - b.playedAt || a.id - b.id

export interface HistoryFilter {
  /** Words of artist and title. */
  q?: string
  mode?: Mode
  /** epoch ms, inclusive */
  since?: number
  /** epoch ms, exclusive */
  until?: number
}

/** Tracks that began at or after `sinceMs` (epoch ms) and match the filter, newest first, the one on air included. */
export async function wholeHistory(
  data: Pick<DataStore, 'history'>,
  sinceMs: number,
  { q = '', mode, since = 0, until = Number.POSITIVE_INFINITY }: HistoryFilter = {},
): Promise<Readonly<HistoryItem>[]> {
  const matches = wordSearch(q)
  const fromMs = Math.max(sinceMs, since)
  return (await data.history.find())
    .filter(({ playedAt }) => playedAt >= fromMs && playedAt < until)
    .filter((item) => (mode === undefined || item.mode === mode) && matches(item))
    .sort((a, b) => b.playedAt - a.playedAt || b.id - a.id)
    .map(withoutMoment)
}

/** Removes entries from before `beforeMs` (epoch ms). @returns how many. */
export function purgeHistory(data: DataStore, beforeMs: number): Promise<number> {
  return data.history.delete((item) => item.playedAt < beforeMs)
}

const withoutMoment = ({ startedAtMs: _, ...item }: Readonly<HistoryRecord>): HistoryItem => item
