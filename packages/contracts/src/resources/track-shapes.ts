import { Type } from 'typebox'
import { RemovedArtist, TrackResult } from './admin.ts'
import { Mode } from './resources.ts'

/** The content types under which browsers send MP3. */
export const audioTypes = ['audio/mpeg', 'audio/mp3', 'application/octet-stream'] as const

/** What a file shall be called: uploads are raw bytes and carry their name beside them. */
export const FileName = Type.Object({
  'X-File-Name': Type.String({ description: 'percent-encoded UTF-8', minLength: 1, maxLength: 2_000 }),
})

export const Text = Type.String({ maxLength: 1_000 })
export const Year = Type.Optional(Type.Union([Type.Null(), Type.Number(), Type.String({ maxLength: 20 })]))
export const SongIds = Type.Array(Type.String({ maxLength: 512 }), { maxItems: 20_000 })
export const Link = Type.String({ maxLength: 2_000 })

/** What is known of an uploaded file, to be looked over and sent back with the commit. */
const UploadedMetadata = Type.Object({
  artist: Type.String(),
  title: Type.String(),
  album: Type.String(),
  year: Type.Union([Type.Number(), Type.Null()]),
  duration: Type.Union([Type.Number({ description: 'seconds' }), Type.Null()]),
  mode: Mode,
  filename: Type.String(),
  storageKey: Type.String(),
})
export const Uploaded = Type.Object({
  ok: Type.Literal(true),
  storageKey: Type.String(),
  metadata: UploadedMetadata,
})
export const TrackResults = Type.Object({
  ok: Type.Literal(true),
  results: Type.Array(TrackResult),
  removedArtists: Type.Array(RemovedArtist),
})

export const TRACK_ID = 'day/Morning Tide.mp3'
const FACTS = { artist: 'Hilda', title: 'Morning Tide', album: 'Shores', year: 2024, duration: 184.3 }
export const TRACK_EXAMPLE = {
  id: TRACK_ID,
  ...FACTS,
  mode: 'day',
  filename: 'Morning Tide.mp3',
  storageKey: TRACK_ID,
}
export const METADATA_EXAMPLE = { ...FACTS, mode: 'day', filename: 'Morning Tide.mp3', storageKey: TRACK_ID }
export const LYRICS_EXAMPLE = { synced: true, lines: [{ time: 12.5, text: 'The water is quiet' }] }
export const DONE_EXAMPLE = { uk: 'Готово', en: 'Done' }
export const lockFailures = [
  'TRACK_NOT_FOUND',
  'TRACK_LOCKED',
  'AIR_UNAVAILABLE',
  'JOBS_UNAVAILABLE',
] as const
