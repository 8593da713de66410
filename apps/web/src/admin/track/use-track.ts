import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useAdmin, useAir } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import type { ReplyOf } from '../data/routes.ts'
import { type TrackTexts, trackTexts } from './texts.ts'

export type TrackRow = ReplyOf<'GET /api/admin/song-editor'>['track']

/** A track of the library with what is known of it. */
export const useTrackRow = (id: string) => useQuery('GET /api/admin/song-editor', { query: { songId: id } })

/** Answers that a change of a track makes old. */
export const OUTDATES = ['/api/admin/songs', '/api/admin/song-editor', '/api/admin/lyrics', '/api/library']

/** Why a track can't be changed now: it plays, or plays next. */
export function useLock(id: string): 'current' | 'next' | null {
  const air = useAir()
  if (!air || air.isPreparing) return null
  if (air.track === id) return 'current'
  return air.playlist[0]?.id === id ? 'next' : null
}

export const useTrackTexts = (): TrackTexts => trackTexts[useAdmin().locale]

const TrackContext = createContext<TrackRow | null>(null)
export const TrackProvider = TrackContext.Provider

/** The track of the drawer. */
export function useTrack(): TrackRow {
  const track = useContext(TrackContext)
  if (!track) throw new Error('Not within a TrackProvider')
  return track
}
