import t from 'tap'
import { formatTime, lrcName, readLrc, readTime, writeLrc } from './lrc.ts'

t.test('times are written as MM:SS.cc and read as people type them', async (t) => {
  t.equal(formatTime(62.5), '01:02.50')
  t.equal(formatTime(59.999), '01:00.00', 'rounding carries')
  t.equal(formatTime(-1), '00:00.00')
  for (const text of ['1:02.5', '01:02.50', '1:02,50', '01:2.500']) t.equal(readTime(text), 62.5, text)
  t.equal(readTime('1:02'), 62)
  for (const text of ['', '62', '1:60', '1:02.', 'x:01', '100:00']) t.equal(readTime(text), null, text)
})

t.test('an .lrc file is read with its tags, its repeated lines and its offset', async (t) => {
  const text =
    '\uFEFF[ti:Tide]\r\n[offset:+500]\r\n[00:10.00][00:30.5] Again\r\n[00:05.25]First <00:05.50>word\r\n[00:20.00]\r\n'
  t.same(readLrc(text), {
    synced: true,
    lines: [
      { time: 5.25, text: 'First word' },
      { time: 10, text: 'Again' },
      { time: 30.5, text: 'Again' },
    ],
    offset: -0.5,
    untimed: [],
  })
})

t.test('words without a time among timed lines are left out and named', async (t) => {
  const { lines, untimed } = readLrc('[00:01.00] One\ntwo\n\n[00:03.00] Three')
  t.same(
    lines.map(({ text }) => text),
    ['One', 'Three'],
  )
  t.same(untimed, [2])
})

t.test('a text without times is plain, with one blank line between verses', async (t) => {
  const { synced, lines } = readLrc('\n\nOne\n\n\nTwo  \n\n')
  t.equal(synced, false)
  t.same(lines, [
    { time: 0, text: 'One' },
    { time: 0, text: '' },
    { time: 0, text: 'Two' },
  ])
})

t.test('what is written is read again', async (t) => {
  const lines = [
    { time: 0.5, text: 'One' },
    { time: 61.07, text: 'Two [live]' },
  ]
  const about = { title: 'Tide', artist: 'Hilda', album: 'Shores', offset: 0.25 }
  const text = writeLrc({ synced: true, lines }, about)
  t.match(text, /^\[ti:Tide\]\n\[ar:Hilda\]\n\[al:Shores\]\n\[offset:-250\]\n\[00:00\.50\] One\n/)
  t.same(readLrc(text), { synced: true, lines, offset: 0.25, untimed: [] })
  t.equal(writeLrc({ synced: false, lines }, about), 'One\nTwo [live]\n')
})

t.test('a file of lyrics has a name that every system takes', async (t) => {
  t.equal(lrcName({ title: 'What? / Why', artist: 'AC:DC' }, true), 'AC_DC - What_ _ Why.lrc')
  t.equal(lrcName({ title: '', artist: '' }, false), 'lyrics.txt')
})
