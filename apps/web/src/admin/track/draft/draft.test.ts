import t from 'tap'
import { setText } from '../lyrics/text/lines.ts'
import {
  begin,
  type Draft,
  draftOf,
  isChanged,
  keepMine,
  toSave,
  undo,
  withLyrics,
  withStored,
} from './draft.ts'
import { tagProblems, toEditedTags, toTags } from './tags.ts'

const TAGS = { title: 'Tide', artist: 'Hilda', album: '', year: 1998 }
const stored = (offset = 0, title = 'Tide'): Draft =>
  draftOf({ ...TAGS, title }, { entry: { synced: true, lines: [{ time: 1, text: 'One' }] }, offset })
const withTitle = (draft: Draft, title: string): Draft => ({ ...draft, tags: { ...draft.tags, title } })

t.test('only changed parts are sent, and nothing when nothing changed', async (t) => {
  const editing = begin(stored())
  t.equal(toSave('day/a.mp3', editing), null)
  t.equal(
    toSave('day/a.mp3', { ...editing, draft: withTitle(stored(), ' Tide ') }),
    null,
    'spacing is no change',
  )
  t.same(toSave('day/a.mp3', { ...editing, draft: withTitle(stored(), 'Ebb') }), {
    songId: 'day/a.mp3',
    metadata: { ...TAGS, title: 'Ebb' },
    metadataChanged: true,
    lyricsChanged: false,
    offsetChanged: false,
  })
  t.match(toSave('day/a.mp3', { ...editing, draft: { ...stored(), offset: 0.5 } }), {
    metadataChanged: false,
    lyricsChanged: false,
    offsetChanged: true,
    offset: 0.5,
  })
  const { lyrics } = editing.draft
  const changed = withLyrics(editing, setText(lyrics, lyrics.lines[0]!.id, 'Uno'))
  t.match(toSave('day/a.mp3', changed), {
    lyricsChanged: true,
    lyricsEntry: { synced: true, lines: [{ time: 1, text: 'Uno' }] },
  })
  t.notOk(isChanged(undo(changed)))
})

t.test('an unchanged draft follows the station, a changed one stays and is told', async (t) => {
  t.equal(withStored(begin(stored()), stored(0, 'Ebb')).draft.tags.title, 'Ebb')
  const mine = { ...begin(stored()), draft: withTitle(stored(), 'Mine') }
  const met = withStored(mine, stored(2))
  t.equal(met.draft.tags.title, 'Mine')
  t.equal(met.theirs?.offset, 2)
  t.match(keepMine(met), {
    draft: { tags: { title: 'Mine' }, offset: 2 },
    stored: { offset: 2 },
    theirs: null,
  })
  t.equal(withStored(mine, stored()).theirs, null, 'the same again is no news')
  t.notOk(isChanged(withStored(mine, stored(0, 'Mine'))), 'somebody saved the same')
})

t.test('tags need a title, an artist, and a year that is a number or nothing', async (t) => {
  t.same(tagProblems(toEditedTags(TAGS)), {})
  t.same(tagProblems({ title: ' ', artist: '', album: '', year: '98 AD' }), {
    title: 'missing',
    artist: 'missing',
    year: 'notYear',
  })
  t.equal(toTags({ ...toEditedTags(TAGS), year: ' ' }).year, null)
})
