import t from 'tap'
import { type Day, hoursOf, isPiece, lineAt, linesOf, momentAfter, momentOf, pieceFrom } from './day.ts'

const HOUR_MS = 3_600_000
const FROM = Date.UTC(2026, 10, 23)
const at = (minutes: number) => FROM + minutes * 60_000
const song = (minutes: number, title: string) => ({
  ...{ frame: 0, atMs: at(minutes), kind: 'track', title, artist: 'Hilda', speakers: [], order: null },
})
const dayOf = (rest: Partial<Day>): Day => ({
  ...{ ok: true, keptDays: 30, timeZone: 'UTC', from: FROM, until: FROM + 24 * HOUR_MS },
  ...{ heard: [], holes: [], shows: [] },
  ...rest,
})
const titled = (lines: ReturnType<typeof linesOf>) =>
  lines.map((line) => [line.is === 'hole' ? line.cause : line.title, line.atMs, line.untilMs])

const notRecorded = (from: number, until: number) =>
  ({ atMs: at(from), untilMs: at(until), cause: 'not-recorded' }) as const

t.test(
  'a sound lasts until the next one, or until the hole after it; one that lasts from yesterday is cut',
  async (t) => {
    const day = dayOf({
      heard: [song(-2, 'Yesterday'), song(3, 'One'), song(6, 'Two'), song(30, 'Three')] as Day['heard'],
      holes: [notRecorded(4, 5), notRecorded(9, 30)],
    })
    t.same(titled(linesOf(day, at(33))), [
      ['Yesterday', at(0), at(3)],
      ['One', at(3), at(6)],
      ['not-recorded', at(4), at(5)],
      ['Two', at(6), at(9)],
      ['not-recorded', at(9), at(30)],
      ['Three', at(30), at(33)],
    ])
  },
)

t.test('a moment finds what was on, and a hole where there is one', async (t) => {
  const day = dayOf({ heard: [song(0, 'One')] as Day['heard'], holes: [notRecorded(1, 2)] })
  const lines = linesOf(day, at(10))
  t.match(lineAt(lines, at(3)), { title: 'One' })
  t.match(lineAt(lines, at(1.5)), { is: 'hole' })
  t.equal(lineAt(lines, at(11)), undefined)
})

t.test('hours say how much of them is recorded and whether somebody was live', async (t) => {
  const day = dayOf({
    until: FROM + 2 * HOUR_MS,
    heard: [song(30, 'One'), { ...song(70, 'One'), speakers: ['Olena'] }, song(80, 'Two')] as Day['heard'],
    holes: [notRecorded(0, 30), notRecorded(90, 105)],
  })
  const hours = hoursOf(day, linesOf(day, at(120)))
  t.match(hours, [
    { recorded: 0.5, hasShow: false },
    { recorded: 0.75, hasShow: true },
  ])
})

t.test('played time leaps over holes', async (t) => {
  const holes = [notRecorded(1, 5), notRecorded(8, 10)]
  const after = (from: number, minutes: number) =>
    (momentAfter(at(from), minutes * 60_000, holes) - FROM) / 60_000
  t.equal(after(0, 0.5), 0.5)
  t.equal(after(0, 2), 6)
  t.equal(after(0, 5), 11)
  t.equal(after(3, 1), 6, 'from within a hole')
})

t.test('pieces end with the recording, and are no longer than the station cuts', async (t) => {
  t.same(pieceFrom(at(0), at(30)), { from: at(0), to: at(30) })
  t.same(pieceFrom(at(0), at(90)), { from: at(0), to: at(60) })
  t.equal(pieceFrom(at(30), at(30)), null)
  t.equal(isPiece(at(0), at(240)), true)
  for (const [from, to] of [
    [at(0), at(241)],
    [at(1), at(1)],
    [null, at(1)],
  ] as const)
    t.equal(isPiece(from, to), false)
})

t.test('a time of day is a moment of the day', async (t) => {
  const moments = (time: string) => [
    FROM + Number(time.slice(0, 2)) * HOUR_MS + Number(time.slice(3)) * 60_000,
  ]
  t.equal(momentOf('14:32', moments), at(14 * 60 + 32))
  t.equal(momentOf('14:32:05', moments), at(14 * 60 + 32) + 5_000)
  for (const wrong of ['', '24:00', '7:05', '14:32:75']) t.equal(momentOf(wrong, moments), null)
})
