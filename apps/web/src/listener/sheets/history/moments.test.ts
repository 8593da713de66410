import t from 'tap'
import { dateIn, dayAfter, minutesAhead, momentsAt, textOfDay, timeIn, tracksAt } from './moments.ts'

const timeZone = 'Europe/Kyiv'
const at = (iso: string) => Date.parse(iso)
const day = (iso: string) => ({ from: at(iso), timeZone })
const iso = (moments: number[]) => moments.map((atMs) => new Date(atMs).toISOString())

t.test('days and times are those of the station', async (t) => {
  t.equal(dateIn(at('2026-11-22T22:00:00Z'), timeZone), '2026-11-23')
  t.equal(timeIn(at('2026-11-22T22:00:59Z'), timeZone), '00:00')
  t.equal(dayAfter('2026-03-01', -1), '2026-02-28')
  t.equal(dayAfter('2026-12-31', 1), '2027-01-01')
})

t.test('a time names a moment; two when the hour comes twice', async (t) => {
  t.same(iso(momentsAt(day('2026-11-23T00:00:00+02:00'), '14:32')), ['2026-11-23T12:32:00.000Z'])
  const autumn = day('2026-10-25T00:00:00+03:00')
  t.same(iso(momentsAt(autumn, '02:30')), ['2026-10-24T23:30:00.000Z'])
  t.same(iso(momentsAt(autumn, '03:30')), ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'])
  t.same(iso(momentsAt(autumn, '23:59')), ['2026-10-25T21:59:00.000Z'])
  const spring = day('2026-03-29T00:00:00+02:00')
  t.same(iso(momentsAt(spring, '02:59')), ['2026-03-29T00:59:00.000Z'])
  t.same(iso(momentsAt(spring, '04:00')), ['2026-03-29T01:00:00.000Z'])
  t.same(iso(momentsAt(spring, '03:30')), ['2026-03-29T01:30:00.000Z'], 'a time that never was')
})

t.test('the song of a moment is the last that began by the end of its minute', async (t) => {
  const songs = [at('2026-11-23T12:00:00Z'), at('2026-11-23T12:32:40Z')].map((playedAt) => ({ playedAt }))
  const on = (time: string) =>
    [...tracksAt(songs, [at(`2026-11-23T${time}:00Z`)])].map((song) => songs.indexOf(song))
  t.same(on('11:59'), [])
  t.same(on('12:00'), [0])
  t.same(on('12:31'), [0])
  t.same(on('12:32'), [1], 'a link to a song by its own minute')
  t.same(on('15:33'), [], 'the station was silent')
})

t.test('the difference between two clocks is told in minutes', async (t) => {
  const noon = at('2026-11-23T12:00:00Z')
  t.equal(minutesAhead(noon, timeZone, 'Europe/Berlin'), -60)
  t.equal(minutesAhead(noon, timeZone, 'Asia/Kolkata'), 210)
  t.equal(minutesAhead(noon, timeZone, 'America/Los_Angeles'), -600)
  t.equal(minutesAhead(noon, timeZone, timeZone), 0)
})

t.test('a day is saved as text, in the station’s time', async (t) => {
  const playedAt = Date.UTC(2026, 10, 23, 12, 30)
  const tracks = [
    { playedAt, title: 'Low Tide', artist: 'Somebody' },
    { playedAt: playedAt + 240_000, title: 'Half Tide', artist: '' },
  ]
  t.equal(
    textOfDay(tracks, 'Europe/Kyiv', 'What was on, 2026-11-23'),
    'What was on, 2026-11-23 (Europe/Kyiv)\n\n14:30  Somebody — Low Tide\n14:34  Half Tide\n',
  )
})
