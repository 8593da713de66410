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

export const CUE_POINTS_EXAMPLE = {
  ok: true,
  duration: 184.3,
  cueIn: 2.5,
  cueOut: null,
  measured: { cueIn: 0.4, cueOut: 181.2 },
  heard: { cueIn: 2.5, cueOut: 181.2 },
}

export const TRACK_CHANGE_EXAMPLE = {
  id: 1,
  adminId: 'super',
  adminLogin: 'admin',
  operationType: 'edit_song_meta',
  createdAt: 1_790_000_000_000,
  data: {
    title: 'Morning Tide',
    artist: 'Hilda',
    details: { version: 1, changes: [{ field: 'title', before: 'Tide', after: 'Morning Tide' }], info: {} },
  },
}

export const LIBRARY_PAGE_EXAMPLE = {
  items: [
    {
      ...{ id: TRACK_ID, ...FACTS, mode: 'day', filename: 'Morning Tide.mp3', lyricsStatus: 'synced' },
      ...{
        hasArt: true,
        cover: '9f2c4e1b7a6d5c3b8e0f1a2b3c4d5e6f',
        lufs: -14.2,
        addedAt: 1_790_000_000_000,
        plays: 12,
      },
      ...{ lastPlayedAt: 1_790_000_500_000, lock: null },
    },
  ],
  ...{ total: 1, offset: 0, limit: 50 },
  facets: {
    mode: { day: 1, night: 0 },
    lyricsStatus: { synced: 1, plain: 0, none: 0 },
    hasArt: { yes: 1, no: 0 },
    isPlayed: { yes: 1, no: 0 },
    isLocked: { yes: 0, no: 1 },
    hasLoudness: { yes: 1, no: 0 },
  },
}
