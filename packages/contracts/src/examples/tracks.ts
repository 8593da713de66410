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
