import t from 'tap'
import { createLibraryPages } from './page.ts'
import type { RowData } from './rows.ts'

const track = (artist: string, title: string, i: number) => ({
  ...{ id: `day/${i}.mp3`, title, artist, album: '', year: null, duration: 180, mode: 'day' as const },
  ...{ filename: `${i}.mp3`, storageKey: `day/${i}.mp3` },
})

/** Records of which only the tracks are filled. */
function library(tracks: readonly ReturnType<typeof track>[]): RowData {
  const none = { find: async () => [] }
  const filled = { find: async () => tracks }
  return Object.assign(Object.create(null), {
    ...{ tracks: filled, lyrics: none, measurements: none, artists: none, trackCovers: none, history: none },
  }) as RowData
}

const all = { q: '', offset: 0, limit: 100, sort: 'artist', order: 'asc' } as const

t.test('artists whose names differ only in case are one artist in the order', async (t) => {
  const names = [
    ...[['Bee', 'A'], ['ANN', 'C'], ['ann', 'A'], ['Änn', 'B'], ['', 'Z'], ['Ann', 'B'], ['Ann', 'D']], // biome-ignore format: pairs
  ] as [string, string][]
  const pages = createLibraryPages(library(names.map(([artist, title], i) => track(artist, title, i))))
  const { rows } = await pages.read(all, new Set())
  t.same(
    rows.map(({ artist, title }) => `${artist} ${title}`),
    [' Z', 'ann A', 'Ann B', 'ANN C', 'Ann D', 'Änn B', 'Bee A'],
  )
})
