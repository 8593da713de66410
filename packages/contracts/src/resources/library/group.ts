import { type Static, Type } from 'typebox'
import { nullable } from '../schema.ts'
import { Mode, TrackId } from './track.ts'

export const SongPreview = Type.Object({
  id: TrackId,
  title: Type.String(),
  artist: Type.String(),
  album: Type.String(),
  year: nullable(Type.Number()),
})
export type SongPreview = Static<typeof SongPreview>

export const SongGroup = Type.Object({
  id: Type.String(),
  name: Type.String(),
  mode: Mode,
  songs: Type.Array(TrackId),
  songCount: Type.Integer(),
  songsPreview: Type.Array(SongPreview, { description: 'all songs of the group, in order' }),
})
export type SongGroup = Static<typeof SongGroup>
