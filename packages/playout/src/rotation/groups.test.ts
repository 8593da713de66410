import t from 'tap'
import { foldName, groupTracks } from './groups.ts'

const track = (filename: string, artist = '') => ({ id: `day/${filename}`, artist })

/** The group that a single track belongs to. */
function groupOf(defs: Record<string, string[]>, one: { id: string; artist: string }): string | undefined {
  return groupTracks([one], defs).find((group) => group.tracks.length > 0)?.name
}

t.test('G5: names are compared in lower case, with one space for what separates words', async (t) => {
  t.equal(foldName('  The__Low – HUM*s: "A/B\\C|D?" <e>  '), 'the low hum s a b c d e')
  t.equal(foldName('Ґанок—Їжак‑Є'), 'ґанок їжак є')
  t.equal(foldName('e\u0301'), foldName('\u00e9'), 'accents are one letter, however the disk writes them')
  t.equal(foldName('*** - ***'), '')
})

t.test('G5: the file name decides, then the artist tag, else the last group takes the track', async (t) => {
  const defs = { Rock: ['Low Hum', 'Ґанок'], Jazz: ['Blue Note', 'Hum'], Others: ['Named'] }
  t.equal(groupOf(defs, track('low_hum - Title.mp3')), 'Rock')
  t.equal(groupOf(defs, track('x - ҐАНОК.mp3')), 'Rock')
  t.equal(groupOf(defs, track('Hummingbird.mp3')), 'Jazz', 'anywhere in the name')
  t.equal(groupOf(defs, track('01.mp3', 'feat. Low–Hum')), 'Rock', 'by the tag')
  t.equal(groupOf(defs, track('Blue Note.mp3', 'Low Hum')), 'Jazz', 'the name of the file comes first')
  t.equal(groupOf(defs, track('Blue Note & Low Hum.mp3')), 'Rock', 'the first of two groups')
  t.equal(groupOf(defs, track('Named.mp3', 'Low Hum')), 'Others', 'the last group may name artists too')
  t.equal(groupOf(defs, track('nobody.mp3', 'Nobody')), 'Others')
  t.equal(groupOf({ A: ['mp3'], B: [] }, track('x.mp3')), 'B', 'the extension is no name')
})

t.test('G5: every group is there, in order; empty and odd names match nothing', async (t) => {
  t.same(groupTracks([track('a.mp3')], {}), [])
  const defs = Object.fromEntries([
    ['Empty', ['***', '', ' - ']],
    ['__proto__', ['Proto']],
    ['constructor', ['Con']],
    ['Rest', []],
  ])
  const tracks = [track('proto.mp3'), track('con.mp3'), track('x.mp3'), track('.mp3')]
  t.same(
    groupTracks(tracks, defs).map(({ name, tracks }) => [name, tracks.map(({ id }) => id)]),
    [
      ['Empty', []],
      ['__proto__', ['day/proto.mp3']],
      ['constructor', ['day/con.mp3']],
      ['Rest', ['day/x.mp3', 'day/.mp3']],
    ],
  )
})
