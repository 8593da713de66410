import type { HistoryItem, Track } from '@solstice/contracts'

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
