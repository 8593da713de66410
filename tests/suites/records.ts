import type { HistoryItem, Track } from '@solstice/contracts'
import type { DataStore } from '@solstice/station'
import type { Test } from 'tap'

export const track = (id: string, facts: Partial<Track> = {}): Track => ({
  id,
  title: id,
  artist: 'Artist',
  album: '',
  year: null,
  duration: 60,
  mode: 'day',
  filename: id,
  storageKey: id,
  ...facts,
})

export const played = (trackId: string, playedAt: number): Omit<HistoryItem, 'id'> => ({
  trackId,
  title: trackId,
  artist: 'Artist',
  album: '',
  mode: 'day',
  playedAt,
})

export const ids = (records: readonly { id: string | number }[]) => records.map(({ id }) => id)

/** Prepares an empty location and returns how to open stores on it, any number at once; the suite closes them. */
export type PrepareLocation = (t: Test) => Promise<() => Promise<DataStore>>
