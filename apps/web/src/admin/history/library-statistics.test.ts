import t from 'tap'
import { countTracks, findCounts, tracksOf } from './library-statistics.ts'

const track = (file: string, year: number | null) => ({ file, title: file, album: '', year, duration: 60 })
const tide = track('day/tide', 2020)
const moon = track('day/moon', null)
const star = track('night/star', 2020)
const all = tracksOf({
  day: { Hilda: [tide], Ivan: [moon] },
  night: { Hilda: [star] },
  genres: { Calm: { Hilda: [tide] } },
  nightGenres: { Calm: { Hilda: [star] } },
})
const named = (view: Parameters<typeof countTracks>[1]) =>
  countTracks(all, view).map(({ name, mode, tracks, share }) => [name, mode, tracks.length, share])

t.test('an artist counts in the mode that is looked at', async (t) => {
  t.same(named('day'), [
    ['Hilda', null, 1, 0.5],
    ['Ivan', null, 1, 0.5],
  ])
  t.same(named('night'), [['Hilda', null, 1, 1]])
})

t.test(
  'groups of the same name in both modes are two groups, and tracks without one are left out',
  async (t) => {
    t.same(named('groups'), [
      ['Calm', 'day', 1, 0.5],
      ['Calm', 'night', 1, 0.5],
    ])
  },
)

t.test('years count tracks of both modes, and the unknown year is a line of its own', async (t) => {
  t.same(named('years'), [
    ['2020', null, 2, 2 / 3],
    ['', null, 1, 1 / 3],
  ])
})

t.test('a search finds a line by its tracks as well', async (t) => {
  t.same(
    findCounts(countTracks(all, 'years'), 'STAR hilda').map(({ name }) => name),
    ['2020'],
  )
})
